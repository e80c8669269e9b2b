package orders

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An ordered is an order with only its lines.
type ordered struct {
	OrderID int64 `json:"order_id" store:"key"`
	Lines   Lines `json:"-" store:"name=products"`
}

var orderedProducts = store.Project[ordered](table)

// A part is the orders as a part of products: the filter order_ids.
type part struct{ *Orders }

var _ products.Filterer = part{}

// PartName implements [products.Part].
func (part) PartName() string { return "orders" }

// FilterProducts implements [products.Filterer].
func (o part) FilterProducts(w *resource.Where, f *products.Filter) {
	if f.OrderIDs == nil || !w.For("order_ids").FitsList(len(f.OrderIDs)) {
		return
	}
	w.RequireView("orders")
	ids, err := orderedIDs(w.Context, w.Tx, f.OrderIDs...)
	w.SetError(err)
	w.Add(store.InInts("product_id", ids...))
}

// orderedIDs returns the ids of the products of orders that the user of ctx may see.
func orderedIDs(ctx context.Context, tx store.Tx, orders ...int64) ([]int64, error) {
	var ids []int64
	where := append(resource.VisibleConds(ctx), store.InInts("order_id", orders...))
	err := orderedProducts.Each(tx, store.Query{Where: where}, func(v *ordered) error {
		for i := range v.Lines {
			ids = append(ids, v.Lines[i].ProductID)
		}
		return nil
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}
