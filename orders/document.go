package orders

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/jsonenc"
)

// A DocumentKind is the kind of a [Document].
type DocumentKind string

// The kinds of documents.
const (
	Invoice    DocumentKind = "invoice"
	CreditMemo DocumentKind = "credit_memo"
)

// A Document is an invoice or a credit memo of an order, as it was when it was issued. It
// never changes (decisions §26). Its amounts have two places, in Currency.
type Document struct {
	Kind   DocumentKind `json:"kind"`
	Number string       `json:"number"`
	Date   int64        `json:"date"` // seconds since 1970
	Seller Seller       `json:"seller"`
	Buyer  Buyer        `json:"buyer"`

	Lines []DocumentLine `json:"products"` // by item id
	Taxes Taxes          `json:"taxes"`

	Subtotal         decimal.Decimal `json:"subtotal"`
	SubtotalDiscount decimal.Decimal `json:"subtotal_discount"`
	ShippingCost     decimal.Decimal `json:"shipping_cost"`
	PaymentSurcharge decimal.Decimal `json:"payment_surcharge"`
	TaxSubtotal      decimal.Decimal `json:"tax_subtotal"`     // added taxes
	TaxIncluded      decimal.Decimal `json:"tax_included"`     // taxes inside the prices
	TaxExempted      decimal.Decimal `json:"tax_exempted"`     // included taxes that are subtracted
	TotalAdjustment  decimal.Decimal `json:"total_adjustment"` // the rounding of the total
	Total            decimal.Decimal `json:"total"`
	Currency         string          `json:"currency"`

	// The parts of TaxExempted on the shipping and on the surcharge.
	ShippingExempted  decimal.Decimal `json:"shipping_exempted"`
	SurchargeExempted decimal.Decimal `json:"surcharge_exempted"`
}

// A DocumentLine is a line of a [Document]. In a credit memo of an amount it may have no
// pieces.
type DocumentLine struct {
	ItemID    int64           `json:"item_id"`
	ProductID int64           `json:"product_id"`
	Name      string          `json:"product"`
	Code      string          `json:"product_code,omitempty"`
	Amount    int64           `json:"amount"` // pieces
	Price     decimal.Decimal `json:"price"`  // of one piece
	Discount  decimal.Decimal `json:"discount"`
	Subtotal  decimal.Decimal `json:"subtotal"` // without Discount

	SubtotalDiscount decimal.Decimal `json:"subtotal_discount"` // the line's share of the order's
	Exempted         decimal.Decimal `json:"exempted"`          // the line's part of TaxExempted
	Taxes            []LineTax       `json:"taxes,omitempty"`
}

// A Seller is the company that issues a document.
type Seller struct {
	Company string `json:"company"`
	Address string `json:"address"`
	City    string `json:"city"`
	State   string `json:"state"`
	Country string `json:"country"`
	Zipcode string `json:"zipcode"`
	Phone   string `json:"phone"`
	Email   string `json:"email"`
	URL     string `json:"url"`
}

// A Buyer is the customer of a document, at the billing address of the order.
type Buyer struct {
	FirstName string `json:"firstname"`
	LastName  string `json:"lastname"`
	Company   string `json:"company"`
	Email     string `json:"email"`
	Phone     string `json:"phone"`
	Address   string `json:"address"`
	Address2  string `json:"address_2"` // the second line of the address
	City      string `json:"city"`
	County    string `json:"county"` // a part of the state
	State     string `json:"state"`
	Country   string `json:"country"`
	Zipcode   string `json:"zipcode"`
}

// MarshalText returns the stored form.
func (d Document) MarshalText() ([]byte, error) {
	type stored Document
	return jsonenc.Append(nil, (*stored)(&d))
}

// UnmarshalText reads the stored form.
func (d *Document) UnmarshalText(text []byte) error {
	type stored Document
	return readDocument(text, (*stored)(d))
}

// line returns the line with the id, nil when there is none.
func (d *Document) line(item int64) *DocumentLine {
	for i := range d.Lines {
		if d.Lines[i].ItemID == item {
			return &d.Lines[i]
		}
	}
	return nil
}
