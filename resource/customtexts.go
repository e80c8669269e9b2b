package resource

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource/internal/texts"
	"github.com/shopapi/shopapi/store"
)

// settable returns the fields among the names that have translations and that the user may set.
func (x *customFields) settable(user *shopapi.User, names []string) (fields []*customField) {
	if x == nil {
		return nil
	}
	for i := range x.fields {
		f := &x.fields[i]
		if f.Translated && slices.Contains(names, f.Name) && x.canSet(user, f) {
			fields = append(fields, f)
		}
	}
	return fields
}

// clearCustom sets translated custom fields of an object to null, which has the texts of the base
// language.
func (c *collection[T, S]) clearCustom(ctx context.Context, v *T, names []string) {
	for _, f := range c.custom.settable(shopapi.UserFrom(ctx), names) {
		c.customOf(v).Set(f.Name, nil)
	}
}

// removeTexts removes the texts that a row has of its own in a language other than the base one,
// and returns their names in the change log.
func (x *customFields) removeTexts(tx store.Tx, user *shopapi.User, id int64, code string, names []string) (removed []string, err error) {
	fields := x.settable(user, names)
	if len(fields) == 0 {
		return nil, nil
	}
	columns := map[int]store.Value{}
	err = tx.Select(x.texts.All(), &store.Query{Where: []store.Cond{
		store.Equal(store.TextObject, store.Int(id)), texts.InLanguages([]string{code}),
	}}, func(row []store.Value) error {
		for _, f := range fields {
			if !row[f.text].IsNull() {
				columns[f.text] = store.Null
				removed = append(removed, shopapi.TextField{Field: f.Name, Language: code}.Name())
			}
		}
		return nil
	})
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	return removed, texts.Put(tx, x.texts, id, code, columns)
}
