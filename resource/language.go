package resource

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

var baseLanguages = store.MustTable[baseLanguage]("base_language")

const (
	theBaseLanguage   = 1
	firstBaseLanguage = "en" // of databases for which the host names none
)

// BaseLanguage returns the base language of a store, and sets it where the store is
// new: to [shopapi.Options.BaseLanguage], else en. It returns an error where the store
// has another one than the options say.
func BaseLanguage(ctx context.Context, api *shopapi.API, st store.Store) (string, error) {
	if err := st.Migrate(ctx, baseLanguages.Schema()); err != nil {
		return "", err
	}
	return readBaseLanguage(ctx, api, st)
}

// readBaseLanguage is BaseLanguage of a store that has the table.
func readBaseLanguage(ctx context.Context, api *shopapi.API, st store.Store) (code string, err error) {
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

// languages are the languages of a store.
type languages struct {
	api  *shopapi.API
	base string
}

// A language says in which texts are read and written (decisions §15).
type language struct {
	asked    string // the one named, or the default one
	fallback string // the default one
	base     string
}

// of returns the language of a context.
func (l *languages) of(ctx context.Context) (language, error) {
	fallback, err := l.api.DefaultLanguage(ctx)
	fallback = cmp.Or(fallback, l.base)
	return language{cmp.Or(shopapi.LanguageFrom(ctx), fallback), fallback, l.base}, err
}

// isBase reports whether all texts are in the rows of objects, so that no translation is
// read.
func (l language) isBase() bool { return l.asked == l.base && l.fallback == l.base }

// chain is the languages in the order in which a text is looked for.
func (l language) chain() []string {
	chain := []string{l.asked}
	if l.fallback != l.asked {
		chain = append(chain, l.fallback)
	}
	if l.base != l.asked && l.base != l.fallback {
		chain = append(chain, l.base)
	}
	return chain
}

// others returns the languages of the chain whose texts are translations.
func (l language) others() (codes []string) {
	for _, code := range l.chain() {
		if code != l.base {
			codes = append(codes, code)
		}
	}
	return codes
}

// payloadLanguage returns the context of a write in the language that its payload names,
// else in the language of the request, and the problem of an invalid name.
func (c *collection[T, S]) payloadLanguage(ctx context.Context, r *shopapi.Request) (context.Context, error) {
	if !c.texts.translated() {
		return ctx, nil
	}
	var problems shopapi.Problems
	if code := r.PayloadLanguage(&problems); code != "" {
		ctx = shopapi.WithLanguage(ctx, code)
	}
	return ctx, problems.Err()
}

// dropLanguages removes the texts that objects of an entity have in languages that are
// about to be deleted.
func dropLanguages(api *shopapi.API, st store.Store, entity string, texts *store.Schema) shopapi.DeleteFunc {
	return func(ctx context.Context, ids []int64) error {
		return st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			for _, id := range ids {
				object, err := api.Lookup(ctx, "languages", shopapi.FormatID(id))
				if err != nil {
					return err
				}
				if code, ok := shopapi.Field(object, store.TextLanguage); ok {
					n, err := tx.Delete(texts, []store.Cond{store.Equal(store.TextLanguage, store.String(code))})
					if err != nil {
						return err
					}
					if n > 0 {
						api.RecordAll(ctx, entity)
					}
				}
			}
			return nil
		})
	}
}
