package exceptions

import (
	"context"
	"errors"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// deleteOf removes the exceptions of deleted products. The observer gets events only for
// the products.
func (x *Exceptions) deleteOf(ctx context.Context, products []int64) error {
	return x.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		of := store.InInts("product_id", products...)
		if err := resource.RecordDeletes(ctx, tx, x.api, "exceptions", table, of); err != nil {
			return err
		}
		_, err := table.Delete(tx, of)
		return err
	})
}

// DeleteNaming removes the exceptions of a product that name an option or, if variants
// are given, one of them, because they have no meaning without it (decisions §17). It
// runs in the transaction of tx and ctx that removes the option or variants.
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

// ByProduct reads the exceptions of products in one read in the transaction of ctx, for
// calls of [MayOrder] for several products. It ignores the rights of the user. An Update of
// a shop without any exception reads nothing.
func (x *Exceptions) ByProduct(ctx context.Context, tx store.Tx, products ...int64) (map[int64][]Exception, error) {
	none, err := x.none.InUpdate(ctx, tx, struct{}{}, func(tx store.Tx) (bool, error) {
		_, err := table.First(tx, store.Query{})
		if errors.Is(err, store.ErrNotFound) {
			return true, nil
		}
		return false, err
	})
	if err != nil || none {
		return nil, err
	}
	list, err := table.Select(tx, store.Query{Where: []store.Cond{store.InInts("product_id", products...)}})
	by := make(map[int64][]Exception, len(products))
	for _, e := range list {
		by[e.ProductID] = append(by[e.ProductID], e)
	}
	return by, err
}
