package exceptions

import (
	"context"
	"errors"
	"maps"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// Exceptions keeps the exceptions of products in a store. Its methods act for the
// user of their context: a seller finds only those of his company's products, and
// the host's own code, which has no user, all.
type Exceptions struct {
	st  store.Store
	api *shopapi.API
}

// New returns the exceptions kept in st, whose table must exist: see [Register].
// The api finds products and options, and may be nil.
func New(st store.Store, api *shopapi.API) *Exceptions {
	return &Exceptions{st: st, api: api}
}

// Register creates the table that is missing in st and adds the entity to the
// API, which may be nil for Go code that serves none. The removal of
// products is to call [Exceptions.RemoveOf].
func Register(ctx context.Context, api *shopapi.API, st store.Store) (*Exceptions, error) {
	if err := st.Migrate(ctx, table.Schema()); err != nil {
		return nil, err
	}
	x := New(st, api)
	if err := api.Register(&entity{x}); err != nil {
		return nil, err
	}
	return x, nil
}

// Find returns the exceptions of a product in the order in which they were made;
// none of a product that does not exist.
func (x *Exceptions) Find(ctx context.Context, productID int64) (list []Exception, err error) {
	list = []Exception{}
	err = x.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		if sees, err := x.sees(ctx, productID); err != nil || !sees {
			return err
		}
		rows, err := table.Select(tx, store.Query{
			Where: []store.Cond{store.Equal("product_id", store.Int(productID))},
		})
		if err != nil {
			return err
		}
		for _, r := range rows {
			e, err := r.exception()
			if err != nil {
				return err
			}
			list = append(list, e)
		}
		return nil
	})
	return list, err
}

// Get returns one exception. It returns a 404 [*shopapi.Error] when there is none
// that the user may see.
func (x *Exceptions) Get(ctx context.Context, id int64) (e Exception, err error) {
	err = x.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		e, err = x.get(ctx, tx, id)
		return err
	})
	return e, err
}

func (x *Exceptions) get(ctx context.Context, tx store.Tx, id int64) (Exception, error) {
	r, err := table.Get(tx, id)
	if errors.Is(err, store.ErrNotFound) {
		return Exception{}, notFound(id)
	}
	if err != nil {
		return Exception{}, err
	}
	sees, err := x.sees(ctx, r.ProductID)
	if err != nil {
		return Exception{}, err
	}
	if !sees {
		return Exception{}, notFound(id)
	}
	return r.exception()
}

func notFound(id int64) error { return shopapi.NotFound("exception", shopapi.FormatID(id)) }

// Create adds an exception and returns it as stored. It returns a 400
// [*shopapi.Error] that names the fields at fault: a product that does not exist,
// an option that is not the product's or cannot be combined, a variant that is
// not the option's, or a combination that the product has already.
func (x *Exceptions) Create(ctx context.Context, e Exception) (Exception, error) {
	return x.create(ctx, func(created *Exception) error {
		*created = e
		return nil
	})
}

// create adds the exception that fill makes of an empty one.
func (x *Exceptions) create(ctx context.Context, fill func(*Exception) error) (created Exception, err error) {
	err = x.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		created = Exception{}
		var problems shopapi.Problems
		problems.Merge(fill(&created))
		created.ExceptionID = 0
		if err := x.check(ctx, &created, &problems); err != nil {
			return err
		}
		r, err := rowOf(created)
		if err != nil {
			return err
		}
		if err := table.Insert(tx, &r); err != nil {
			return inWords(err)
		}
		created.ExceptionID = r.ExceptionID
		x.api.Changed(ctx, "exceptions", shopapi.OpCreate, shopapi.FormatID(created.ExceptionID))
		return nil
	})
	return created, err
}

// Update has change alter the exception with the id, and stores it. A new
// combination stands in place of the whole old one. It returns a 404 or, as
// [Exceptions.Create] does, a 400 [*shopapi.Error], or the error of change; then
// nothing is changed.
func (x *Exceptions) Update(ctx context.Context, id int64, change func(*Exception) error) error {
	return x.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := x.get(ctx, tx, id)
		if err != nil {
			return err
		}
		after := before
		after.Combination = maps.Clone(before.Combination)
		var problems shopapi.Problems
		problems.Merge(change(&after))
		after.ExceptionID = id
		// What did not change is not asked about again: an option may have gone
		// since.
		if after.ProductID != before.ProductID || !maps.Equal(after.Combination, before.Combination) {
			err = x.check(ctx, &after, &problems)
		} else {
			err = problems.Err()
		}
		if err != nil {
			return err
		}
		r, err := rowOf(after)
		if err != nil {
			return err
		}
		x.api.Changed(ctx, "exceptions", shopapi.OpUpdate, shopapi.FormatID(id))
		return inWords(table.Update(tx, &r))
	})
}

// Delete removes an exception. It returns a 404 [*shopapi.Error] when there is
// none that the user may see.
func (x *Exceptions) Delete(ctx context.Context, id int64) error {
	return x.remove(ctx, id, func(*Exception) error { return nil })
}

// remove is Delete unless check, which is shown the exception, objects.
func (x *Exceptions) remove(ctx context.Context, id int64, check func(*Exception) error) error {
	return x.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		e, err := x.get(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := check(&e); err != nil {
			return err
		}
		x.api.Changed(ctx, "exceptions", shopapi.OpDelete, shopapi.FormatID(id))
		return table.DeleteKey(tx, id)
	})
}

// RemoveOf removes the exceptions of products, in the transaction that removes
// the products. The observer is told of the products alone.
func (x *Exceptions) RemoveOf(_ context.Context, tx store.Tx, productIDs []int64) error {
	_, err := table.Delete(tx, store.InInts("product_id", productIDs...))
	return err
}

// inWords tells a client that the combination is the product's already.
func inWords(err error) error {
	if errors.Is(err, store.ErrConflict) {
		return shopapi.Invalid("combination", "is an exception of the product already")
	}
	return err
}
