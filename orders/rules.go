package orders

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/taxes"
)

// Rules are the rules that an order keeps: the tables of its methods and taxes as they
// were, by the ids of [KeptTable], and what chooses among them (decisions §26). Orders of
// older versions have none.
type Rules struct {
	Kept         bool      `json:"kept,omitempty"`
	Taxes        []KeptTax `json:"taxes,omitempty"`        // all that lines and methods ever named, by id
	Shipping     int64     `json:"shipping,omitempty"`     // table of the shipping method
	Payment      int64     `json:"payment,omitempty"`      // table of the payment method
	Destinations []int64   `json:"destinations,omitempty"` // of the shipping address
	Nowhere      bool      `json:"nowhere,omitempty"`      // the shipping address has no destinations
	RoundOrder   bool      `json:"round_order,omitempty"`  // the setting tax_rounding was order
	Cut          *Cut      `json:"cut,omitempty"`          // of the order of one of several vendors

	// SumsKept says that the sums and taxes are from before the last change, which kept
	// them (recalculate=N).
	SumsKept bool `json:"sums_kept,omitempty"`
}

// A KeptTax is a tax of an order with its names and its table.
type KeptTax struct {
	TaxID     int64  `json:"tax_id"`
	Name      string `json:"tax"`
	RegNumber string `json:"regnumber,omitempty"`
	Table     int64  `json:"table"`
}

// A Cut is the share of one vendor's order in an amount that is divided among several orders:
// the part between two fractions of the whole, From / Of and To / Of.
type Cut struct {
	From decimal.Decimal `json:"from"`
	To   decimal.Decimal `json:"to"`
	Of   decimal.Decimal `json:"of"`
}

// of returns the part of an amount.
func (c *Cut) of(amount decimal.Decimal) decimal.Decimal {
	return pricing.Part(amount, c.From, c.To, c.Of)
}

// MarshalText returns the stored form.
func (r Rules) MarshalText() ([]byte, error) { return r.AppendText(nil) }

// AppendText appends the stored form.
func (r *Rules) AppendText(dst []byte) ([]byte, error) {
	if !r.Kept {
		return dst, nil
	}
	type stored Rules
	return jsonenc.Append(dst, (*stored)(r))
}

// UnmarshalText reads the stored form.
func (r *Rules) UnmarshalText(text []byte) error {
	type stored Rules
	*r = Rules{}
	return readDocument(text, (*stored)(r))
}

// A taxTable is what the amounts of a tax follow from. A disabled tax has no rates.
type taxTable struct {
	Priority int64              `json:"priority"`
	Included bool               `json:"included"`
	Billing  bool               `json:"billing"` // the billing address chooses the rate
	Rates    []pricing.AreaRate `json:"rates"`
}

// A shippingTable is what the shipping cost follows from.
type shippingTable struct {
	Rates     shippings.Rates `json:"rates"`
	TaxIDs    []int64         `json:"tax_ids"`
	MinWeight decimal.Decimal `json:"min_weight"`
	MaxWeight decimal.Decimal `json:"max_weight"`
}

// A paymentTable is what the surcharge follows from.
type paymentTable struct {
	Value   decimal.Decimal `json:"a_surcharge"`
	Percent decimal.Decimal `json:"p_surcharge"`
	TaxIDs  []int64         `json:"tax_ids"`
}

func taxTableOf(t *taxes.Tax) *taxTable {
	table := &taxTable{Priority: t.Priority, Included: bool(t.PriceIncludesTax), Billing: t.AddressType == taxes.BillingAddress}
	if t.Status != taxes.Disabled {
		table.Rates = t.Rates.Areas()
	}
	return table
}

func shippingTableOf(m *shippings.Shipping) *shippingTable {
	return &shippingTable{Rates: m.Rates, TaxIDs: m.TaxIDs.IDs(), MinWeight: m.MinWeight.Pad(2), MaxWeight: m.MaxWeight.Pad(2)}
}

func paymentTableOf(m *payments.Payment) *paymentTable {
	return &paymentTable{Value: m.ASurcharge.Pad(3), Percent: m.PSurcharge.Pad(3), TaxIDs: m.TaxIDs.IDs()}
}
