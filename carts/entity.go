package carts

import (
	"context"
	"errors"
	"reflect"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An entity serves carts over HTTP. PUT changes lines, and creates a missing cart of a
// registered user (decisions §19).
type entity struct {
	resource.Entity
	carts *Carts
}

// Describe implements [shopapi.Entity].
func (e *entity) Describe() shopapi.Description {
	d := e.Entity.Describe()
	d.Payload, d.Body = nil, reflect.TypeFor[body]()
	return d
}

// Update implements [shopapi.Updater].
func (e *entity) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	n, err := shopapi.ParseID("cart", id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	var problems shopapi.Problems
	entries := entriesOf(r.Payload.Raw("products"), &problems)
	reply := shopapi.Reply{ID: id}
	return reply, e.carts.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		_, err := e.carts.rows.GetIn(ctx, tx, n)
		missing := errors.Is(err, shopapi.ErrNotFound)
		if err != nil && !missing {
			return err
		}
		if missing {
			if err := e.mayMake(ctx, tx, n); err != nil {
				return err
			}
		}
		if err := problems.Err(); err != nil {
			return err
		}
		if len(entries) == 0 && !missing { // the cart may have preconditions
			_, err = e.carts.rows.Update(ctx, n, func(*row) error { return nil })
			return err
		}
		_, err = e.carts.change(ctx, Owner{ID: n}, entries, missing)
		return err
	})
}

// mayMake returns a 404 unless the id belongs to a registered user without a cart.
func (e *entity) mayMake(ctx context.Context, tx store.Tx, id int64) error {
	if IsGuest(id) {
		return e.carts.rows.NotFound(id)
	}
	taken, err := table.Exists(tx, id)
	if err != nil {
		return err
	}
	if taken { // a cart of another company
		return e.carts.rows.NotFound(id)
	}
	_, err = e.carts.owner(ctx, Owner{ID: id})
	if errors.Is(err, shopapi.ErrNotFound) {
		return e.carts.rows.NotFound(id)
	}
	return err
}
