// Package hooks has the functions that run before objects of an entity are deleted, and after
// one has moved to another company.
package hooks

import (
	"context"
	"fmt"
	"slices"
)

// The functions. A [Delete] gets the ids of the objects, a [Move] the id of the object and its
// new company.
type (
	Delete func(ctx context.Context, ids []int64) error
	Move   func(ctx context.Context, id, company int64) error
)

// OfInterface are the names of the entities of the interface: functions may wait for their deletion
// without them.
var OfInterface = []string{
	"auth", "blocks", "call_requests", "carts", "categories", "combinations", "discussions", "exceptions", "features",
	"languages", "langvars", "master_product_offers", "master_products", "options", "orders", "pages", "payments",
	"product_variations", "product_variations_groups", "products", "settings", "shipments", "shippings", "statuses",
	"stores", "taxes", "usergroups", "users", "vendors",
}

// Check finds mistakes in a call of a method of the API that adds a function for an entity.
func Check(method, entity string, isNil bool, registered []string) error {
	switch {
	case isNil:
		return fmt.Errorf("shopapi: %s of %q: the function is nil", method, entity)
	case !slices.Contains(OfInterface, entity) && !slices.Contains(registered, entity):
		return fmt.Errorf("shopapi: %s of %q: no entity has this name. Register an entity of your own before", method, entity)
	}
	return nil
}

// Hooks are the functions by the name of the entity. The zero value has none.
type Hooks struct {
	refuse, remove map[string][]Delete
	moved          map[string][]Move
}

// Refuse adds a function that may prevent a deletion.
func (h *Hooks) Refuse(entity string, fn Delete) { add(&h.refuse, entity, fn) }

// Remove adds a function that deletes dependent objects.
func (h *Hooks) Remove(entity string, fn Delete) { add(&h.remove, entity, fn) }

// Moved adds a function that moves dependent objects.
func (h *Hooks) Moved(entity string, fn Move) { add(&h.moved, entity, fn) }

func add[F any](to *map[string][]F, entity string, fn F) {
	if *to == nil {
		*to = map[string][]F{}
	}
	(*to)[entity] = append((*to)[entity], fn)
}

// OnDelete reports whether a deletion runs functions.
func (h *Hooks) OnDelete(entity string) bool { return len(h.refuse[entity])+len(h.remove[entity]) > 0 }

// RunDelete runs the functions of a deletion: all refusals, then all removals.
func (h *Hooks) RunDelete(ctx context.Context, entity string, ids []int64) error {
	for _, list := range [][]Delete{h.refuse[entity], h.remove[entity]} {
		for _, fn := range list {
			if err := fn(ctx, ids); err != nil {
				return err
			}
		}
	}
	return nil
}

// RunMove runs the functions of a move.
func (h *Hooks) RunMove(ctx context.Context, entity string, id, company int64) error {
	for _, fn := range h.moved[entity] {
		if err := fn(ctx, id, company); err != nil {
			return err
		}
	}
	return nil
}
