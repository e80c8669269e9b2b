package pull

import (
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/pricing"
)

// shippingTaxes are the taxes on each shipping method of an order.
func (p *puller) shippingTaxes(o *object) map[int64][]int64 {
	by := map[int64][]int64{}
	for _, e := range o.list("taxes") {
		items := o.under(o.under(o.under(e.Value).members["applies"]).members["items"])
		for _, s := range items.list("S") {
			if id := s.ID(); id > 0 {
				by[id] = append(by[id], e.ID())
			}
		}
	}
	return by
}

// taxes are the taxes of an order. The lines that they are on get their ids.
func (p *puller) taxes(o *object, lines orders.Lines, methods orders.Methods) orders.Taxes {
	list := taxesIn(o)
	for i := range list {
		t := &list[i]
		for k := range lines {
			if slices.Contains(t.Items, lines[k].ItemID) {
				lines[k].TaxIDs = append(lines[k].TaxIDs, t.TaxID)
			}
		}
		t.ShippingIDs = nil // one for each method that the tax is on
		for k := range methods {
			if slices.Contains(methods[k].TaxIDs, t.TaxID) {
				t.ShippingIDs = append(t.ShippingIDs, methods[k].ShippingID)
			}
		}
	}
	if o.flag("is_parent_order") {
		insideParent(o, list)
	}
	return list
}

// taxesIn are the taxes of an order or of a document.
func taxesIn(o *object) orders.Taxes {
	list := orders.Taxes{}
	for _, e := range o.list("taxes") {
		t := o.under(e.Value)
		applies := t.under(t.members["applies"])
		items := applies.under(applies.members["items"])
		made := orders.Tax{
			TaxID: e.ID(), Name: t.text("description"), RegNumber: t.text("regnumber"), Priority: t.int("priority"),
			Included: t.flag("price_includes_tax"), Subtotal: t.decimal("tax_subtotal", 2),
			Products: applies.decimal("P", 2), Shipping: applies.decimal("S", 2),
		}
		for _, i := range items.list("P") {
			made.Items = append(made.Items, i.ID())
		}
		for _, i := range items.list("S") {
			made.ShippingIDs = append(made.ShippingIDs, i.ID())
		}
		ratesIn(t, &made)
		list = append(list, made)
	}
	return list
}

// ratesIn reads the rates of a tax with the amounts that they were applied to. Published
// servers send one rate, without such amounts.
func ratesIn(t *object, made *orders.Tax) {
	shown := rateIn(t)
	made.OnGoods, made.OnCost, made.Surcharge = decimal.MustNew(0, 2), decimal.MustNew(0, 2), decimal.MustNew(0, 2)
	rates := t.list("rates")
	for _, e := range rates {
		r := t.under(e.Value)
		rate, taxable := rateIn(r), r.decimal("taxable_amount", 2)
		switch to := r.text("apply_to"); to {
		case "P":
			made.OnProducts, made.OnGoods = &rate, taxable
		case "S":
			made.OnShipping, made.OnCost = &rate, taxable
		case "PS":
			made.OnShipping, made.OnSurcharge, made.Surcharge = &rate, &taxable, r.decimal("tax_subtotal", 2)
		default:
			t.problem("rates", "has a rate that applies to "+short(to)+", which is left out")
		}
	}
	if len(rates) > 0 {
		if made.OnProducts == nil && made.OnShipping != nil && *made.OnShipping != shown {
			made.OnProducts = &shown
		}
		return
	}
	if len(made.Items) > 0 {
		made.OnProducts = &shown
	}
	if len(made.ShippingIDs) > 0 {
		made.OnShipping = &shown
	}
}

func rateIn(o *object) pricing.TaxRate {
	return pricing.TaxRate{Value: o.decimal("rate_value", 3), Fixed: o.text("rate_type") == "F"}
}

// lineTaxes are the taxes of a line with the amounts that they were applied to, which
// published servers do not send.
func lineTaxes(line *object) (list []orders.LineTax) {
	for _, e := range line.list("taxes") {
		t := line.under(e.Value)
		if e.ID() > 0 && t.has("taxable_amount") {
			list = append(list, orders.LineTax{TaxID: e.ID(), Taxable: t.decimal("taxable_amount", 2), Subtotal: t.decimal("tax_subtotal", 2)})
		}
	}
	return list
}

// insideParent sets the part of the tax of a parent that is inside prices, where it is only a
// part: parents have only the sum over all taxes.
func insideParent(o *object, list orders.Taxes) {
	if !o.has("tax_included") {
		return
	}
	inside, sum := o.decimal("tax_included", 2), decimal.MustNew(0, 2)
	for i := range list {
		if list[i].Included {
			sum, _ = sum.Add(list[i].Subtotal)
		}
	}
	switch {
	case inside.Equal(sum):
	case len(list) == 1:
		list[0].Inside = &inside
	default:
		o.problem("tax_included", "cannot be told apart by taxes: each counts as its first order has it")
	}
}
