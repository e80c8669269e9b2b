package orders

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Quote is what a cart would be as an order.
type Quote struct {
	Order Order

	// Parts are the orders of the vendors, where the cart has products of several.
	// Order is their sum then.
	Parts []Order
}

// Quote computes what a cart costs, as [Orders.Place] would, and stores nothing. What
// a customer has not chosen yet may be left out: without a shipping method, shipping
// costs nothing, without a payment method there is no surcharge, and a guest need not
// say who it is. It returns a 400 [*shopapi.Error] that names whatever of the cart
// cannot be ordered: each line by its key, as products[key].
func (o *Orders) Quote(ctx context.Context, c Cart) (Quote, error) {
	var order Order
	err := o.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		order = c.order()
		order.Edit.storefront, order.Edit.draft = true, true
		return o.quote(ctx, tx, &order)
	})
	if err != nil {
		return Quote{}, err
	}
	q := Quote{Order: order, Parts: order.parts}
	q.Order.parts = nil
	return q, nil
}

// quote makes an order of what is asked for, and does not store it.
func (o *Orders) quote(ctx context.Context, tx store.Tx, order *Order) error {
	var problems shopapi.Problems
	o.setDefaults(ctx, order)
	normalize(order, &problems)
	if err := resource.AssignCompany(ctx, o.api, &problems, 0, &order.CompanyID); err != nil {
		return err
	}
	if err := o.check(ctx, tx, &Order{}, order, &problems); err != nil {
		return err
	}
	return problems.Err()
}
