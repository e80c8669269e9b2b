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
	for _, id := range slices.Sorted(maps.Keys(amounts)) { // in one order, so that transactions do not wait for each other in a ring
		if amounts[id] == 0 {
			continue
		}
		list, err := table.Select(tx, store.Query{Where: []store.Cond{store.Equal("product_id", store.Int(id))}})
		if err != nil {
			return err
		}
		if len(list) == 0 || list[0].Tracking == TrackByOptions && p.options != nil {
			continue
		}
		list[0].Amount += amounts[id]
		if err := table.Update(tx, &list[0]); err != nil {
			return err
		}
		p.api.Changed(ctx, "products", shopapi.OpUpdate, shopapi.FormatID(id))
	}
	return nil
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
