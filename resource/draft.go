package resource

import (
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
	err = c.st.Update(c.api.Confine(ctx), func(ctx context.Context, tx store.Tx) error {
		made = none
		draft, err := c.prepareNew(ctx, tx, &made, fill, at)
		if err != nil {
			return err
		}
		if _, _, err := c.runHooksBefore(ctx, tx, shopapi.OpCreate, &none, &made, draft); err != nil {
			return err
		}
		return errDrafted
	})
	if errors.Is(err, errDrafted) {
		err = nil
	}
	return orNone(made, err)
}
