package orders

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An ordered is what of an order tells of its products.
type ordered struct {
	OrderID int64 `json:"order_id" store:"key"`
	Lines   Lines `json:"-" store:"name=products"`
}

var orderedProducts = store.Project[ordered](table)

// ProductsOf implements [products.OrderSource].
func (o *Orders) ProductsOf(ctx context.Context, tx store.Tx, orders ...int64) ([]int64, error) {
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
