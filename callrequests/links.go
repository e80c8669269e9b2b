package callrequests

import (
	"context"
	"errors"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
)

// A kind is an entity that call requests link to.
type kind struct {
	entity string
	text   func(object any) (string, bool) // reads the shown text of an object
	owned  bool                            // its company must be the request's
}

var (
	anOrder   = &kind{"orders", func(o any) (string, bool) { return shopapi.Field(o, "status") }, true}
	aProduct  = &kind{"products", func(o any) (string, bool) { return shopapi.Field(o, "product") }, true}
	anOfficer = &kind{"users", nameOf, false}
)

func (k *kind) lookup(ctx context.Context, api *shopapi.API, id int64) (any, error) {
	if k.owned {
		return resource.LookupOwned(ctx, api, k.entity, id)
	}
	return api.Lookup(ctx, k.entity, shopapi.FormatID(id))
}

// nameOf returns the name of a user.
func nameOf(user any) (string, bool) {
	first, _ := shopapi.Field(user, "firstname")
	last, _ := shopapi.Field(user, "lastname")
	if name := strings.TrimSpace(first + " " + last); name != "" {
		return name, true
	}
	return shopapi.Field(user, "name")
}

// links look up the objects that call requests link to, as the user of ctx, each object
// once. They serve one transaction.
type links struct {
	api  *shopapi.API
	seen map[link]linked
}

type link struct {
	kind *kind
	id   int64
}

// linked is the part of a linked object that is used here.
type linked struct {
	exists bool
	text   *string // nil without one
}

func linksOf(api *shopapi.API) *links { return &links{api: api, seen: map[link]linked{}} }

func (l *links) follow(ctx context.Context, k *kind, id int64) (linked, error) {
	if found, ok := l.seen[link{k, id}]; ok {
		return found, nil
	}
	found, err := l.lookup(ctx, k, id)
	if err == nil {
		l.seen[link{k, id}] = found
	}
	return found, err
}

func (l *links) lookup(ctx context.Context, k *kind, id int64) (linked, error) {
	if id == 0 {
		return linked{}, nil
	}
	object, err := k.lookup(ctx, l.api, id)
	switch {
	case errors.Is(err, shopapi.ErrNotRegistered):
		return linked{exists: true}, nil // every id is accepted (§12)
	case errors.Is(err, shopapi.ErrNotFound):
		return linked{}, nil
	case err != nil:
		return linked{}, err
	}
	found := linked{exists: true}
	if text, ok := k.text(object); ok {
		found.text = &text
	}
	return found, nil
}

// check adds a problem for the field if id is not 0 and its object does not exist.
func (l *links) check(ctx context.Context, problems *shopapi.Problems, field string, k *kind, id int64) error {
	if id <= 0 {
		return nil
	}
	found, err := l.follow(ctx, k, id)
	if err == nil && !found.exists {
		problems.Add(field, "must be 0 or the id of an object of %s that exists, not %d", k.entity, id)
	}
	return err
}

// fill sets the fields that a request shows of its product and its order.
func (l *links) fill(ctx context.Context, c *CallRequest) error {
	product, err := l.follow(ctx, aProduct, c.ProductID)
	if err != nil {
		return err
	}
	order, err := l.follow(ctx, anOrder, c.OrderID)
	if err != nil {
		return err
	}
	c.Product, c.OrderStatus = product.text, order.text
	return nil
}

// fillAll runs fill for many requests.
func (l *links) fillAll(ctx context.Context, list []CallRequest) error {
	for i := range list {
		if err := l.fill(ctx, &list[i]); err != nil {
			return err
		}
	}
	return nil
}
