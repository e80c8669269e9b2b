package texts

import (
	"context"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// maxDropped is how many texts the deletion of a language removes, of all entities together, in the
// transaction for which others' changes wait. The host's own code has no limit.
const maxDropped = 7_500

type droppedKey struct{}

// Deleting returns the context of a deletion, in which texts of all entities are counted together.
func Deleting(ctx context.Context) context.Context {
	if _, ok := ctx.Value(droppedKey{}).(*int64); ok {
		return ctx
	}
	return context.WithValue(ctx, droppedKey{}, new(int64))
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
					if err := drop(ctx, tx, api, entity, texts, code); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
}

// drop removes the texts that objects of an entity have in one language.
func drop(ctx context.Context, tx store.Tx, api *shopapi.API, entity string, texts *store.Schema, code string) error {
	in := []store.Cond{store.Equal(store.TextLanguage, store.String(code))}
	n, err := tx.Count(texts, in)
	if err != nil || n == 0 {
		return err
	}
	if all, ok := ctx.Value(droppedKey{}).(*int64); ok {
		*all += n
		n = *all
	}
	if n > maxDropped && shopapi.UserFrom(ctx) != nil {
		return shopapi.Errorf(http.StatusBadRequest, "The language %s cannot be deleted: more than %d objects have texts in it, and a deletion removes at most so many. Disable it (status D), or delete it by the program of the shop.", code, maxDropped)
	}
	if _, err = tx.Delete(texts, in); err == nil {
		api.RecordAll(ctx, entity)
	}
	return err
}
