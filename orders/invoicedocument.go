package orders

import (
	"context"
	"net/http"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/store"
)

// invoiceOf returns the invoice of an order without its number and date. Its rounding is what
// the total differs from the sum of its parts.
func (o *Orders) invoiceOf(ctx context.Context, tx store.Tx, order *Order) (Document, error) {
	d := Document{
		Kind: Invoice, Buyer: order.buyer(), Taxes: slices.Clone(order.Taxes),
		SubtotalDiscount: order.SubtotalDiscount, ShippingCost: order.ShippingCost, PaymentSurcharge: order.PaymentSurcharge,
		TaxSubtotal: order.TaxSubtotal, TaxIncluded: order.taxIncluded(), TaxExempted: order.TaxExempted,
		Total: order.Total, Currency: order.Currency, Subtotal: order.Subtotal, TotalAdjustment: zero,
		ShippingExempted: zero, SurchargeExempted: zero,
	}
	if d.Currency == "" {
		var err error
		if d.Currency, err = o.setting(ctx, order.CompanyID, shopapi.SettingCurrency); err != nil {
			return d, err
		}
	}
	d.addLines(order)
	if !order.TaxExempted.IsZero() {
		var problems shopapi.Problems
		c, err := o.recomputed(ctx, tx, order, &problems)
		if err != nil || c == nil {
			return d, err
		}
		for i := range d.Lines {
			d.Lines[i].Exempted = c.Lines[i].Exempted
		}
		d.ShippingExempted, d.SurchargeExempted = c.ShippingExempted, c.SurchargeExempted
	}
	var err error
	if d.Seller, err = o.seller(ctx, order.CompanyID); err != nil {
		return d, err
	}
	l := d.ledger()
	d.TotalAdjustment = minus(d.Total, l.worth())
	if d.TotalAdjustment.CmpAbs(maxRounding) > 0 || l.hasNegative() {
		return d, shopapi.Errorf(http.StatusBadRequest, "The order %d cannot be invoiced: its total is not the sum of its lines, shipping, surcharge and taxes.", order.OrderID)
	}
	return d, nil
}

// addLines adds the lines of an order by item id, each with its share of the order's
// discount and with its taxes.
func (d *Document) addLines(order *Order) {
	all := zero
	for i := range order.Lines {
		all = plus(all, order.Lines[i].Subtotal)
	}
	upTo := zero
	for _, i := range order.linesByItem() {
		l := &order.Lines[i]
		line := DocumentLine{
			ItemID: l.ItemID, ProductID: l.ProductID, Name: l.Name, Code: l.Code, Amount: l.Amount, Price: l.Price,
			Discount: l.Discount, Subtotal: l.Subtotal, Taxes: slices.Clone(l.Taxes), SubtotalDiscount: zero, Exempted: zero,
		}
		next := plus(upTo, l.Subtotal)
		if !all.IsZero() {
			line.SubtotalDiscount = pricing.Part(order.SubtotalDiscount, upTo, next, all)
		}
		upTo = next
		d.Lines = append(d.Lines, line)
	}
	for i := range d.Taxes {
		d.cutTax(&d.Taxes[i])
	}
}

// cutTax cuts a tax over its lines in proportion to them, if they do not say their parts: in
// orders of older versions, and of other shops.
func (d *Document) cutTax(t *Tax) {
	said := zero
	for i := range d.Lines {
		for _, of := range d.Lines[i].Taxes {
			if of.TaxID == t.TaxID {
				said = plus(said, of.Subtotal)
			}
		}
	}
	if said.Equal(t.Products) {
		return
	}
	var weights, parts []*decimal.Decimal
	var at []int
	for i := range d.Lines {
		l := &d.Lines[i]
		l.Taxes = slices.DeleteFunc(l.Taxes, func(of LineTax) bool { return of.TaxID == t.TaxID })
		if len(t.Items) > 0 && !slices.Contains(t.Items, l.ItemID) {
			continue
		}
		goods, part := minus(l.Subtotal, l.SubtotalDiscount), zero
		weights, parts, at = append(weights, &goods), append(parts, &part), append(at, i)
	}
	cutInto(t.Products, weights, parts)
	for k, i := range at {
		d.Lines[i].Taxes = append(d.Lines[i].Taxes, LineTax{TaxID: t.TaxID, Taxable: *weights[k], Subtotal: *parts[k]})
	}
}

// hasNegative reports whether an amount of a part is below 0, but for its net amount: where
// each tax is rounded once for the order, a line of a few cents may get more of the included
// taxes than it costs.
func (l *ledger) hasNegative() bool {
	for i := range l.parts {
		p := &l.parts[i]
		worth, follow := p.amounts()
		if p.base().IsNeg() {
			return true
		}
		for _, d := range append(worth[1:], follow...) {
			if d.IsNeg() {
				return true
			}
		}
	}
	return false
}
