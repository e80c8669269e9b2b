package resource

import (
	"context"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A SaveHook runs in the transaction that stores an object. old is nil for a new object.
//
// [Hooks.BeforeSave] adds a hook that runs after the checks and before the object is
// written: a new object has no id yet. It may set in after every field that a PUT of a
// user who sees all companies could set. Fields that hooks set are derived and checked
// like a payload, once; hooks do not run again. Setting another field is an error that
// names the field: the answer is 500, and nothing is stored.
//
// [Hooks.AfterSave] adds a hook that runs after the object is written with its texts and
// its parts: after has its id. Both are copies: nothing that the hook sets in them is stored.
//
// A library error, such as [shopapi.Invalid], refuses the change and is the response; any
// other is a 500. Return errors of the transaction unchanged.
//
// A hook may write other rows, through tables, other collections or the host's SQL in the
// same transaction. As the transaction may run again, so may the hook: it must not change
// anything outside of it.
type SaveHook[T any] func(ctx context.Context, tx store.Tx, old, after *T) error

// A DeleteHook runs in the transaction that deletes an object, before it is deleted, under
// the rules of a [SaveHook].
type DeleteHook[T any] func(ctx context.Context, tx store.Tx, old *T) error

// BeforeSave implements [Collection].
func (c *collection[T, S]) BeforeSave(hook SaveHook[T]) { c.beforeSave = append(c.beforeSave, hook) }

// AfterSave implements [Collection].
func (c *collection[T, S]) AfterSave(hook SaveHook[T]) { c.afterSave = append(c.afterSave, hook) }

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

// runBeforeSave runs the hooks of BeforeSave and reports whether they set a field. after is
// then as they set it, and the same fields are set in draft, which is after as it was before
// it was checked.
func (c *collection[T, S]) runBeforeSave(ctx context.Context, tx store.Tx, op shopapi.Operation, before, after, draft *T) (set bool, err error) {
	hooks := c.reported().beforeSave
	if len(hooks) == 0 {
		return false, nil
	}
	if ctx, err = deeper(ctx, c.def.Name); err != nil {
		return false, err
	}
	for _, hook := range hooks {
		saved := c.cloner.clone(after)
		if err := hook(ctx, tx, c.oldOf(op, before), saved); err != nil {
			return false, err
		}
		fields, err := c.setByHook(after, saved)
		if err != nil {
			return false, err
		}
		for _, f := range fields {
			f.copy(after, saved)
			f.copy(draft, saved)
			set = true
		}
	}
	return set, nil
}

// runAfterSave runs the hooks of AfterSave.
func (c *collection[T, S]) runAfterSave(ctx context.Context, tx store.Tx, op shopapi.Operation, before, after *T) error {
	hooks := c.reported().afterSave
	if len(hooks) == 0 {
		return nil
	}
	ctx, err := deeper(ctx, c.def.Name)
	if err != nil {
		return err
	}
	for _, hook := range hooks {
		if err := hook(ctx, tx, c.oldOf(op, before), c.cloner.clone(after)); err != nil {
			return err
		}
	}
	return nil
}

// oldOf returns what hooks get as the object before a change: a copy, nil for a new one.
func (c *collection[T, S]) oldOf(op shopapi.Operation, before *T) *T {
	if op == shopapi.OpCreate {
		return nil
	}
	return c.cloner.clone(before)
}

// Saved implements [Collection].
func (c *collection[T, S]) Saved(ctx context.Context, tx store.Tx, old, after *T) error {
	if len(c.reported().afterSave) == 0 {
		return nil
	}
	was, is := c.cloner.clone(old), c.cloner.clone(after)
	for _, v := range []*T{was, is} {
		if err := c.load(ctx, tx, v); err != nil {
			return err
		}
	}
	return c.runAfterSave(ctx, tx, shopapi.OpUpdate, was, is)
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
			old = new(T)
			if err := c.def.Table.GetInto(tx, id, old); err != nil {
				return err
			}
			if err := c.texts.Load(ctx, tx, old); err != nil {
				return err
			}
			if err := c.load(ctx, tx, old); err != nil {
				return err
			}
		}
		for _, hook := range hooks {
			if err := hook(ctx, tx, old); err != nil {
				return err
			}
		}
	}
	return nil
}

// moved runs the hooks of [shopapi.API.AfterMove] where the company of an object changed.
func (c *collection[T, S]) moved(ctx context.Context, op shopapi.Operation, before, after *T) error {
	company := c.def.Scope.Company
	if op != shopapi.OpUpdate || company == nil || *company(before) == *company(after) {
		return nil
	}
	return c.api.RunMoveHooks(ctx, c.reported().def.Name, c.id(after), *company(after))
}
