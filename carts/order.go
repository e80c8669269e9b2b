package carts

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/store"
)

// A Checkout is the data of an order that is not in the cart.
type Checkout struct {
	// Customer has the name and addresses of the order: see [orders.Purchase].
	Customer *orders.Customer

	PaymentID  int64
	ShippingID int64 // for all companies that ShippingIDs does not contain

	// ShippingIDs are the shipping methods by company, for orders of several companies.
	ShippingIDs map[int64]int64

	Notes string // from the customer
}

// UseOrders sets the orders that carts become. Call it before the first request is
// served.
func (c *Carts) UseOrders(o *orders.Orders) { c.orders = o }

var errNoOrders = errors.New("carts: placing carts needs orders: call UseOrders")

// Order places the order of a cart and a checkout, as [orders.Orders.Place] does, and
// removes the cart, in one transaction. It returns a 404 [*shopapi.Error] if there is no
// such cart, or a 400 that names the invalid fields, a line as products with its item
// id; then the cart stays.
func (c *Carts) Order(ctx context.Context, id int64, checkout Checkout) (order orders.Order, err error) {
	if c.orders == nil {
		return order, errNoOrders
	}
	err = c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		cart, err := c.rows.GetIn(ctx, tx, id)
		if err != nil {
			return err
		}
		if order, err = c.orders.Place(ctx, cart.ordered(&checkout)); err != nil {
			return err
		}
		return c.rows.Delete(ctx, id)
	})
	if err != nil {
		return orders.Order{}, err
	}
	return order, nil
}

// ordered returns the cart in the form of package orders.
func (c *Cart) ordered(checkout *Checkout) orders.Purchase {
	to := orders.Purchase{
		PaymentID: checkout.PaymentID, ShippingID: checkout.ShippingID, ShippingIDs: checkout.ShippingIDs,
		Notes: checkout.Notes, IPAddress: c.IPAddress, CompanyID: c.CompanyID, Customer: checkout.Customer,
	}
	if !IsGuest(c.UserID) {
		to.UserID = c.UserID
	}
	for i := range c.Products {
		l := &c.Products[i]
		to.Lines = append(to.Lines, orders.PurchaseLine{
			Key: shopapi.FormatID(l.ItemID), ProductID: l.ProductID, Amount: l.Amount, Selection: options.Selection(l.Extra.ProductOptions),
		})
	}
	return to
}
