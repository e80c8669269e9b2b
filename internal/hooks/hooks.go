// Package hooks has the functions that run before objects of an entity are deleted, and after
// one has moved to another company.
package hooks

import (
	"context"
	"maps"
	"slices"
)

// The functions. A [Delete] gets the ids of the objects, a [Move] the id of the object and its
// new company.
type (
	Delete func(ctx context.Context, ids []int64) error
	Move   func(ctx context.Context, id, company int64) error
)

// Hooks are the functions by the name of the entity. The zero value has none.
type Hooks struct {
	refuse, remove map[string][]Delete
	moved          map[string][]Move
}

// Refuse adds a function that may prevent a deletion. Like [Hooks.Remove] and [Hooks.Moved], it
// panics without a function.
func (h *Hooks) Refuse(entity string, fn Delete) { add(&h.refuse, "RefuseDelete", entity, fn) }

// Remove adds a function that deletes dependent objects.
func (h *Hooks) Remove(entity string, fn Delete) { add(&h.remove, "BeforeDelete", entity, fn) }

// Moved adds a function that moves dependent objects.
func (h *Hooks) Moved(entity string, fn Move) { add(&h.moved, "AfterMove", entity, fn) }

// add adds a function that a host registers with a method of the API.
func add[F Delete | Move](to *map[string][]F, method, entity string, fn F) {
	if fn == nil {
		panic("shopapi: " + method + " of " + entity + " without a function")
	}
	if *to == nil {
		*to = map[string][]F{}
	}
	(*to)[entity] = append((*to)[entity], fn)
}

// Entities returns the names of the entities that have functions, in any order.
func (h *Hooks) Entities() []string {
	return slices.Concat(names(h.refuse), names(h.remove), names(h.moved))
}

func names[F any](by map[string][]F) []string { return slices.Collect(maps.Keys(by)) }

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
