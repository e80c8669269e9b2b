package resource

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// code is what addresses call an object: its id, or the text of [Wire.Code].
func (c *collection[T, S]) code(v *T) string {
	if c.def.Wire.Code == "" {
		return shopapi.FormatID(c.id(v))
	}
	value, err := c.def.Table.FieldValue(v, c.def.Table.Field(c.def.Wire.Code))
	if err != nil { // a text has a value
		return ""
	}
	return value.Text()
}

// IDOf implements [Collection].
func (c *collection[T, S]) IDOf(ctx context.Context, code string) (id int64, err error) {
	if c.def.Wire.Code == "" {
		return shopapi.ParseID(c.def.Object, code)
	}
	err = c.short(ctx, func(_ context.Context, tx store.Tx) error {
		v, err := c.def.Table.First(tx, store.Query{Where: []store.Cond{store.Equal(c.def.Wire.Code, store.String(code))}})
		id = c.id(&v)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = shopapi.NotFound(c.def.Object, code)
	}
	return id, err
}
