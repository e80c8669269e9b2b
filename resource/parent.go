package resource

import (
	"context"
	"fmt"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Parent says how the objects of an entity of type T lie below the objects of
// another one. Functions that are nil have nothing to say: under a storefront or a
// vendor the context is confined to its company already.
type Parent[T any] struct {
	// Entity is the parent's name, such as "products".
	Entity string

	// Where adds the conditions of a list below an object.
	Where func(w *Where, above ParentRef)

	// Contains reports whether an object lies below another; it is a 404 where not.
	Contains func(ctx context.Context, tx store.Tx, above ParentRef, v *T) (bool, error)

	// SetParent sets the parent of an object that is to be stored if the object names
	// none, and reports a conflicting one.
	SetParent func(above ParentRef, v *T, problems *shopapi.Problems)

	// AnyCompany means that all objects below a parent belong to the parent's company,
	// whatever their own company_id: they are visible to the company that owns the
	// parent. Other companies get a 404 for the parent here, even if its entity shows it.
	AnyCompany bool

	byColumn *byColumn // of ByColumn
}

// A byColumn is what [ByColumn] was given, which is checked once the table is known.
type byColumn struct {
	column  string
	noField bool
}

// check finds a mistake in the parent of an entity with a table.
func (p *Parent[T]) check(entity string, s *store.Schema) error {
	if p.byColumn == nil {
		return nil
	}
	if i := s.Index(p.byColumn.column); i < 0 || s.Columns[i].Kind != store.Integer {
		return fmt.Errorf("resource: %s below %s: %q is not a column of whole numbers in the table of %[1]s", entity, p.Entity, p.byColumn.column)
	}
	if p.byColumn.noField {
		return fmt.Errorf("resource: %s below %s: ByColumn needs the function that returns the field", entity, p.Entity)
	}
	return nil
}

// A ParentRef is the object that an address leads through, as its entity answered it.
type ParentRef struct {
	Entity string
	ID     int64
	Data   any
}

// ByColumn is the [Parent] of objects that refer to it in a column: below it are the
// objects with its id in the column, and objects created there get its id.
func ByColumn[T any](entity, column string, field func(*T) *int64) Parent[T] {
	return Parent[T]{
		Entity:   entity,
		byColumn: &byColumn{column, field == nil},
		Where:    func(w *Where, above ParentRef) { w.Add(store.Equal(column, store.Int(above.ID))) },
		Contains: func(_ context.Context, _ store.Tx, above ParentRef, v *T) (bool, error) {
			return *field(v) == above.ID, nil
		},
		SetParent: func(above ParentRef, v *T, problems *shopapi.Problems) {
			switch id := field(v); *id {
			case 0:
				*id = above.ID
			case above.ID:
			default:
				problems.Add(column, "must be that of the address, %d, not %d", above.ID, *id)
			}
		},
	}
}

// Companies are the [Parent]s of entities that are reached under the storefronts
// and vendors whose they are (decisions §11, §21).
func Companies[T any]() []Parent[T] {
	return []Parent[T]{{Entity: "stores"}, {Entity: "vendors"}}
}

// A place is where an address looks for objects: below another object, or
// anywhere, which the zero place is.
type place[T any] struct {
	parent *Parent[T]
	above  ParentRef
	custom []store.Cond // by custom fields
}

// placeOf returns the place in the address of a request: below the last parent. An
// unknown parent is a 404.
func (c *collection[T, S]) placeOf(ctx context.Context, r *shopapi.Request) (place[T], error) {
	parent, nested := r.Parent()
	if !nested {
		return place[T]{}, nil
	}
	for i := range c.parents {
		if c.parents[i].Entity != parent.Entity {
			continue
		}
		object := "object of " + parent.Entity
		if c.parents[i].AnyCompany && !Owned(ctx, parent.Data) {
			return place[T]{}, shopapi.NotFound(object, parent.ID)
		}
		id, err := shopapi.ParseID(object, parent.ID)
		return place[T]{parent: &c.parents[i], above: ParentRef{parent.Entity, id, parent.Data}}, err
	}
	return place[T]{}, shopapi.Errorf(http.StatusNotFound, "There is no entity named %s under %s.", c.def.Name, parent.Entity)
}

func (p place[T]) anyCompany() bool { return p.parent != nil && p.parent.AnyCompany }

func (p place[T]) where(w *Where) {
	w.Add(p.custom...)
	if p.parent == nil {
		return
	}
	w.Above = &p.above
	if p.parent.Where != nil {
		p.parent.Where(w, p.above)
	}
}

func (p place[T]) holds(ctx context.Context, tx store.Tx, v *T) (bool, error) {
	if p.parent == nil || p.parent.Contains == nil {
		return true, nil
	}
	return p.parent.Contains(ctx, tx, p.above, v)
}

func (p place[T]) enter(v *T, problems *shopapi.Problems) {
	if p.parent != nil && p.parent.SetParent != nil {
		p.parent.SetParent(p.above, v, problems)
	}
}
