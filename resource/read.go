package resource

import (
	"context"
	"errors"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// Get implements [Collection].
func (c *collection[T, S]) Get(ctx context.Context, id int64) (object T, err error) {
	if ctx, err = c.readContext(withChoice(ctx, nil)); err != nil {
		return object, err
	}
	err = c.short(ctx, func(ctx context.Context, tx store.Tx) error {
		v, err := c.read(ctx, tx, id, place[T]{})
		object = valueOf(v)
		return err
	})
	return object, err
}

// readContext returns the context of a read. It asks for the language before the read begins a
// transaction: settings are cached from reads outside of one.
func (c *collection[T, S]) readContext(ctx context.Context) (context.Context, error) {
	ctx = c.api.Confine(ctx)
	if _, ok := driver.Joined(ctx, c.st); ok { // asks for the language where it needs it
		return ctx, nil
	}
	return ctx, c.texts.Prepare(ctx)
}

// Changeable implements [Collection].
func (c *collection[T, S]) Changeable(ctx context.Context, id int64) (T, error) {
	v, err := c.changeable(ctx, id, place[T]{})
	return valueOf(v), err
}

// changeable is Changeable below the parents in an address. The object is nil with an error.
func (c *collection[T, S]) changeable(ctx context.Context, id int64, at place[T]) (v *T, err error) {
	err = c.short(c.api.Confine(ctx), func(ctx context.Context, tx store.Tx) error {
		if v, err = c.read(ctx, tx, id, at); err != nil {
			return err
		}
		return c.authorize(ctx, tx, shopapi.OpUpdate, v)
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// GetIn implements [Collection].
func (c *collection[T, S]) GetIn(ctx context.Context, tx store.Tx, id int64) (T, error) {
	v, err := c.read(c.api.Confine(ctx), tx, id, place[T]{})
	return valueOf(v), err
}

// read reads an object in a transaction. It returns a 404 if the object does not exist,
// if the user may not see it, or if it does not lie below the parents in the address.
func (c *collection[T, S]) read(ctx context.Context, tx store.Tx, id int64, at place[T]) (*T, error) {
	v := new(T)
	err := c.reader(ctx).GetInto(tx, id, v)
	if errors.Is(err, store.ErrNotFound) {
		return nil, c.NotFound(id)
	}
	if err != nil {
		return nil, err
	}
	visible, err := c.visible(ctx, tx, v, at)
	if err != nil {
		return nil, err
	}
	if visible {
		if err := c.texts.Load(ctx, tx, v); err != nil {
			return nil, err
		}
		if err := c.load(ctx, tx, v); err != nil {
			return nil, err
		}
		visible, err = at.holds(ctx, tx, v)
	}
	switch {
	case err != nil:
		return nil, err
	case !visible:
		return nil, c.NotFound(id)
	}
	return v, nil
}

// valueOf returns the object that v points to, the zero object for nil.
func valueOf[T any](v *T) (object T) {
	if v != nil {
		object = *v
	}
	return object
}

// load fills the fields of an object that are not columns of T.
func (c *collection[T, S]) load(ctx context.Context, tx store.Tx, v *T) error {
	if err := c.loadCustom(ctx, tx, v); err != nil {
		return err
	}
	if c.def.Rows.Load != nil {
		if err := c.def.Rows.Load(ctx, tx, c.def.List.Item(v)); err != nil {
			return err
		}
	}
	if c.def.Rows.LoadDetails == nil {
		return nil
	}
	return c.def.Rows.LoadDetails(ctx, tx, v)
}

func (c *collection[T, S]) visible(ctx context.Context, tx store.Tx, v *T, at place[T]) (bool, error) {
	switch {
	case at.anyCompany():
		return true, nil
	case c.def.Scope.Company != nil:
		company := *c.def.Scope.Company(v)
		return Visible(ctx, company) || c.shared(ctx) && company == c.api.DefaultCompany(), nil
	case c.def.Scope.Visible != nil:
		return c.def.Scope.Visible(ctx, tx, v)
	}
	return true, nil
}

// visibleConds restricts a list to the rows that the user may see.
func (c *collection[T, S]) visibleConds(ctx context.Context, at place[T]) []store.Cond {
	switch {
	case at.anyCompany():
		return nil
	case c.def.Scope.Company != nil && c.shared(ctx):
		return []store.Cond{store.InInts("company_id", shopapi.UserFrom(ctx).CompanyID, c.api.DefaultCompany())}
	case c.def.Scope.Company != nil:
		return VisibleConds(ctx)
	case c.def.Scope.VisibleConds != nil:
		return c.def.Scope.VisibleConds(ctx)
	}
	return nil
}

// shared reports whether the objects of the default company are visible in ctx in
// addition to the user's own company.
func (c *collection[T, S]) shared(ctx context.Context) bool {
	return c.def.Scope.VendorReadable && shopapi.UserFrom(ctx).IsVendor()
}

// authorize returns an error unless the user of ctx may change an object.
func (c *collection[T, S]) authorize(ctx context.Context, tx store.Tx, op shopapi.Operation, v *T) error {
	if c.shared(ctx) && !Visible(ctx, *c.def.Scope.Company(v)) {
		return shopapi.Errorf(http.StatusForbidden, "This %s is the whole shop's: it can be read, and not changed.", c.def.Object)
	}
	if c.def.Scope.Authorize == nil {
		return nil
	}
	return c.def.Scope.Authorize(ctx, tx, op, v)
}
