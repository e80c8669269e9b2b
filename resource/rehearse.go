package resource

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// rehearsed is the size of payloads, in bytes, from which an update is rehearsed.
const rehearsed = 32 << 10

// rehearse applies an update in a snapshot and checks it, and returns its error. A large payload
// takes tens of milliseconds to read and to check: one that is refused would keep all other writers
// waiting in the transaction. What passes is read and checked again there.
func (c *collection[T, S]) rehearse(ctx context.Context, id int64, change func(context.Context, *T) error, at place[T]) error {
	return c.inSnapshot(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := c.read(ctx, tx, id, at)
		if err != nil {
			return err
		}
		if err := c.authorize(ctx, tx, shopapi.OpUpdate, before); err != nil {
			return err
		}
		return shopapi.CheckPreconditions(ctx, func() error {
			_, _, _, err := c.alter(ctx, tx, before, change, at)
			return err
		})
	})
}

// inSnapshot runs a check that belongs into a transaction in a snapshot. One that writes is left to
// the transaction.
func (c *collection[T, S]) inSnapshot(ctx context.Context, check func(context.Context, store.Tx) error) error {
	err := store.ShortView(c.api.Confine(ctx), c.st, check)
	if errors.Is(err, store.ErrReadOnly) {
		return nil
	}
	return err
}

// refuseNew returns the problems of a new object whose payload itself is wrong. It checks the
// object in a snapshot: a request that is refused keeps no writer waiting.
func (c *collection[T, S]) refuseNew(ctx context.Context, fill func(context.Context, *T) error, at place[T]) error {
	return c.inSnapshot(ctx, func(ctx context.Context, tx store.Tx) error {
		_, err := c.prepareNew(ctx, tx, new(T), fill, at)
		return err
	})
}
