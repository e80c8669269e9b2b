package options

import (
	"context"

	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// OfProducts returns the options of each of the products, by position, with their
// variants and with names in the language of ctx, in a number of reads that does not depend
// on the number of products. Products that have none, that do not exist or that the user of
// ctx may not see are left out.
//
// Products that are not the library's have all their options, whichever user asks.
func (o *Options) OfProducts(ctx context.Context, ids ...int64) (of map[int64]List, err error) {
	if len(ids) == 0 {
		return map[int64]List{}, nil
	}
	ctx = o.api.Confine(ctx)
	err = o.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		var visible []store.Cond
		if o.products.goods != nil {
			visible = products.OfVisible(ctx, "product_id")
		}
		of, err = o.read(ctx, tx, ids, visible...)
		if err != nil || len(of) == 0 {
			return err
		}
		companies, err := o.products.companies(ctx, tx, ids...)
		for product, list := range of {
			for i := range list {
				list[i].CompanyID = companies[product]
			}
		}
		return err
	})
	return of, err
}

// read returns the options of products, by position, without their company.
func (o *Options) read(ctx context.Context, tx store.Tx, ids []int64, where ...store.Cond) (map[int64]List, error) {
	found, err := table.Select(tx, store.Query{
		Where: append(where, store.InInts("product_id", ids...)),
		Order: []store.Order{store.Asc("position")},
	})
	if err != nil {
		return nil, err
	}
	rows := pointers(found)
	if err := o.rows.Texts().Load(ctx, tx, rows...); err != nil {
		return nil, err
	}
	if err := o.loadVariants(ctx, tx, rows...); err != nil {
		return nil, err
	}
	of := map[int64]List{}
	for _, option := range found {
		of[option.ProductID] = append(of[option.ProductID], option)
	}
	return of, nil
}
