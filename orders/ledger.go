package orders

import (
	"slices"

	"github.com/govalues/decimal"
)

// A ledger has the amounts of a document by the parts that are credited apart: the lines by
// item id, the shipping, the surcharge and the rounding (decisions §26).
type ledger struct {
	parts    []ledgerPart // the last two are the shipping and the surcharge
	rounding decimal.Decimal
}

// A ledgerPart is a line, the shipping or the surcharge. It is worth its net amount and its
// taxes.
type ledgerPart struct {
	item   int64 // 0 of shipping and surcharge
	pieces int64 // of a line

	net   decimal.Decimal // without taxes
	taxes []ledgerTax

	// These amounts are shown with the part, and follow it: the included taxes that
	// tax_exempt subtracts, the line's share of the order's discount, and its own discount.
	exempted, share, discount decimal.Decimal
}

// A ledgerTax is a tax of a part.
type ledgerTax struct {
	id              int64
	included        bool // in prices
	amount, taxable decimal.Decimal
}

// ledger returns the amounts of a document by part.
func (d *Document) ledger() *ledger {
	l := &ledger{rounding: d.TotalAdjustment}
	for i := range d.Lines {
		line := &d.Lines[i]
		p := ledgerPart{
			item: line.ItemID, pieces: line.Amount, net: minus(line.Subtotal, line.SubtotalDiscount),
			exempted: line.Exempted, share: line.SubtotalDiscount, discount: line.Discount,
		}
		for _, t := range line.Taxes {
			p.addTax(d.Taxes.byID(t.TaxID), t.Subtotal, t.Taxable)
		}
		l.parts = append(l.parts, p.withoutTaxes())
	}
	shipping := ledgerPart{net: d.ShippingCost, exempted: d.ShippingExempted}
	surcharge := ledgerPart{net: d.PaymentSurcharge, exempted: d.SurchargeExempted}
	for i := range d.Taxes {
		t := &d.Taxes[i]
		if len(t.ShippingIDs) > 0 || !t.Shipping.IsZero() {
			shipping.addTax(t, t.Shipping, t.OnCost)
		}
		if t.OnSurcharge != nil {
			surcharge.addTax(t, t.Surcharge, *t.OnSurcharge)
		}
	}
	l.parts = append(l.parts, shipping.withoutTaxes(), surcharge.withoutTaxes())
	return l
}

// addTax adds a tax of the document, nil for a tax that it does not show.
func (p *ledgerPart) addTax(of *Tax, amount, taxable decimal.Decimal) {
	if of != nil {
		p.taxes = append(p.taxes, ledgerTax{of.TaxID, of.Included, amount, taxable})
	}
}

// withoutTaxes takes included and exempted taxes out of the net amount.
func (p ledgerPart) withoutTaxes() ledgerPart {
	p.net = minus(p.net, p.exempted)
	for _, t := range p.taxes {
		if t.included {
			p.net = minus(p.net, t.amount)
		}
	}
	return p
}

// base is the part without added taxes, and before included ones are exempted: a line's
// subtotal less its share of the discount, the shipping cost, or the surcharge.
func (p *ledgerPart) base() decimal.Decimal {
	sum := plus(p.net, p.exempted)
	for _, t := range p.taxes {
		if t.included {
			sum = plus(sum, t.amount)
		}
	}
	return sum
}

// worth is what the part adds to the total.
func (p *ledgerPart) worth() decimal.Decimal {
	sum := p.net
	for _, t := range p.taxes {
		sum = plus(sum, t.amount)
	}
	return sum
}

// taxesOf are the sums of the taxes that are included or added.
func (p *ledgerPart) taxesOf(included bool) decimal.Decimal {
	sum := zero
	for _, t := range p.taxes {
		if t.included == included {
			sum = plus(sum, t.amount)
		}
	}
	return sum
}

// amounts are all amounts of the part: first the worth, then the amounts that follow.
func (p *ledgerPart) amounts() (worth, follow []*decimal.Decimal) {
	worth, follow = []*decimal.Decimal{&p.net}, []*decimal.Decimal{&p.exempted, &p.share, &p.discount}
	for i := range p.taxes {
		worth, follow = append(worth, &p.taxes[i].amount), append(follow, &p.taxes[i].taxable)
	}
	return worth, follow
}

// blank returns the part with amounts of 0.
func (p *ledgerPart) blank() ledgerPart {
	b := ledgerPart{item: p.item, net: zero, exempted: zero, share: zero, discount: zero, taxes: slices.Clone(p.taxes)}
	for i := range b.taxes {
		b.taxes[i].amount, b.taxes[i].taxable = zero, zero
	}
	return b
}

// blank returns a ledger of the same parts with amounts of 0.
func (l *ledger) blank() *ledger {
	b := &ledger{rounding: zero}
	for i := range l.parts {
		b.parts = append(b.parts, l.parts[i].blank())
	}
	return b
}

// worth is the sum of the parts without the rounding.
func (l *ledger) worth() decimal.Decimal {
	sum := zero
	for i := range l.parts {
		sum = plus(sum, l.parts[i].worth())
	}
	return sum
}

// total is the sum of the parts and of the rounding.
func (l *ledger) total() decimal.Decimal { return plus(l.worth(), l.rounding) }

// clone returns a copy.
func (l *ledger) clone() *ledger {
	c := &ledger{parts: slices.Clone(l.parts), rounding: l.rounding}
	for i := range c.parts {
		c.parts[i].taxes = slices.Clone(c.parts[i].taxes)
	}
	return c
}

// subtract takes the amounts of a document of the same order off.
func (l *ledger) subtract(other *ledger) {
	l.rounding = minus(l.rounding, other.rounding)
	last := len(other.parts)
	for i := range l.parts {
		p := &l.parts[i]
		switch k := i - (len(l.parts) - 2); {
		case k >= 0: // the shipping or the surcharge
			p.subtract(&other.parts[last-2+k])
		default:
			if at := slices.IndexFunc(other.parts[:last-2], func(o ledgerPart) bool { return o.item == p.item }); at >= 0 {
				p.subtract(&other.parts[at])
			}
		}
	}
}

func (p *ledgerPart) subtract(other *ledgerPart) {
	p.pieces -= other.pieces
	p.net, p.exempted = minus(p.net, other.net), minus(p.exempted, other.exempted)
	p.share, p.discount = minus(p.share, other.share), minus(p.discount, other.discount)
	for i := range p.taxes {
		t := &p.taxes[i]
		if at := slices.IndexFunc(other.taxes, func(o ledgerTax) bool { return o.id == t.id }); at >= 0 {
			t.amount, t.taxable = minus(t.amount, other.taxes[at].amount), minus(t.taxable, other.taxes[at].taxable)
		}
	}
}
