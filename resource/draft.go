package resource

import (
	"cmp"
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// errDrafted ends the transaction of a draft, so that nothing is stored that a hook wrote.
var errDrafted = errors.New("resource: the object is a draft")

// Draft implements [Collection].
func (c *collection[T, S]) Draft(ctx context.Context, r *shopapi.Request, alter func(*T)) (made T, err error) {
	at, err := c.placeOf(ctx, r)
	if err != nil {
		return made, err
	}
	ctx, wrong := c.payloadLanguage(ctx, r)
	bind, err := (&entity[T, S]{c}).binding(ctx, r, nil, wrong)
	if err != nil {
		return made, err
	}
	fill := c.filled(func(ctx context.Context, v *T) error {
		err := bind(ctx, v)
		if alter != nil {
			alter(v)
		}
		return err
	})
	var none T
	draft := func(ctx context.Context, tx store.Tx) error {
		made = none
		var problems shopapi.Problems
		changes, err := c.fillIn(ctx, new(T), &made, fill, at, &problems)
		if err != nil {
			return err
		}
		if err := c.check(ctx, tx, new(T), &made, &problems); err != nil {
			return err
		}
		_, _, err = c.runHooksBefore(ctx, tx, shopapi.OpCreate, &none, &made, changes)
		return err
	}
	ctx = c.api.Confine(ctx)
	err = c.st.View(ctx, draft)
	if errors.Is(err, store.ErrReadOnly) { // a hook of the host writes
		err = c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			return cmp.Or(draft(ctx, tx), errDrafted)
		})
	}
	if errors.Is(err, errDrafted) {
		err = nil
	}
	return orNone(made, err)
}

// orNone returns v, or the zero value with an error.
func orNone[T any](v T, err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return v, nil
}
