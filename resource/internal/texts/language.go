package texts

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A baseLanguage is the only row of its table: the language of the texts in the rows of
// objects (decisions §15). It never changes.
type baseLanguage struct {
	ID       int64  `json:"base_language_id" store:"key"`
	LangCode string `json:"lang_code"`
}

// BaseLanguageSchema is the table of the base language.
func BaseLanguageSchema() *store.Schema { return baseLanguages.Schema() }

var baseLanguages = store.MustTable[baseLanguage]("base_language")

const (
	theBaseLanguage   = 1
	firstBaseLanguage = "en" // of databases for which the host names none
)

// BaseLanguage is [github.com/shopapi/shopapi/resource.BaseLanguage].
func BaseLanguage(ctx context.Context, api *shopapi.API, st store.Store) (string, error) {
	if err := st.Migrate(ctx, baseLanguages.Schema()); err != nil {
		return "", err
	}
	return ReadBaseLanguage(ctx, api, st)
}

// ReadBaseLanguage is BaseLanguage of a store that has the table.
func ReadBaseLanguage(ctx context.Context, api *shopapi.API, st store.Store) (code string, err error) {
	read := func(_ context.Context, tx store.Tx) error {
		row, err := baseLanguages.Get(tx, theBaseLanguage)
		code = row.LangCode
		return err
	}
	if err = st.View(ctx, read); errors.Is(err, store.ErrNotFound) {
		err = st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			if err := read(ctx, tx); !errors.Is(err, store.ErrNotFound) {
				return err
			}
			code = cmp.Or(api.BaseLanguage(), firstBaseLanguage)
			return baseLanguages.Insert(tx, &baseLanguage{theBaseLanguage, code})
		})
		if errors.Is(err, store.ErrConflict) { // another process was first
			err = st.View(ctx, read)
		}
	}
	if wanted := api.BaseLanguage(); err == nil && wanted != "" && wanted != code {
		err = fmt.Errorf("resource: the base language of this database is %s and cannot be changed to %s", code, wanted)
	}
	return code, err
}

// Languages are the languages of a store.
type Languages struct {
	API  *shopapi.API
	Base string
}

// NewLanguages returns the languages of a store whose base language is not read yet.
func NewLanguages(api *shopapi.API) *Languages {
	return &Languages{api, cmp.Or(api.BaseLanguage(), firstBaseLanguage)}
}

// A Language says in which texts are read and written (decisions §15).
type Language struct {
	Asked    string // the one named, or the default one
	Fallback string // the default one
	Base     string
}

// Of returns the language of a context.
func (l *Languages) Of(ctx context.Context) (Language, error) {
	fallback, err := l.API.DefaultLanguage(ctx)
	fallback = cmp.Or(fallback, l.Base)
	return Language{cmp.Or(shopapi.LanguageFrom(ctx), fallback), fallback, l.Base}, err
}

// IsBase reports whether all texts are in the rows of objects, so that no translation is
// read.
func (l Language) IsBase() bool { return l.Asked == l.Base && l.Fallback == l.Base }

// Chain is the languages in the order in which a text is looked for.
func (l Language) Chain() []string {
	chain := []string{l.Asked}
	if l.Fallback != l.Asked {
		chain = append(chain, l.Fallback)
	}
	if l.Base != l.Asked && l.Base != l.Fallback {
		chain = append(chain, l.Base)
	}
	return chain
}

// Others returns the languages of the chain whose texts are translations.
func (l Language) Others() (codes []string) {
	for _, code := range l.Chain() {
		if code != l.Base {
			codes = append(codes, code)
		}
	}
	return codes
}
