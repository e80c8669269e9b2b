package orders

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/options"
)

// A Cart is what a customer means to order.
type Cart struct {
	UserID int64     // of a registered user, whose profile has the addresses
	Guest  *Customer // where UserID is 0

	Lines     []CartLine
	PaymentID int64

	// ShippingIDs are the shipping methods by company, ShippingID that of all others.
	ShippingID  int64
	ShippingIDs map[int64]int64

	Notes            string // of the customer
	Details          string // of the staff
	IPAddress        string
	SubtotalDiscount decimal.Decimal

	// CompanyID is the storefront that the order is placed in, 0 for the one that
	// the context is confined to, or the default one. With several vendors it
	// follows from the products.
	CompanyID int64

	// Timestamp is when the order was placed, in seconds since 1970; 0 is now.
	Timestamp int64
}

// A CartLine is a number of pieces of a product, with what is chosen of its options.
type CartLine struct {
	// Key names the line in errors, as products[key]; "" is its number from 0. In an
	// [Edit] it may be the id of a line of the order.
	Key string

	ProductID int64
	Amount    int64
	Selection options.Selection // nil in an Edit: as the line has it

	// Price of one piece and Discount on the whole line change a line in an [Edit],
	// nil leaves them as they are. A new line costs what the product costs.
	Price    *decimal.Decimal
	Discount *decimal.Decimal
}

// order is the order that a cart asks for.
func (c *Cart) order() Order {
	o := Order{
		PaymentID: c.PaymentID, Notes: c.Notes, Details: c.Details, IPAddress: c.IPAddress,
		SubtotalDiscount: c.SubtotalDiscount,
		Edit:             &Edit{Lines: c.Lines, ShippingID: c.ShippingID, ShippingIDs: c.ShippingIDs},
	}
	o.UserID, o.CompanyID, o.Timestamp = c.UserID, c.CompanyID, c.Timestamp
	if c.Guest != nil && c.UserID == 0 {
		o.setCustomer(c.Guest)
	}
	return o
}

const (
	maxLines  = 1000        // of an order
	maxPieces = 999_999_999 // of a line
	maxEmail  = 254         // bytes, RFC 5321
	maxNotes  = 64 << 10    // bytes of notes and details
)
