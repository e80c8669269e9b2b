package orders

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/taxes"
)

// A pricer computes the amounts of one order that is placed or changed.
type pricer struct {
	*Orders
	ctx      context.Context
	tx       store.Tx
	problems *shopapi.Problems
	order    *Order
	fields   []string // how problems name the lines of the order

	// method is the method whose cost is computed again, nil if the shipping cost stays.
	method *shippings.Shipping

	// surcharge is the surcharge of the payment method, nil if the surcharge stays.
	surcharge *pricing.Surcharge
}

// price computes the amounts, and reports lines that cannot be priced.
func (p *pricer) price() error {
	o := p.order
	ask := pricing.Order{
		SubtotalDiscount: o.SubtotalDiscount, TaxExempt: bool(o.TaxExempt),
		Surcharge: pricing.Surcharge{Value: o.PaymentSurcharge},
	}
	if p.surcharge != nil {
		ask.Surcharge = *p.surcharge
	}
	at := o.linesByItem()
	for _, i := range at {
		l := &o.Lines[i]
		ask.Lines = append(ask.Lines, pricing.Line{
			Price: l.Price, Amount: l.Amount, Discount: l.Discount, TaxIDs: l.TaxIDs,
			Ships: l.Ships, Weight: l.Weight, Freight: l.Freight,
		})
	}
	if len(o.Methods) > 0 {
		m := &o.Methods[0]
		ask.Shipping = &pricing.Shipping{TaxIDs: m.TaxIDs, Cost: &o.ShippingCost}
		if p.method != nil {
			ask.Shipping = p.pricing(p.method, p.destinations(p.ctx, o.Shipping))
			ask.Shipping.TaxIDs = m.TaxIDs // the order's, which the method may have no more
		}
	}
	known, err := p.taxes()
	if err != nil {
		return err
	}
	for i := range known {
		t := &known[i]
		ask.Taxes = append(ask.Taxes, pricing.Tax{ID: t.TaxID, Priority: t.Priority, Included: t.Included, Products: t.OnProducts, Shipping: t.OnShipping})
	}
	a, err := pricing.Price(&ask)
	if err != nil {
		return p.refuse(err, at)
	}
	p.set(&a, at, known)
	return nil
}

// linesByItem returns the indexes of the lines by their item ids. Amounts that are cut
// over the lines do not depend on the order in which the lines were added.
func (o *Order) linesByItem() []int {
	at := make([]int, len(o.Lines))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Compare(o.Lines[a].ItemID, o.Lines[b].ItemID) })
	return at
}

// pricing is a shipping method as package pricing computes with it.
func (o *Orders) pricing(method *shippings.Shipping, destinations []int64) *pricing.Shipping {
	if o.from.Shippings == nil {
		return method.Pricing(destinations...)
	}
	return o.from.Shippings.Pricing(method, destinations...)
}

// refuse reports why an order cannot be priced; at maps the priced lines to the lines of
// the order.
func (p *pricer) refuse(err error, at []int) error {
	var field *pricing.FieldError
	switch {
	case errors.As(err, &field) && field.Line >= 0:
		p.problems.Add(p.fields[at[field.Line]]+"["+field.Field+"]", "%s", field.Text)
	case errors.As(err, &field):
		p.problems.Add(field.Field, "%s", field.Text)
	case errors.Is(err, pricing.ErrNoRate):
		p.problems.Add("shipping_id", "cannot be used: the shipping method %d has no rate for the address", p.order.Methods[0].ShippingID)
	case errors.Is(err, pricing.ErrTooLarge):
		p.problems.Add("products", "must cost at most %s together", pricing.Max)
	default:
		return err
	}
	return nil
}

// taxes returns the taxes that the lines and the method refer to: as stored in the order
// or, if it has none with that id, the current ones.
func (p *pricer) taxes() ([]Tax, error) {
	var ids []int64
	for i := range p.order.Lines {
		ids = append(ids, p.order.Lines[i].TaxIDs...)
	}
	for i := range p.order.Methods {
		ids = append(ids, p.order.Methods[i].TaxIDs...)
	}
	if len(ids) > maxTaxedLines {
		p.problems.Add("products", "must have fewer taxes: lines have at most %d together, not %d", maxTaxedLines, len(ids))
		return nil, nil
	}
	slices.Sort(ids)
	var known []Tax
	var missing []int64
	for _, id := range slices.Compact(ids) {
		i := slices.IndexFunc(p.order.Taxes, func(t Tax) bool { return t.TaxID == id })
		if i >= 0 {
			known = append(known, p.order.Taxes[i])
		} else {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 && p.from.Taxes != nil {
		today, err := p.from.Taxes.ByID(p.ctx, p.tx, missing...)
		if err != nil {
			return nil, err
		}
		if tooManyRates(today) {
			p.problems.Add("products", "must have fewer taxes: those of one order have at most %d bytes of rates together", maxTaxRates)
			return nil, nil
		}
		for _, t := range today {
			if t.Status != taxes.Disabled {
				known = append(known, p.today(&t))
			}
		}
	}
	slices.SortStableFunc(known, func(a, b Tax) int {
		if a.Priority != b.Priority {
			return int(a.Priority - b.Priority)
		}
		return int(a.TaxID - b.TaxID)
	})
	return known, nil
}

// today is a tax with the rates that fit the order's address.
func (p *pricer) today(t *taxes.Tax) Tax {
	to := &p.order.Shipping
	if t.AddressType == taxes.BillingAddress {
		to = &p.order.Billing
	}
	areas := t.Rates.Areas()
	return Tax{
		TaxID: t.TaxID, Name: t.Name, RegNumber: t.RegNumber, Priority: t.Priority, Included: bool(t.PriceIncludesTax),
		OnProducts: pricing.Choose(areas, to.place(), false),
		OnShipping: pricing.Choose(areas, to.place(), true),
	}
}

// maxTaxedLines bounds the sum of the numbers of taxes of all lines.
const maxTaxedLines = 20_000

// maxTaxRates is the greatest length of the rates of all taxes of an order, in bytes.
const maxTaxRates = 256 << 10

// tooManyRates reports whether taxes have more rates than one order may use: finding the
// rates of the address reads all of them.
func tooManyRates(list []taxes.Tax) bool {
	size := 0
	for i := range list {
		size += len(list[i].Rates)
	}
	return size > maxTaxRates
}

// set stores the amounts computed for lines; at has the index of each line in the order.
func (p *pricer) set(a *pricing.Amounts, at []int, known []Tax) {
	o := p.order
	o.Subtotal, o.Discount, o.ShippingCost = a.Subtotal, a.Discount, a.ShippingCost
	o.TaxSubtotal, o.PaymentSurcharge, o.Total = a.TaxSubtotal, a.Surcharge, a.Total
	for i, line := range at {
		o.Lines[line].Subtotal, o.Lines[line].Tax = a.Lines[i].Subtotal, a.Lines[i].Tax
	}
	if len(o.Methods) > 0 {
		o.Methods[0].Rate = a.ShippingCost
	}
	o.Taxes = Taxes{}
	for i := range a.Taxes {
		t := &a.Taxes[i]
		applied := known[slices.IndexFunc(known, func(k Tax) bool { return k.TaxID == t.ID })]
		applied.Subtotal, applied.Products, applied.Shipping = t.Subtotal, t.Products, t.Shipping
		applied.Items, applied.ShippingIDs = nil, nil
		for l := range o.Lines {
			if slices.Contains(o.Lines[l].TaxIDs, t.ID) && applied.OnProducts != nil {
				applied.Items = append(applied.Items, o.Lines[l].ItemID)
			}
		}
		if len(o.Methods) > 0 && slices.Contains(o.Methods[0].TaxIDs, t.ID) && applied.OnShipping != nil {
			applied.ShippingIDs = []int64{o.Methods[0].ShippingID}
		}
		o.Taxes = append(o.Taxes, applied)
	}
}

// weight is that of the lines that are shipped.
func (o *Order) weight() decimal.Decimal {
	sum := decimal.MustNew(0, 3)
	for i := range o.Lines {
		l := &o.Lines[i]
		if !l.Ships {
			continue
		}
		of, err := l.Weight.Mul(decimal.MustNew(l.Amount, 0))
		if err == nil {
			of, err = sum.Add(of)
		}
		if err != nil { // more than any method ships
			return decimal.MustNew(999_999_999_999_999_999, 0)
		}
		sum = of
	}
	return sum
}

// ships reports whether anything of the order is shipped.
func (o *Order) ships() bool {
	return slices.ContainsFunc(o.Lines, func(l Line) bool { return l.Ships })
}
