package main

import (
	"context"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A priceChange is a row that a hook writes when the price of a product changes.
type priceChange struct {
	ChangeID  int64           `json:"change_id,string" store:"key"`
	ProductID int64           `json:"product_id,string" store:"index"`
	Timestamp int64           `json:"timestamp,string"` // seconds since 1970
	UserID    int64           `json:"user_id,string"`   // 0 for the shop's own code
	From      decimal.Decimal `json:"from" store:"scale=2"`
	To        decimal.Decimal `json:"to" store:"scale=2"`
}

var priceChanges = store.MustTable[priceChange]("price_changes")

// registerPriceChanges adds the read-only entity price_changes below products, and the
// hook that writes its rows in the transaction of the change, so that each new price gets
// one row.
func registerPriceChanges(ctx context.Context, api *shopapi.API, st store.Store, p *products.Products) error {
	_, err := resource.Register(ctx, api, st, resource.Definition[priceChange, priceChange]{
		Name:       "price_changes",
		Object:     "price change",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Operations: []shopapi.Operation{shopapi.OpList, shopapi.OpGet},
		Table:      priceChanges,
		Sorts:      []resource.Sort{{Key: "id"}},
		List:       resource.List[priceChange, priceChange]{Descending: true},
		Scope: resource.Scope[priceChange]{
			Parents: []resource.Parent[priceChange]{
				resource.ByColumn("products", "product_id", func(c *priceChange) *int64 { return &c.ProductID }),
			},
		},
	})
	if err != nil {
		return err
	}
	p.BeforeSave(func(ctx context.Context, tx store.Tx, old, after *products.Product) error {
		if old == nil || old.Price.Equal(after.Price) {
			return nil
		}
		change := priceChange{ProductID: after.ProductID, Timestamp: api.Now(ctx).Unix(), From: old.Price, To: after.Price}
		if user := shopapi.UserFrom(ctx); user != nil {
			change.UserID = user.ID
		}
		return priceChanges.Insert(tx, &change)
	})
	api.BeforeDelete("products", func(ctx context.Context, ids []int64) error {
		return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
			_, err := priceChanges.Delete(tx, store.InInts("product_id", ids...))
			return err
		})
	})
	return nil
}
