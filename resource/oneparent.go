package resource

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A OneParent is the relation of objects that belong to one object of another entity for ever,
// such as the options of a product.
type OneParent struct {
	Entity string // of the parent, such as products
	Column string // of the parent's id, which is also the parameter of lists and of DELETE

	// Required is the problem of a list without a parent.
	Required string

	// Visible reports whether the user of ctx may see the objects below a parent.
	Visible func(ctx context.Context, tx store.Tx, parent int64) (bool, error)
}

// Confine adds the condition that rows belong to one parent that the user may see: the parent
// that the parameter names, or the one that the address leads through.
func (p *OneParent) Confine(w *Where, id *int64) {
	parent := id
	if parent == nil && w.Above != nil && w.Above.Entity == p.Entity {
		parent = &w.Above.ID
	}
	if parent == nil && w.Export {
		return
	}
	if parent == nil {
		w.Problems.Add(p.Column, "%s", p.Required)
		return
	}
	w.Int(p.Column, id)
	visible, err := p.Visible(w.Context, w.Tx, *parent)
	w.SetError(err)
	if !visible {
		w.Add(store.InInts(p.Column))
	}
}

// DeleteOf returns the entity of a collection in which DELETE has the parameters of the filter F:
// where they name another parent than the parent of the object, it is a 404 (decisions §8).
func DeleteOf[T, S, F any](rows Collection[T, S], parent func(*T) int64, named func(*F) *int64) Entity {
	return &deleteOf[T, S, F]{rows.Entity(), rows.(*collection[T, S]), parent, named}
}

// A deleteOf is the entity that [DeleteOf] returns.
type deleteOf[T, S, F any] struct {
	Entity
	c      *collection[T, S]
	parent func(*T) int64
	named  func(*F) *int64
}

// Delete implements [shopapi.Deleter].
func (e *deleteOf[T, S, F]) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	n, err := shopapi.ParseID(e.c.def.Object, id)
	if err != nil {
		return err
	}
	var f F
	if err := r.BindFilter(&f); err != nil {
		return err
	}
	parent := e.named(&f)
	if parent == nil {
		return e.Entity.Delete(ctx, r, id)
	}
	return e.c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		v, err := e.c.GetIn(ctx, tx, n)
		if err != nil {
			return err
		}
		if e.parent(&v) != *parent {
			return e.c.NotFound(n)
		}
		return e.Entity.Delete(ctx, r, id)
	})
}
