package orders

import "slices"

// credited returns the credit memo of amounts of an invoice, without its number and date. It
// has the parties of the invoice, and the lines and taxes of which it credits something.
func (d *Document) credited(memo *ledger) Document {
	m := Document{
		Kind: CreditMemo, Seller: d.Seller, Buyer: d.Buyer, Currency: d.Currency, Taxes: Taxes{},
		Subtotal: zero, SubtotalDiscount: zero, TaxSubtotal: zero, TaxIncluded: zero, TaxExempted: zero,
		TotalAdjustment: memo.rounding, Total: memo.total(),
	}
	taxes := make([]Tax, len(d.Taxes))
	for i := range taxes {
		t := d.Taxes[i]
		t.Subtotal, t.Products, t.Shipping, t.Surcharge, t.OnGoods, t.OnCost, t.OnSurcharge = zero, zero, zero, zero, zero, zero, nil
		t.Items, t.ShippingIDs = nil, nil
		taxes[i] = t
	}
	last := len(memo.parts) - 2
	for i := range memo.parts {
		p := &memo.parts[i]
		m.TaxSubtotal, m.TaxIncluded = plus(m.TaxSubtotal, p.taxesOf(false)), plus(m.TaxIncluded, p.taxesOf(true))
		m.TaxExempted = plus(m.TaxExempted, p.exempted)
		for k := range taxes {
			at := slices.IndexFunc(p.taxes, func(t ledgerTax) bool { return t.id == taxes[k].TaxID })
			if at >= 0 && (i < last || !p.isBlank()) {
				taxes[k].credit(&p.taxes[at], p, i-last, d.Taxes[k].ShippingIDs)
			}
		}
		if i < last && !p.isBlank() {
			line := d.line(p.item).credited(p)
			m.Lines = append(m.Lines, line)
			m.Subtotal, m.SubtotalDiscount = plus(m.Subtotal, line.Subtotal), plus(m.SubtotalDiscount, line.SubtotalDiscount)
		}
	}
	shipping, surcharge := &memo.parts[last], &memo.parts[last+1]
	m.ShippingCost, m.ShippingExempted = shipping.base(), shipping.exempted
	m.PaymentSurcharge, m.SurchargeExempted = surcharge.base(), surcharge.exempted
	for i := range taxes {
		if t := &taxes[i]; len(t.Items) > 0 || len(t.ShippingIDs) > 0 || t.OnSurcharge != nil {
			m.Taxes = append(m.Taxes, *t)
		}
	}
	return m
}

// credit adds what a part credits of the tax: 0 is the shipping, 1 the surcharge, and lines
// are below.
func (t *Tax) credit(of *ledgerTax, p *ledgerPart, part int, shippingIDs []int64) {
	t.Subtotal = plus(t.Subtotal, of.amount)
	switch {
	case part == 0:
		t.Shipping, t.OnCost, t.ShippingIDs = of.amount, of.taxable, shippingIDs
	case part == 1:
		taxable := of.taxable
		t.Surcharge, t.OnSurcharge = of.amount, &taxable
	case !p.isBlank():
		t.Products, t.OnGoods = plus(t.Products, of.amount), plus(t.OnGoods, of.taxable)
		t.Items = append(t.Items, p.item)
	}
}

// isBlank reports whether nothing of the part is credited.
func (p *ledgerPart) isBlank() bool {
	worth, follow := p.amounts()
	for _, d := range append(worth, follow...) {
		if !d.IsZero() {
			return false
		}
	}
	return p.pieces == 0
}

// credited returns the line with credited amounts.
func (l *DocumentLine) credited(p *ledgerPart) DocumentLine {
	c := *l
	c.Amount, c.Discount, c.SubtotalDiscount, c.Exempted = p.pieces, p.discount, p.share, p.exempted
	c.Subtotal, c.Taxes = plus(p.base(), p.share), nil
	for _, t := range p.taxes {
		c.Taxes = append(c.Taxes, LineTax{TaxID: t.id, Taxable: t.taxable, Subtotal: t.amount})
	}
	return c
}
