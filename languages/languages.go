package languages

import (
	"context"
	"errors"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Languages are the languages of a store. The methods act for the user of ctx.
//
// Update leaves texts under the code that they were written in. Delete also deletes the
// texts in the language, and returns a 400 for the base and the default language.
type Languages struct {
	resource.Objects[Language]       // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Language] // Find, All

	api       *shopapi.API
	st        store.Store
	base      string
	rows      resource.Collection[Language, Language]
	variables *Variables // nil until they are registered
}

// Register creates the missing table in st, a new one with English and the base
// language, and adds the entity to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (_ *Languages, err error) {
	l := &Languages{api: api, st: st}
	if l.base, err = resource.BaseLanguage(ctx, api, st); err != nil {
		return nil, err
	}
	l.rows, err = resource.New(api, st, resource.Definition[Language, Language]{
		Name:       "languages",
		Object:     "language",
		Summary:    "The languages of the texts of the shop.",
		Privileges: privileges,
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      []resource.Sort{{Key: "lang_id", Column: "lang_id"}, {Key: "name", Column: "name"}},
		Rows: resource.Rows[Language, Language]{
			Conflict: conflict,
			Write:    l.write,
		},
		List: resource.List[Language, Language]{
			Shape: resource.EnvelopedKeyed,
			Key:   func(l *Language) string { return l.LangCode },
		},
		Scope: resource.Scope[Language]{
			AuthorizeRequest: resource.ReadOnlyForVendors,
			Authorize:        l.authorize,
		},
		Rules: resource.Rules[Language]{
			RestoreImmutable: keep,
			Normalize:        normalize,
			Check:            l.check,
		},
	})
	if err != nil {
		return nil, err
	}
	if err := l.rows.Migrate(ctx); err != nil {
		return nil, err
	}
	if err := api.Register(&languageEntity{l.rows.Entity(), l}); err != nil {
		return nil, err
	}
	l.Objects = l.rows
	l.Lists = resource.ListsOf[Filter](l.rows)
	api.CheckSetting(shopapi.SettingDefaultLanguage, l.checkDefault)
	return l, l.seed(ctx, st)
}

var privileges = shopapi.Privileges{View: "view_languages", Manage: "manage_languages"}

// seed adds the languages of a new store. The base language cannot be deleted, so that a
// store with any language is not new.
func (l *Languages) seed(ctx context.Context, st store.Store) error {
	isNew := false
	err := st.View(ctx, func(_ context.Context, tx store.Tx) error {
		n, err := table.Count(tx)
		isNew = n == 0
		return err
	})
	if err != nil || !isNew {
		return err
	}
	err = st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		first := english
		if err := table.Insert(tx, &first); err != nil || l.base == english.LangCode {
			return err
		}
		return table.Insert(tx, &Language{LangCode: l.base, Name: l.base, Status: Active, Direction: LeftToRight})
	})
	if errors.Is(err, store.ErrConflict) { // another process was first
		return nil
	}
	return err
}

// authorize refuses to delete the base and the default language.
func (l *Languages) authorize(ctx context.Context, _ store.Tx, op shopapi.Operation, v *Language) error {
	if op != shopapi.OpDelete {
		return nil
	}
	role, err := l.role(ctx, v.LangCode)
	if err == nil && role != "" {
		err = shopapi.Errorf(http.StatusBadRequest, "The language %s is the %s, and cannot be deleted.", v.LangCode, role)
	}
	return err
}

// Create adds a language and returns the stored object, with the variables of another
// language ([Language.FromLangCode]). It returns a 400 [*shopapi.Error] that names the
// invalid fields.
func (l *Languages) Create(ctx context.Context, language Language) (Language, error) {
	created, err := l.rows.Create(ctx, language)
	if err == nil {
		l.awaitCopies(ctx)
	}
	return created, err
}

// CreateAll adds languages in one transaction: see [resource.Objects.CreateAll].
func (l *Languages) CreateAll(ctx context.Context, list []Language) ([]Language, error) {
	created, err := l.rows.CreateAll(ctx, list)
	if err == nil {
		l.awaitCopies(ctx)
	}
	return created, err
}
