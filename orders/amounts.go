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
)

// A pricer computes the amounts of one order that is placed or changed, from its rules and
// its content alone.
type pricer struct {
	*Orders
	ctx      context.Context
	tx       store.Tx
	problems *shopapi.Problems
	order    *Order
	book     *ruleBook
	fields   []string // how problems name the lines of the order
	sent     string   // shipping_cost or payment_surcharge, if the request writes it
}

// computed are the amounts of an order, before they are set.
type computed struct {
	pricing.Amounts
	at    []int // indexes of the lines, in the order in which they were priced
	taxes []Tax // of the order, with the rates that fit, without amounts
}

// price computes the amounts and sets them, and notes what cannot be priced.
func (p *pricer) price() error {
	c, err := p.compute()
	if err != nil || c == nil {
		return err
	}
	p.set(c)
	return nil
}

// compute computes the amounts. It returns nil, and notes why, where there are none.
func (p *pricer) compute() (*computed, error) {
	o, b := p.order, p.book
	if err := p.keepToday(p.missingTaxes()); err != nil || p.problems.Has("products") {
		return nil, err
	}
	c := &computed{at: o.linesByItem(), taxes: b.taxesAt(o)}
	ask := pricing.Order{SubtotalDiscount: o.SubtotalDiscount, TaxExempt: bool(o.TaxExempt), RoundOrder: b.roundOrder}
	for _, i := range c.at {
		l := &o.Lines[i]
		ask.Lines = append(ask.Lines, pricing.Line{
			Price: l.Price, Amount: l.Amount, Discount: l.Discount, TaxIDs: l.TaxIDs,
			Ships: l.Ships, Weight: l.Weight, Freight: l.Freight,
		})
	}
	if b.shipping != nil {
		ask.Shipping = &pricing.Shipping{Rates: p.rates(b.shipping), Destinations: b.destinations, TaxIDs: b.shipping.TaxIDs}
	} else if o.ShippingCostSet {
		ask.Shipping = &pricing.Shipping{}
	}
	if o.ShippingCostSet {
		ask.Shipping.Cost = &o.ShippingCost
	}
	if b.payment != nil {
		ask.Surcharge = pricing.Surcharge{Value: b.ownSurcharge(), Percent: b.payment.Percent, TaxIDs: b.payment.TaxIDs}
	}
	if o.PaymentSurchargeSet {
		ask.Surcharge.Cost = &o.PaymentSurcharge
	}
	for i := range c.taxes {
		t := &c.taxes[i]
		ask.Taxes = append(ask.Taxes, pricing.Tax{ID: t.TaxID, Priority: t.Priority, Included: t.Included, Products: t.OnProducts, Shipping: t.OnShipping})
	}
	var err error
	if c.Amounts, err = pricing.Price(&ask); err != nil {
		return nil, p.refuse(err, c.at)
	}
	return c, nil
}

// rates are the rates of a shipping method, parsed.
func (p *pricer) rates(t *shippingTable) []pricing.Rate {
	if p.from.Shippings == nil {
		return t.Rates.Pricing()
	}
	return p.from.Shippings.Pricing(&shippings.Shipping{Rates: t.Rates}).Rates
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

// refuse notes why an order cannot be priced, whose lines were priced in the order at.
func (p *pricer) refuse(err error, at []int) error {
	var field *pricing.FieldError
	o := p.order
	switch {
	case errors.As(err, &field) && field.Line >= 0:
		p.problems.Add(p.fields[at[field.Line]]+"["+field.Field+"]", "%s", field.Text)
	case errors.As(err, &field):
		p.problems.Add(field.Field, "%s", field.Text)
	case errors.Is(err, pricing.ErrNoRate):
		p.problems.Add("shipping_id", "cannot be used: the shipping method %d has no rate for the address", o.Methods[0].ShippingID)
	case errors.Is(err, pricing.ErrTooLarge) && p.sent != "" && o.goodsFit():
		p.problems.Add(p.sent, "must be less: the order may cost at most %s with it", pricing.Max)
	case errors.Is(err, pricing.ErrTooLarge):
		p.problems.Add("products", "must cost at most %s together, with shipping, taxes and surcharge", pricing.Max)
	default:
		return err
	}
	return nil
}

// goodsFit reports whether the lines alone do not cost more than an order may.
func (o *Order) goodsFit() bool {
	sum := zero
	for i := range o.Lines {
		cost, err := o.Lines[i].Price.Mul(decimal.MustNew(o.Lines[i].Amount, 0))
		if err == nil {
			sum, err = sum.Add(cost)
		}
		if err != nil {
			return false
		}
	}
	return sum.Cmp(pricing.Max) <= 0
}

// missingTaxes returns the ids of the taxes that the order names and has no tables of. It notes
// where lines name too many taxes.
func (p *pricer) missingTaxes() []int64 {
	n := 0
	for i := range p.order.Lines {
		n += len(p.order.Lines[i].TaxIDs)
	}
	if n > maxTaxedLines {
		p.problems.Add("products", "must have fewer taxes: lines have at most %d together, not %d", maxTaxedLines, n)
		return nil
	}
	return p.book.missing(p.order.Lines)
}

// keepToday has the order keep today's tables of taxes, unless they are gone.
func (p *pricer) keepToday(ids []int64) error {
	if p.from.Taxes == nil || len(ids) == 0 {
		return nil
	}
	p.lastTaxes.Store(&ids)
	today, err := p.from.Taxes.ByID(p.ctx, p.tx, ids...)
	if err != nil {
		return err
	}
	size := 0
	for i := range today {
		size += len(today[i].Rates)
	}
	if size > maxTaxRates { // the rates of the address are searched in all of them
		p.problems.Add("products", "must have fewer taxes: those of one order have at most %d bytes of rates together", maxTaxRates)
		return nil
	}
	for i := range today {
		t := &today[i]
		p.book.addTax(bookTax{t.TaxID, t.Name, t.RegNumber, taxTableOf(t)})
	}
	return nil
}

// taxesAt returns the taxes that an order names with the rates that fit its addresses, by
// priority and id.
func (b *ruleBook) taxesAt(o *Order) []Tax {
	var list []Tax
	for _, id := range b.named(o.Lines) {
		t := b.tax(id)
		if t == nil { // it was gone when it was named first
			continue
		}
		to := &o.Shipping
		if t.Billing {
			to = &o.Billing
		}
		list = append(list, Tax{
			TaxID: id, Name: t.name, RegNumber: t.regNumber, Priority: t.Priority, Included: t.Included,
			OnProducts: pricing.Choose(t.Rates, placeOf(to), false),
			OnShipping: pricing.Choose(t.Rates, placeOf(to), true),
		})
	}
	slices.SortStableFunc(list, func(a, b Tax) int { return cmp.Compare(a.Priority, b.Priority) })
	return list
}

// maxTaxedLines bounds the sum of the numbers of taxes of all lines.
const maxTaxedLines = 20_000

// maxTaxRates is the greatest length of the rates of all taxes of an order, in bytes.
const maxTaxRates = 256 << 10

// set takes over the amounts that were computed.
func (p *pricer) set(c *computed) {
	o := p.order
	p.book.sumsKept = false
	o.Subtotal, o.Discount, o.ShippingCost = c.Subtotal, c.Discount, c.ShippingCost
	o.TaxSubtotal, o.TaxExempted, o.PaymentSurcharge = c.TaxSubtotal, c.Exempted, c.Surcharge
	o.Total, o.TotalSet, o.TotalAdjustment = c.Total, false, zero
	for i, line := range c.at {
		l := &o.Lines[line]
		l.Subtotal, l.Tax, l.Taxes = c.Lines[i].Subtotal, c.Lines[i].Tax, nil
	}
	if len(o.Methods) > 0 {
		o.Methods[0].Rate = c.ShippingCost
	}
	o.Taxes = Taxes{}
	for i := range c.Taxes {
		o.Taxes = append(o.Taxes, p.applied(c, &c.Taxes[i]))
	}
}

// applied is a tax of an order with its amounts, of which each line gets its own.
func (p *pricer) applied(c *computed, t *pricing.TaxAmounts) Tax {
	o := p.order
	applied := c.taxes[slices.IndexFunc(c.taxes, func(known Tax) bool { return known.TaxID == t.ID })]
	applied.Subtotal, applied.Products, applied.Shipping, applied.Surcharge = t.Subtotal, t.Products, t.Shipping, t.Surcharge
	applied.OnGoods, applied.OnCost, applied.OnSurcharge = t.ProductsBase, t.ShippingBase, nil
	if t.OnSurcharge {
		applied.OnSurcharge = &t.SurchargeBase
	}
	onLine := make([]bool, len(o.Lines))
	for i, line := range c.at {
		if t.OnLines[i] {
			onLine[line] = true
			l := &o.Lines[line]
			l.Taxes = append(l.Taxes, LineTax{TaxID: t.ID, Taxable: t.LineBases[i], Subtotal: t.Lines[i]})
		}
	}
	for i := range o.Lines {
		if onLine[i] {
			applied.Items = append(applied.Items, o.Lines[i].ItemID)
		}
	}
	if t.OnShipping && len(o.Methods) > 0 {
		applied.ShippingIDs = []int64{o.Methods[0].ShippingID}
	}
	return applied
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
