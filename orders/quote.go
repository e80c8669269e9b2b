package orders

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Quote is the order that a purchase would become.
type Quote struct {
	Order Order

	// Parts are the orders of the vendors, if the products are of several vendors.
	// Order is then their sum.
	Parts []Order
}

// Quote computes the amounts of a purchase, as [Orders.Place] would, and stores nothing.
// Choices that the customer has not made yet may be left out: without a shipping method, shipping
// costs nothing, without a payment method there is no surcharge, and a guest needs no
// name or address. It returns a 400 [*shopapi.Error] that names every field that cannot
// be ordered, each line by its key, as products[key].
func (o *Orders) Quote(ctx context.Context, p Purchase) (Quote, error) {
	var order Order
	err := o.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		order = p.order()
		order.Change.storefront, order.Change.draft = true, true
		return o.quote(ctx, tx, &order)
	})
	if err != nil {
		return Quote{}, err
	}
	q := Quote{Order: order, Parts: order.parts}
	q.Order.parts = nil
	return q, nil
}

// quote fills in an order and does not store it.
func (o *Orders) quote(ctx context.Context, tx store.Tx, order *Order) error {
	var problems shopapi.Problems
	o.setDefaults(ctx, order)
	normalize(order, &problems)
	if err := resource.AssignCompany(ctx, o.api, &problems, 0, &order.CompanyID); err != nil {
		return err
	}
	if err := o.derive(ctx, tx, &Order{}, order, &problems); err != nil {
		return err
	}
	if err := o.check(ctx, tx, &Order{}, order, &problems); err != nil {
		return err
	}
	return problems.Err()
}
