package orders

import (
	"cmp"
	"context"
	"maps"
	"reflect"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An order of products of several vendors is split: each vendor has an order of its
// own, and a parent sums them up (decisions §18).

// sumUp makes a parent the sum of its parts.
func (o *Order) sumUp(parts []Order) {
	o.Lines, o.Taxes, o.Methods = nil, nil, nil
	o.Subtotal, o.Discount, o.SubtotalDiscount, o.ShippingCost = zero, zero, zero, zero
	o.TaxSubtotal, o.TaxExempted, o.PaymentSurcharge, o.Total, o.TotalAdjustment = zero, zero, zero, zero, zero
	o.Repaid = nil
	ids, items := "", map[int64]bool{}
	for i := range parts {
		part := &parts[i]
		if part.Repaid != nil {
			sum := plus(o.repaid(), *part.Repaid)
			o.Repaid = &sum
		}
		for _, l := range part.Lines {
			l.Reserved, l.FromCombination = 0, false
			l.ItemID = itemID(keyOf(l.ProductID, l.Selection), func(id int64) bool { return items[id] })
			items[l.ItemID] = true
			o.Lines = append(o.Lines, l)
		}
		for _, t := range part.Taxes {
			o.addTax(t)
		}
		o.Methods = append(o.Methods, part.Methods...)
		for _, sum := range []struct{ to, of *decimal.Decimal }{
			{&o.Subtotal, &part.Subtotal}, {&o.Discount, &part.Discount}, {&o.SubtotalDiscount, &part.SubtotalDiscount},
			{&o.ShippingCost, &part.ShippingCost}, {&o.TaxSubtotal, &part.TaxSubtotal},
			{&o.TaxExempted, &part.TaxExempted}, {&o.PaymentSurcharge, &part.PaymentSurcharge},
			{&o.Total, &part.Total}, {&o.TotalAdjustment, &part.TotalAdjustment},
		} {
			if added, err := sum.to.Add(*sum.of); err == nil { // a thousand times the greatest amount is one
				*sum.to = added
			}
		}
		if part.ShippingIDs != "" {
			ids += "," + string(part.ShippingIDs)
		}
	}
	o.ShippingIDs = ""
	if ids != "" {
		o.ShippingIDs = shopapi.IDList(ids[1:])
	}
	if len(parts) > 0 {
		o.Payment, o.PaymentID = parts[0].Payment, parts[0].PaymentID
	}
}

// splitInto makes a new order the parent of parts.
func (o *Order) splitInto(parts []Order, company int64) {
	for i := range parts {
		parts[i].moves = nil // the parent makes them
	}
	o.parts, o.IsParent, o.CompanyID = parts, true, company
	o.sumUp(parts)
}

// addTax adds the amounts of a tax of a part.
func (o *Order) addTax(t Tax) {
	for i := range o.Taxes {
		has := &o.Taxes[i]
		if has.TaxID != t.TaxID {
			continue
		}
		if has.Included != t.Included || has.Inside != nil { // the parts have different tables of it
			inside := plus(has.inside(), t.inside())
			has.Inside = &inside
		}
		has.OnProducts, has.OnShipping = cmp.Or(has.OnProducts, t.OnProducts), cmp.Or(has.OnShipping, t.OnShipping)
		has.Subtotal, has.Products, has.Shipping = plus(has.Subtotal, t.Subtotal), plus(has.Products, t.Products), plus(has.Shipping, t.Shipping)
		has.Surcharge, has.OnGoods, has.OnCost = plus(has.Surcharge, t.Surcharge), plus(has.OnGoods, t.OnGoods), plus(has.OnCost, t.OnCost)
		switch {
		case t.OnSurcharge == nil:
		case has.OnSurcharge == nil:
			has.OnSurcharge = t.OnSurcharge
		default:
			on := plus(*has.OnSurcharge, *t.OnSurcharge)
			has.OnSurcharge = &on
		}
		has.Items = append(has.Items, t.Items...)
		has.ShippingIDs = append(has.ShippingIDs, t.ShippingIDs...)
		return
	}
	t.Items = append([]int64(nil), t.Items...)
	o.Taxes = append(o.Taxes, t)
}

func plus(a, b decimal.Decimal) decimal.Decimal {
	sum, err := a.Add(b)
	if err != nil {
		return a
	}
	return sum
}

var zero = decimal.MustNew(0, 2)

// changeParent changes the status of a parent, which its parts then get too. It refuses
// every other change.
func (o *Orders) changeParent(tx store.Tx, before, after *Order, asked *Change, problems *shopapi.Problems) error {
	if err := checkLetterOf(tx, before, after, problems); err != nil {
		return err
	}
	if asked.Status {
		others, err := table.Count(tx, store.Equal("parent_order_id", store.Int(after.OrderID)), store.NotEqual("status", store.String(after.Status)))
		if err != nil {
			return err
		}
		if after.spread = others > 0; after.spread {
			after.Change = &Change{Status: true} // the row may stay as it is, its parts do not
		}
	}
	const only = "cannot be changed on an order of several vendors: change it on the order of each; status alone can be"
	for _, field := range []struct {
		name    string
		changed bool
	}{
		{"user_id", after.UserID != before.UserID}, {"payment_id", after.PaymentID != before.PaymentID},
		{"total", !after.Total.Equal(before.Total)}, {"subtotal_discount", !after.SubtotalDiscount.Equal(before.SubtotalDiscount)},
		{"shipping_cost", !after.ShippingCost.Equal(before.ShippingCost) || after.ShippingCostSet != before.ShippingCostSet},
		{"payment_surcharge", !after.PaymentSurcharge.Equal(before.PaymentSurcharge) || after.PaymentSurchargeSet != before.PaymentSurchargeSet},
		{"tax_exempt", after.TaxExempt != before.TaxExempt},
		{"repaid", !after.repaid().Equal(before.repaid())},
		{"payment_info", !maps.Equal(after.PaymentInfo, before.PaymentInfo)},
		{"reprice", asked.Reprice},
		{"notes", after.Notes != before.Notes}, {"details", after.Details != before.Details},
		{"invoice_id", !reflect.DeepEqual(after.InvoiceID, before.InvoiceID)},
		{"credit_memo_id", !reflect.DeepEqual(after.CreditMemoID, before.CreditMemoID)},
		{"shipping_id", asked.ShippingID != 0 || asked.ShippingIDs != nil},
	} {
		if field.changed {
			problems.Add(field.name, only)
		}
	}
	if asked.Customer != nil {
		c := after.customer()
		asked.Customer(&c)
		if c.normalize(); c != before.customer() {
			problems.Add("user_data", only)
		}
	}
	if asked.Lines != nil {
		kept, added := keptLines(before, asked.Lines, problems)
		changed := len(added) > 0 || len(kept) != len(before.Lines)
		for i := range before.Lines {
			changed = changed || !reflect.DeepEqual(kept[before.Lines[i].ItemID].Line, before.Lines[i])
		}
		if changed {
			problems.Add("products", only)
		}
	}
	return nil
}

// partsOf reads the parts of a parent, in the order in which they were made.
func partsOf(tx store.Tx, parent int64) ([]Order, error) {
	return table.Select(tx, store.Query{Where: []store.Cond{store.Equal("parent_order_id", store.Int(parent))}, Order: []store.Order{store.Asc("order_id")}})
}

// writeParts stores the parts of a new parent, each as an order of its own.
func (o *Orders) writeParts(ctx context.Context, parent *Order) error {
	for _, part := range parent.parts {
		part.ParentOrderID, part.prepared, part.fresh = parent.OrderID, &part, true
		part.Custom = parent.Custom
		if _, err := o.rows.Create(ctx, part); err != nil {
			return err
		}
	}
	parent.parts = nil
	return nil
}

// setStatusOfParts gives the parts of a parent its status.
func (o *Orders) setStatusOfParts(ctx context.Context, tx store.Tx, parent *Order) error {
	parts, err := partsOf(tx, parent.OrderID)
	if err != nil {
		return err
	}
	for i := range parts {
		if parts[i].Status == parent.Status {
			continue
		}
		if _, err := o.SetStatus(ctx, parts[i].OrderID, parent.Status, parent.Notify); err != nil {
			return err
		}
	}
	return nil
}

// followParts has a parent follow a change of one of its parts.
func (o *Orders) followParts(ctx context.Context, tx store.Tx, id int64) error {
	parent, err := table.Get(tx, id)
	if err != nil {
		return err
	}
	parts, err := partsOf(tx, id)
	if err != nil {
		return err
	}
	if len(parts) == 0 { // its hooks have run, since it is in the subtree of the last part
		if err := forgetHistory(tx, id); err != nil {
			return err
		}
		return table.DeleteKey(tx, id)
	}
	after := parent
	after.sumUp(parts)
	changed, err := table.Changed(&parent, &after)
	if err != nil || len(changed) == 0 {
		return err
	}
	resource.SetStamp(ctx, o.api, &after)
	o.api.Changed(ctx, "orders", shopapi.OpUpdate, shopapi.FormatID(id))
	if err := table.Update(tx, &after); err != nil {
		return err
	}
	return o.rows.Saved(ctx, tx, &parent, &after)
}
