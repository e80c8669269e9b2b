package resource

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// rehearsed is the size of payloads, in bytes, from which an update is rehearsed.
const rehearsed = 32 << 10

// rehearse applies an update in a snapshot and checks it, and returns its error. A large payload
// takes tens of milliseconds to read and to check: a refused one would keep all other writers
// waiting in the transaction, where an accepted one is read and checked again.
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

// inSnapshot runs a check that belongs into a transaction in a snapshot before it. A check that writes
// is left to the transaction, and within a transaction nothing is checked before it.
func (c *collection[T, S]) inSnapshot(ctx context.Context, check func(context.Context, store.Tx) error) error {
	if driver.InUpdate(ctx, driver.Innermost(c.st)) {
		return nil
	}
	err := c.short(c.api.Confine(ctx), check)
	if errors.Is(err, store.ErrReadOnly) {
		return nil
	}
	return err
}

// rehearseNew checks a new object in a snapshot, as rehearse does.
func (c *collection[T, S]) rehearseNew(ctx context.Context, fill func(context.Context, *T) error, at place[T]) error {
	return c.inSnapshot(ctx, func(ctx context.Context, tx store.Tx) error {
		none, created := new(T), new(T)
		var problems shopapi.Problems
		if _, err := c.fillIn(ctx, none, created, c.filled(fill), at, &problems); err != nil {
			return err
		}
		return c.check(ctx, tx, none, created, &problems)
	})
}

// Ready implements [Entity].
func (e *entity[T, S]) Ready(ctx context.Context, r *shopapi.Request, id string) error {
	if driver.InUpdate(ctx, driver.Innermost(e.c.st)) {
		return nil
	}
	if prepare := e.Preparation(); prepare != nil {
		result, err := prepare(ctx, r, id)
		if err != nil {
			return err
		}
		r.SetPrepared(result)
	}
	if r.Payload.Size() < rehearsed || id == "" && r.IdempotencyKey() != "" {
		return nil
	}
	at, err := e.c.placeOf(ctx, r)
	if err != nil {
		return err
	}
	ctx, wrong := e.c.payloadLanguage(ctx, r)
	bind, err := e.binding(ctx, r, nil, wrong)
	if err != nil {
		return err
	}
	if id == "" {
		return e.c.rehearseNew(ctx, bind, at)
	}
	n, err := e.c.IDOf(ctx, id)
	if err != nil {
		return err
	}
	return e.c.rehearse(ctx, n, bind, at)
}
