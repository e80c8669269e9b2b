package carts

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/store"
)

// A Checkout is what an order says beside what is in the cart.
type Checkout struct {
	// Guest is who orders, where the cart is a guest's. A user's profile has it.
	Guest *orders.Customer

	PaymentID  int64
	ShippingID int64 // of all companies but those in ShippingIDs

	// ShippingIDs are the shipping methods by company, where there are several.
	ShippingIDs map[int64]int64

	Notes string // of the customer
}

// UseOrders has carts become orders of o. It is called before the first request is
// served.
func (c *Carts) UseOrders(o *orders.Orders) { c.orders = o }

var errNoOrders = errors.New("carts: there are no orders that a cart can become: call UseOrders")

// Order places the order that a cart and a checkout make, as [orders.Orders.Place] does,
// and removes the cart, in one transaction. It returns a 404 [*shopapi.Error] when there
// is no cart with the id, or a 400 that names the invalid fields, those of a line as
// products and its item id; then the cart stays.
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

// ordered is the cart as orders take one.
func (c *Cart) ordered(checkout *Checkout) orders.Cart {
	to := orders.Cart{
		PaymentID: checkout.PaymentID, ShippingID: checkout.ShippingID, ShippingIDs: checkout.ShippingIDs,
		Notes: checkout.Notes, IPAddress: c.IPAddress, CompanyID: c.CompanyID,
	}
	if IsGuest(c.UserID) {
		to.Guest = checkout.Guest
	} else {
		to.UserID = c.UserID
	}
	for i := range c.Products {
		l := &c.Products[i]
		to.Lines = append(to.Lines, orders.CartLine{
			Key: shopapi.FormatID(l.ItemID), ProductID: l.ProductID, Amount: l.Amount, Selection: options.Selection(l.Extra.ProductOptions),
		})
	}
	return to
}
