package products

import (
	"context"

	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An OrderSource tells which products orders have, which are another package's.
type OrderSource interface {
	// ProductsOf returns the products of orders that the user of ctx may see, in the
	// transaction of the read that asks.
	ProductsOf(ctx context.Context, tx store.Tx, orders ...int64) ([]int64, error)
}

// UseOrders has lists of products filtered by orders. It is called before the first
// request is served. Without it no product is in an order.
func (p *Products) UseOrders(source OrderSource) { p.orders = source }

// whereOrders asks for products that are in orders. Without orders none is (decisions
// §5).
func (p *parameters) whereOrders(w *resource.Where) {
	switch {
	case p.OrderIDs == nil || !w.For("order_ids").FitsList(len(p.OrderIDs)):
	case p.orders == nil:
		w.Add(store.Any())
	default:
		w.RequireView("orders")
		ids, err := p.orders.ProductsOf(w.Context, w.Tx, p.OrderIDs...)
		w.SetError(err)
		w.Add(store.InInts("product_id", ids...))
	}
}
