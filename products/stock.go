package products

import (
	"context"
	"maps"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// AddAmounts adds to the stock of products, by their ids, or takes from it where a
// number is negative, in the transaction of an order. The stock may become negative:
// whether it may is for the order to say. Products that are gone, and those whose
// stock is that of their combinations, are passed over.
func (p *Products) AddAmounts(ctx context.Context, tx store.Tx, amounts map[int64]int64) error {
	if len(amounts) == 0 {
		return nil
	}
	list, err := table.Select(tx, store.Query{
		Where: []store.Cond{store.InInts("product_id", slices.Collect(maps.Keys(amounts))...)},
		Order: []store.Order{store.Asc("product_id")}, // so that transactions do not wait for each other in a ring
	})
	for i := 0; i < len(list) && err == nil; i++ {
		product := &list[i]
		n := amounts[product.ProductID]
		if n == 0 || product.Tracking == TrackByOptions && p.options != nil {
			continue
		}
		product.Amount += n
		p.api.Changed(ctx, "products", shopapi.OpUpdate, shopapi.FormatID(product.ProductID))
		err = table.Update(tx, product)
	}
	return err
}

// checkNegative notes a negative amount, which the setting allow_negative_amount may
// allow (decisions §18).
func (p *Products) checkNegative(ctx context.Context, before, after *Product, problems *shopapi.Problems) error {
	if after.Amount >= 0 || after.Amount == before.Amount || problems.Has("amount") {
		return nil
	}
	company := int64(0)
	if p.api.Edition() == shopapi.MultiStorefront {
		company = after.CompanyID
	}
	allowed, _, err := p.api.SettingOf(ctx, company, shopapi.SettingAllowNegativeAmount)
	if err == nil && allowed != "Y" {
		problems.Add("amount", "must not be negative, not %d, unless the setting allow_negative_amount is Y", after.Amount)
	}
	return err
}
