package data

import (
	"fmt"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/orders"
)

// The payment method, the shipping method and the stock of each product for new orders.
const (
	Payment  = 1
	Shipping = 1
	Stock    = 900_000_000
)

// Statuses are the statuses of the orders; lists filter by them.
var Statuses = []string{orders.Complete, orders.Processed, orders.Open, orders.Cancelled, orders.AwaitingCall}

// Placed is the status of new orders.
const Placed = orders.Open

// Last is the time of the newest order, in seconds since 1970.
const Last = epoch + MaxRows*30

// Spans are the time ranges of lists of orders, in seconds since 1970; orders are spread
// evenly over them.
var Spans = [4][2]int64{{epoch, epoch + 7_500_000}, {epoch + 7_500_001, epoch + 15_000_000}, {epoch + 15_000_001, epoch + 22_500_000}, {epoch, epoch + 30_000_000}}

// Order returns order i, from 1: two pieces of one product.
func Order(i, rows int) orders.Order {
	product := int64(1 + mix(i, 21)%uint64(Products(rows)))
	price := decimal.MustNew(500+product, 2)
	subtotal, total := decimal.MustNew(1000+2*product, 2), decimal.MustNew(1500+2*product, 2)
	zero := decimal.MustNew(0, 2)
	name := pick(i, 22, names)
	o := orders.Order{
		Summary: orders.Summary{
			OrderID: int64(i), UserID: int64(mix(i, 23) % 5000), CompanyID: Company,
			Timestamp: epoch + int64(i)*611_953%(MaxRows+1)*30, // as for reviews
			FirstName: name, LastName: "Petrov", Email: fmt.Sprintf("%s.%d@example.org", name, i%5000), Phone: "371 2000",
			Status: pick(i, 24, Statuses), Total: total,
		},
		PaymentID: Payment, ShippingIDs: "1", Subtotal: subtotal, ShippingCost: decimal.MustNew(500, 2),
		Discount: zero, SubtotalDiscount: zero, PaymentSurcharge: zero, TaxSubtotal: zero,
		LangCode: "en", Customer: "Petrov " + name,
		Lines: orders.Lines{{
			ItemID: product, ProductID: product, CompanyID: Company, Name: "Product", Amount: 2,
			BasePrice: price, Price: price, Discount: zero, Subtotal: subtotal, Tax: zero, Ships: true,
		}},
		Methods: orders.Methods{{ShippingID: Shipping, CompanyID: Company, Name: "Post", Rate: decimal.MustNew(500, 2)}},
	}
	o.Shipping = orders.Address{FirstName: name, LastName: "Petrov", Street: "Street 5", City: "Riga", Country: "LV", Zipcode: "1010"}
	o.Billing = o.Shipping
	return o
}
