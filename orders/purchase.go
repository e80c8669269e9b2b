package orders

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/options"
)

// A Purchase is the request of a customer to place an order.
type Purchase struct {
	UserID int64 // of a registered user, 0 for a guest

	// Customer is who orders and where to. A guest's has all of it. With a UserID the
	// profile of the user counts: texts and addresses here that are not empty replace its
	// texts and addresses, and nil takes the profile as it is. A program that keeps its users
	// outside of the API gives the profile here.
	Customer *Customer

	Lines     []PurchaseLine
	PaymentID int64

	// ShippingIDs are the shipping methods by company, ShippingID that of all others.
	ShippingID  int64
	ShippingIDs map[int64]int64

	Notes            string // of the customer
	Details          string // of the staff
	IPAddress        string
	SubtotalDiscount decimal.Decimal

	// CompanyID is the storefront of the order; 0 is the company of the context, or the
	// default company. With several vendors, the products determine it.
	CompanyID int64

	// TaxExempt says whether the order is exempt from taxes; nil is what the profile or
	// Customer says.
	TaxExempt *bool

	// Timestamp is when the order was placed, in seconds since 1970, and at most five
	// minutes in the future; 0 is now.
	Timestamp int64

	// An order with a Timestamp may have a status other than [Open], prices of lines, and
	// written amounts, if it is not of several vendors (decisions §26). Without a Timestamp
	// they do not count.
	Status                                string
	ShippingCost, PaymentSurcharge, Total *decimal.Decimal

	// NoStock makes an order that takes and holds no stock, in whatever status.
	NoStock bool
}

// A PurchaseLine is a number of pieces of a product with the chosen options.
type PurchaseLine struct {
	// Key names the line in errors, as products[key]; "" is its number from 0. In a
	// [Change] it may be the id of a line of the order.
	Key string

	ProductID int64
	Amount    int64
	Selection options.Selection // in a Change, nil keeps that of the line

	// Price of one piece and Discount on the whole line change a line in a [Change];
	// nil keeps them. A new line without a price has that of its product, as every line of
	// a [Purchase] without a Timestamp has.
	Price    *decimal.Decimal
	Discount *decimal.Decimal
}

// order returns the new order that the purchase asks for.
func (p *Purchase) order() Order {
	o := Order{
		PaymentID: p.PaymentID, Notes: p.Notes, Details: p.Details, IPAddress: p.IPAddress,
		SubtotalDiscount: p.SubtotalDiscount,
		Change:           &Change{Lines: p.Lines, ShippingID: p.ShippingID, ShippingIDs: p.ShippingIDs},
	}
	o.UserID, o.CompanyID, o.Timestamp = p.UserID, p.CompanyID, p.Timestamp
	o.NoStock, o.Change.taxExempt = p.NoStock, p.TaxExempt
	if p.Timestamp != 0 {
		o.Change.past = &past{p.Status, p.ShippingCost, p.PaymentSurcharge, p.Total}
	}
	if p.Customer != nil {
		o.setCustomer(p.Customer)
	}
	return o
}

const (
	maxLines  = 1000        // of an order
	maxPieces = 999_999_999 // of a line
	maxEmail  = 254         // bytes, RFC 5321
)
