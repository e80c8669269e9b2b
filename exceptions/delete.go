package exceptions

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An entity answers for the exceptions over HTTP, and DELETE with product_id.
type entity struct {
	*resource.Entity[Exception, Exception]
	exceptions *Exceptions
}

// Delete implements [shopapi.Deleter]. An exception of another product than the
// parameter product_id names is a 404 (decisions §8).
func (e *entity) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	n, err := shopapi.ParseID("exception", id)
	if err != nil {
		return err
	}
	var f Filter
	if err := r.BindFilter(&f); err != nil {
		return err
	}
	if f.ProductID == nil {
		return e.Entity.Delete(ctx, r, id)
	}
	return e.exceptions.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		exception, err := e.exceptions.rows.GetIn(ctx, tx, n)
		if err != nil {
			return err
		}
		if exception.ProductID != *f.ProductID {
			return e.exceptions.rows.NotFound(n)
		}
		return e.Entity.Delete(ctx, r, id)
	})
}

// deleteOf removes the exceptions of products that are being deleted. The observer
// is told of the products alone.
func (x *Exceptions) deleteOf(ctx context.Context, products []int64) error {
	return x.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		_, err := table.Delete(tx, store.InInts("product_id", products...))
		return err
	})
}
