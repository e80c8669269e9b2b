package orders

import (
	"encoding/json"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/pricing"
)

// The parts of an order that are always read with it, and never searched, are
// documents in its row: what a line or a method was called, and what it cost, when
// the order was placed (decisions §18).

// Lines are the lines of an order.
type Lines []Line

// MarshalText returns the stored form.
func (l Lines) MarshalText() ([]byte, error) { return l.AppendText(nil) }

// AppendText appends the stored form.
func (l *Lines) AppendText(dst []byte) ([]byte, error) { return jsonenc.Append(dst, (*[]Line)(l)) }

// UnmarshalText reads the stored form.
func (l *Lines) UnmarshalText(text []byte) error { return readDocument(text, (*[]Line)(l)) }

// byItem returns the lines by id. An order has up to a thousand.
func (l Lines) byItem() map[int64]*Line {
	by := make(map[int64]*Line, len(l))
	for i := range l {
		by[l[i].ItemID] = &l[i]
	}
	return by
}

// Taxes are the taxes of an order, with the rates that it keeps.
type Taxes []Tax

// MarshalText returns the stored form.
func (t Taxes) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// AppendText appends the stored form.
func (t *Taxes) AppendText(dst []byte) ([]byte, error) { return jsonenc.Append(dst, (*[]Tax)(t)) }

// UnmarshalText reads the stored form.
func (t *Taxes) UnmarshalText(text []byte) error { return readDocument(text, (*[]Tax)(t)) }

// byID returns the tax with the id, nil when there is none.
func (t Taxes) byID(id int64) *Tax {
	for i := range t {
		if t[i].TaxID == id {
			return &t[i]
		}
	}
	return nil
}

// A Tax is a tax of an order, as it was when the order was placed.
type Tax struct {
	TaxID       int64            `json:"tax_id"`
	Name        string           `json:"tax"`
	RegNumber   string           `json:"regnumber,omitempty"`
	Priority    int64            `json:"priority,omitempty"`
	Included    bool             `json:"included,omitempty"` // in prices
	OnProducts  *pricing.TaxRate `json:"on_products,omitempty"`
	OnShipping  *pricing.TaxRate `json:"on_shipping,omitempty"`
	Subtotal    decimal.Decimal  `json:"subtotal"`
	Products    decimal.Decimal  `json:"products"`  // the part of Subtotal on products
	Shipping    decimal.Decimal  `json:"shipping"`  // the part on shipping
	Surcharge   decimal.Decimal  `json:"surcharge"` // the part on the surcharge
	OnGoods     decimal.Decimal  `json:"taxable"`   // the amounts that the rates were applied to
	OnCost      decimal.Decimal  `json:"taxable_shipping"`
	OnSurcharge *decimal.Decimal `json:"taxable_surcharge,omitempty"` // nil where it is not on the surcharge
	Items       []int64          `json:"items,omitempty"`             // lines that it is on
	ShippingIDs []int64          `json:"shipping_ids,omitempty"`      // methods that it is on

	// Inside is the part of Subtotal inside prices, of a parent of which some parts have
	// the tax included and others added. It is nil otherwise.
	Inside *decimal.Decimal `json:"inside,omitempty"`
}

// inside is the part of the tax that is inside prices.
func (t *Tax) inside() decimal.Decimal {
	switch {
	case t.Inside != nil:
		return *t.Inside
	case t.Included:
		return t.Subtotal
	}
	return zero
}

// Methods are the shipping methods of an order, one for each vendor whose goods are
// shipped.
type Methods []Method

// MarshalText returns the stored form.
func (m Methods) MarshalText() ([]byte, error) { return m.AppendText(nil) }

// AppendText appends the stored form.
func (m *Methods) AppendText(dst []byte) ([]byte, error) { return jsonenc.Append(dst, (*[]Method)(m)) }

// UnmarshalText reads the stored form.
func (m *Methods) UnmarshalText(text []byte) error { return readDocument(text, (*[]Method)(m)) }

// A Method is a shipping method of an order, as it was when it was chosen.
type Method struct {
	ShippingID      int64           `json:"shipping_id"`
	CompanyID       int64           `json:"company_id"`
	GroupName       string          `json:"group_name,omitempty"` // of the company
	Name            string          `json:"shipping"`
	DeliveryTime    string          `json:"delivery_time,omitempty"`
	RateCalculation string          `json:"rate_calculation,omitempty"`
	Destination     string          `json:"destination,omitempty"`
	MinWeight       decimal.Decimal `json:"min_weight"`
	MaxWeight       decimal.Decimal `json:"max_weight"`
	ServiceID       int64           `json:"service_id,omitempty"`
	TaxIDs          []int64         `json:"tax_ids,omitempty"`
	Rate            decimal.Decimal `json:"rate"` // what it costs for this order
}

// A PaymentMethod is the payment method of an order as it was when it was chosen,
// without what may be secret.
type PaymentMethod struct{ payments.Payment }

// MarshalText returns the stored form.
func (p PaymentMethod) MarshalText() ([]byte, error) { return p.AppendText(nil) }

// AppendText appends the stored form.
func (p *PaymentMethod) AppendText(dst []byte) ([]byte, error) {
	return jsonenc.Append(dst, &p.Payment)
}

// UnmarshalText reads the stored form.
func (p *PaymentMethod) UnmarshalText(text []byte) error { return readDocument(text, &p.Payment) }

func readDocument(text []byte, into any) error {
	if len(text) == 0 || string(text) == "[]" {
		return nil
	}
	return json.Unmarshal(text, into)
}
