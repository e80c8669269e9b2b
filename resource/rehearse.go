package resource

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// rehearsed is the size of payloads, in bytes, from which an update is rehearsed.
const rehearsed = 32 << 10

// rehearse applies an update in a snapshot, and returns its error if the payload itself is wrong:
// other problems are left to the transaction. A large payload takes tens of milliseconds to read.
// In the transaction it would keep all other writers waiting.
func (c *collection[T, S]) rehearse(ctx context.Context, id int64, change func(context.Context, *T) error, at place[T]) error {
	ctx = c.api.Confine(ctx)
	return store.ShortView(ctx, c.st, func(ctx context.Context, tx store.Tx) error {
		before, err := c.read(ctx, tx, id, at)
		if err != nil {
			return err
		}
		if err := c.authorize(ctx, tx, shopapi.OpUpdate, before); err != nil {
			return err
		}
		return shopapi.CheckPreconditions(ctx, func() error {
			var problems shopapi.Problems
			after, _, err := c.apply(ctx, before, change, at, &problems)
			if err != nil {
				return err
			}
			if c.rules.Check(after, &problems); problems.Err() == nil {
				return nil
			}
			_, _, _, err = c.alter(ctx, tx, before, change, at) // with the problems of all fields
			return err
		})
	})
}

// refuseNew returns the problems of a new object whose payload itself is wrong. It checks the
// object in a snapshot: a request that is refused keeps no writer waiting.
func (c *collection[T, S]) refuseNew(ctx context.Context, fill func(context.Context, *T) error, at place[T]) error {
	return store.ShortView(c.api.Confine(ctx), c.st, func(ctx context.Context, tx store.Tx) error {
		_, err := c.prepareNew(ctx, tx, new(T), fill, at)
		return err
	})
}
