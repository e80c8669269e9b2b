package resource

import (
	"context"
	"errors"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/resource/internal/texts"
	"github.com/shopapi/shopapi/store"
)

// loadCustom sets the custom fields of objects.
func (c *collection[T, S]) loadCustom(ctx context.Context, tx store.Tx, objects ...*T) error {
	if c.customOf == nil {
		return nil
	}
	ids, into := make([]int64, len(objects)), make([]*shopapi.Custom, len(objects))
	for i, v := range objects {
		ids[i], into[i] = c.id(v), c.customOf(v)
	}
	return c.custom.load(ctx, tx, ids, into)
}

// loadCustomItems sets the custom fields of items of lists.
func (c *collection[T, S]) loadCustomItems(ctx context.Context, tx store.Tx, list []S) error {
	if c.customOf == nil {
		return nil
	}
	ids, into := make([]int64, len(list)), make([]*shopapi.Custom, len(list))
	for i := range list {
		ids[i], into[i] = c.def.List.Items.Key(&list[i]), c.customItem(&list[i])
	}
	return c.custom.load(ctx, tx, ids, into)
}

// load reads the fields of rows in the language of ctx, in at most two reads. Answers show
// the fields that the user of ctx sees.
func (x *customFields) load(ctx context.Context, tx store.Tx, ids []int64, into []*shopapi.Custom) error {
	wanted := slices.ContainsFunc(x.fields, func(f customField) bool {
		return Wants(ctx, f.Name) || f.isOfCustomer() && Wants(ctx, field.CustomerMember)
	})
	if len(ids) == 0 || !wanted {
		return nil
	}
	at := make(map[int64][]int, len(ids))
	shown := shopapi.CustomFieldsFor(shopapi.UserFrom(ctx), x.shown)
	for i, id := range ids {
		*into[i] = shopapi.Custom{}
		into[i].Show(shown)
		into[i].ShowCustomer(x.ofUser)
		at[id] = append(at[id], i)
	}
	set := func(row []store.Value) error {
		for j := range x.fields {
			if value := x.fields[j].value(row[1+j]); value != nil {
				for _, i := range at[row[0].Int()] {
					into[i].Set(x.fields[j].Name, value)
				}
			}
		}
		return nil
	}
	if len(ids) == 1 {
		row := make([]store.Value, len(x.schema.Columns))
		switch err := tx.Get(x.schema.All(), ids[0], row); {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case err != nil:
			return err
		}
		set(row)
	} else if err := tx.Select(x.schema.All(), &store.Query{Where: []store.Cond{store.InInts(x.schema.Key(), ids...)}}, set); err != nil {
		return err
	}
	return x.loadTexts(ctx, tx, ids, at, into)
}

// loadTexts replaces texts of the base language by the first in the chain of languages.
func (x *customFields) loadTexts(ctx context.Context, tx store.Tx, ids []int64, at map[int64][]int, into []*shopapi.Custom) error {
	if x.texts == nil {
		return nil
	}
	l, err := x.base.Of(ctx)
	if err != nil || l.IsBase() {
		return err
	}
	found := map[texts.Key][]store.Value{}
	err = tx.Select(x.texts.All(), &store.Query{Where: []store.Cond{
		store.InInts(store.TextObject, ids...), texts.InLanguages(l.Others()),
	}}, func(row []store.Value) error {
		found[texts.Key{Object: row[1].Int(), Code: row[2].Text()}] = slices.Clone(row)
		return nil
	})
	if err != nil || len(found) == 0 {
		return err
	}
	for id, places := range at {
		for j := range x.fields {
			f := &x.fields[j]
			if !f.Translated {
				continue
			}
			for _, code := range l.Chain() {
				if code == l.Base {
					if _, ok := into[places[0]].Text(f.Name); ok {
						break
					}
					continue
				}
				if row := found[texts.Key{Object: id, Code: code}]; row != nil && !row[f.text].IsNull() {
					for _, i := range places {
						into[i].Set(f.Name, row[f.text].Text())
					}
					break
				}
			}
		}
	}
	return nil
}

// value returns the Go value of a column, nil for null.
func (f *customField) value(v store.Value) any {
	switch {
	case v.IsNull():
		return nil
	case f.Type == shopapi.CustomNumber:
		return v.Int()
	case f.Type == shopapi.CustomAmount:
		return decimal.MustNew(v.Int(), f.column.Scale)
	case f.Type == shopapi.CustomFlag:
		return shopapi.Flag(v.Int() != 0)
	}
	return v.Text()
}

// stored returns the value of a column for a value in Go.
func (f *customField) stored(value any) store.Value {
	switch v := value.(type) {
	case int64:
		return store.Int(v)
	case decimal.Decimal:
		return amountValue(v)
	case shopapi.Flag:
		return store.Bool(bool(v))
	case string:
		return store.String(v)
	}
	return store.Null
}

// write stores the fields of a row that is in its table already. Translated texts go to the
// language of ctx; the texts of a new row also to the base language.
func (x *customFields) write(ctx context.Context, tx store.Tx, id int64, isNew bool, before, after *shopapi.Custom) error {
	if before.Equal(*after) {
		return nil
	}
	l, err := x.base.Of(ctx)
	if err != nil {
		return err
	}
	row := make([]store.Value, len(x.schema.Columns))
	if err := tx.Get(x.schema.All(), id, row); err != nil {
		return err
	}
	translated := map[int]store.Value{}
	for i := range x.fields {
		f := &x.fields[i]
		value := f.stored(after.Get(f.Name))
		inBase := !f.Translated || l.Asked == l.Base
		if !inBase && value != f.stored(before.Get(f.Name)) {
			translated[f.text] = value
		}
		if inBase || isNew {
			row[1+i] = value
		}
	}
	if err := tx.Update(x.schema, row); err != nil || len(translated) == 0 {
		return err
	}
	return texts.Put(tx, x.texts, id, l.Asked, translated)
}
