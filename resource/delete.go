package resource

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource/internal/texts"
	"github.com/shopapi/shopapi/store"
)

// Delete implements [Collection].
func (c *collection[T, S]) Delete(ctx context.Context, id int64) error {
	return c.remove(ctx, id, place[T]{})
}

func (c *collection[T, S]) remove(ctx context.Context, id int64, at place[T]) error {
	ctx = c.api.Confine(ctx)
	return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		c.api.ReadRecorderAhead(ctx, tx)
		v, err := c.read(ctx, tx, id, at)
		if err != nil {
			return err
		}
		if err := c.authorize(ctx, tx, shopapi.OpDelete, v); err != nil {
			return err
		}
		return shopapi.CheckPreconditions(ctx, func() error { return c.removeIn(ctx, tx, v) })
	})
}

// removeIn removes an object that was read, in a transaction.
func (c *collection[T, S]) removeIn(ctx context.Context, tx store.Tx, v *T) (err error) {
	ids := []int64{c.id(v)}
	if c.def.Rows.Subtree != nil {
		if ids, err = c.def.Rows.Subtree(ctx, tx, v); err != nil {
			return err
		}
	}
	ctx = texts.Deleting(ctx)
	if err := c.runDeleteHooks(ctx, tx, v, ids); err != nil {
		return err
	}
	if err := c.api.RunDeleteHooks(ctx, c.reported().def.Name, ids...); err != nil {
		return err
	}
	for _, gone := range ids {
		code := shopapi.FormatID(gone)
		if gone == c.id(v) {
			code = c.code(v)
		}
		c.api.Changed(ctx, c.reported().def.Name, shopapi.OpDelete, code)
	}
	if err := c.texts.Delete(tx, ids...); err != nil {
		return err
	}
	if c.def.Rows.Remove != nil {
		return c.def.Rows.Remove(ctx, tx, v)
	}
	return c.def.Table.DeleteKey(tx, c.id(v))
}
