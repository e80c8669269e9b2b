package orders

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// erased returns the part of an address that stays: amounts follow from it (decisions §26).
func erased(a Address) Address {
	return Address{Country: a.Country, State: a.State, Zipcode: a.Zipcode}
}

// erase blanks the customer in the orders of a person, including orders as a guest.
func (o *Orders) erase(ctx context.Context, p shopapi.Person) error {
	theirs := []store.Cond{store.Equal("user_id", store.Int(p.UserID))}
	if p.Email != "" {
		theirs = append(theirs, store.EqualFold("email", p.Email))
	}
	return resource.EraseRows(ctx, o.api, o.st, table, "orders", store.Any(theirs...), func(order *Order) {
		order.setCustomer(&Customer{
			LangCode: order.LangCode, TaxExempt: bool(order.TaxExempt),
			Billing: erased(order.Billing), Shipping: erased(order.Shipping),
		})
		order.Notes, order.Details, order.IPAddress, order.PaymentInfo = "", "", "", nil
	})
}
