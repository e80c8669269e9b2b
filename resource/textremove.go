package resource

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// RemoveTexts implements [shopapi.TextRemover]. The base language has a text of every object,
// which becomes empty.
func (e *entity[T, S]) RemoveTexts(ctx context.Context, id, code string, fields []string) error {
	c := e.c
	if !c.texts.translated() {
		return nil
	}
	ctx = shopapi.WithLanguage(ctx, code)
	key, err := c.IDOf(ctx, id)
	if err != nil {
		return err
	}
	if code == c.texts.languages.base {
		_, err := c.update(ctx, key, plain(func(v *T) error {
			for _, name := range fields {
				if field := c.texts.view.reader.Field(name); slices.Contains(c.texts.view.fields, field) {
					c.def.Table.SetField(v, field, store.String(""))
				}
			}
			return nil
		}), place[T]{}, false)
		return err
	}
	return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := c.read(ctx, tx, key, place[T]{})
		if err != nil {
			return err
		}
		if err := c.authorize(ctx, tx, shopapi.OpUpdate, before); err != nil {
			return err
		}
		names, err := c.texts.remove(tx, before, code, fields)
		if err != nil || len(names) == 0 {
			return err
		}
		after, err := c.read(ctx, tx, key, place[T]{})
		if err != nil {
			return err
		}
		return c.report(ctx, tx, shopapi.OpUpdate, before, after, names)
	})
}

// remove removes the texts that a row has of its own in a language other than the base one,
// and returns the names of the removed texts.
func (t *tableTexts[T]) remove(tx store.Tx, row *T, code string, fields []string) (names []string, err error) {
	found, err := t.view.read(tx, []string{code}, []*T{row})
	if err != nil {
		return nil, err
	}
	values := found[textKey{t.table.Key(row), code}]
	removed := map[int]store.Value{}
	for _, name := range fields {
		field := t.view.reader.Field(name)
		i := slices.Index(t.view.fields, field)
		if i < 0 || values == nil || values[i].Text() == "" {
			continue
		}
		removed[field] = store.String("")
		names = append(names, shopapi.TextField{Field: name, Language: code}.Name())
	}
	if len(removed) == 0 {
		return nil, nil
	}
	return names, t.writeTexts(tx, code, t.table.Key(row), removed)
}
