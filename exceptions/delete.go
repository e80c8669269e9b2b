package exceptions

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An entity answers for the exceptions over HTTP, and DELETE with product_id.
type entity struct {
	resource.Entity
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

// DeleteNaming removes the exceptions of a product that name an option, or, where
// variants are given, one of them: what they say makes no sense once these are gone
// (decisions §17). It runs in the transaction that removes them, of tx and ctx.
func (x *Exceptions) DeleteNaming(ctx context.Context, tx store.Tx, product, option int64, variants ...int64) error {
	var ids []int64
	err := table.Each(tx, store.Query{Where: []store.Cond{store.Equal("product_id", store.Int(product))}}, func(e *Exception) error {
		variant, names := e.Combination[option]
		if names && (len(variants) == 0 || slices.Contains(variants, variant)) {
			ids = append(ids, e.ExceptionID)
		}
		return nil
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	for _, id := range ids {
		x.api.Changed(ctx, "exceptions", shopapi.OpDelete, shopapi.FormatID(id))
	}
	_, err = table.Delete(tx, store.InInts("exception_id", ids...))
	return err
}

// ByProduct reads the exceptions of products in one read, for those who ask
// [MayOrder] of several products. They are not confined to what a user may see.
func ByProduct(tx store.Tx, products ...int64) (map[int64][]Exception, error) {
	list, err := table.Select(tx, store.Query{Where: []store.Cond{store.InInts("product_id", products...)}})
	by := make(map[int64][]Exception, len(products))
	for _, e := range list {
		by[e.ProductID] = append(by[e.ProductID], e)
	}
	return by, err
}
