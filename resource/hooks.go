package resource

import (
	"context"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A SaveHook runs in the transaction that stores an object, after the checks. old
// is nil for a new object, whose id is not given yet; after is a copy: what the
// hook changes in it is not stored. A library error, such as [shopapi.Invalid],
// refuses and is the answer; any other is a 500. Errors of the transaction are
// returned as they came.
//
// A hook may write other rows, through tables, other collections or SQL of the
// host's own in the same transaction. As that may run again, so may the hook: it
// touches nothing outside of it.
type SaveHook[T any] func(ctx context.Context, tx store.Tx, old, after *T) error

// A DeleteHook runs in the transaction that deletes an object, before it goes, as a
// [SaveHook] does.
type DeleteHook[T any] func(ctx context.Context, tx store.Tx, old *T) error

// BeforeSave implements [Collection].
func (c *collection[T, S]) BeforeSave(hook SaveHook[T]) { c.beforeSave = append(c.beforeSave, hook) }

// BeforeDelete implements [Collection].
func (c *collection[T, S]) BeforeDelete(hook DeleteHook[T]) {
	c.beforeDelete = append(c.beforeDelete, hook)
}

// maxDepth is how deep hooks may save objects whose hooks save others.
const maxDepth = 8

type depthKey struct{}

// deeper returns the context of hooks, one level deeper. It fails where hooks save
// each other's objects without an end.
func deeper(ctx context.Context, entity string) (context.Context, error) {
	depth, _ := ctx.Value(depthKey{}).(int)
	if depth >= maxDepth {
		return ctx, fmt.Errorf("resource: hooks of %s save or delete objects more than %d levels deep", entity, maxDepth)
	}
	return context.WithValue(ctx, depthKey{}, depth+1), nil
}

func (c *collection[T, S]) runSaveHooks(ctx context.Context, tx store.Tx, op shopapi.Operation, before, after *T) error {
	hooks := c.reported().beforeSave
	if len(hooks) == 0 {
		return nil
	}
	ctx, err := deeper(ctx, c.def.Name)
	if err != nil {
		return err
	}
	for _, hook := range hooks {
		old, saved := c.cloner.clone(before), c.cloner.clone(after)
		if op == shopapi.OpCreate {
			err = hook(ctx, tx, nil, &saved)
		} else {
			err = hook(ctx, tx, &old, &saved)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *collection[T, S]) runDeleteHooks(ctx context.Context, tx store.Tx, v *T, ids []int64) error {
	hooks := c.reported().beforeDelete
	if len(hooks) == 0 {
		return nil
	}
	ctx, err := deeper(ctx, c.def.Name)
	if err != nil {
		return err
	}
	for _, id := range ids {
		old := c.cloner.clone(v)
		if id != c.id(v) {
			if old, err = c.def.Table.Get(tx, id); err != nil {
				return err
			}
			if err := c.texts.Load(ctx, tx, &old); err != nil {
				return err
			}
			if err := c.load(ctx, tx, &old); err != nil {
				return err
			}
		}
		for _, hook := range hooks {
			if err := hook(ctx, tx, &old); err != nil {
				return err
			}
		}
	}
	return nil
}
