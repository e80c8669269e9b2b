package orders

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/store"
)

// A recalculation decides which amounts of an order are computed again when it changes, and
// by which rules.
type recalculation struct {
	pricer
	before *Order
	asked  *Change
	lines  *lineChange

	written struct{ total, shipping, surcharge bool } // amounts that were sent and differ
	changed bool                                      // content apart from addresses
	moved   bool                                      // what addresses choose
}

// changeAmounts computes the amounts again where their content changed.
func (o *Orders) changeAmounts(ctx context.Context, tx store.Tx, before, after *Order, asked *Change, lines *lineChange, problems *shopapi.Problems) error {
	book, err := o.bookOf(tx, before)
	if err != nil {
		return err
	}
	if !before.Rules.Kept {
		book.addUnknown(before)
	}
	r := &recalculation{
		pricer: pricer{Orders: o, ctx: ctx, tx: tx, problems: problems, order: after, book: book, fields: lines.fields},
		before: before, asked: asked, lines: lines,
	}
	former := *book
	former.taxes = slices.Clone(book.taxes)
	r.readWritten()
	if err := r.checkCurrency(); err != nil {
		return err
	}
	for _, step := range []func() error{r.reprice, r.changePayment, r.changeShipping, r.changeAddresses} {
		if err := step(); err != nil {
			return err
		}
	}
	if !r.changed && !r.moved && !r.written.total {
		return nil
	}
	return r.compute(&former)
}

// readWritten notes the amounts that were sent and differ: they are written from now on.
func (r *recalculation) readWritten() {
	before, after := r.before, r.order
	r.written.total = !after.Total.Equal(before.Total)
	if !after.ShippingCost.Equal(before.ShippingCost) {
		r.written.shipping, after.ShippingCostSet, r.sent = true, true, "shipping_cost"
	}
	if !after.PaymentSurcharge.Equal(before.PaymentSurcharge) {
		r.written.surcharge, after.PaymentSurchargeSet = true, true
		r.sent = cmp.Or(r.sent, "payment_surcharge")
	}
	r.changed = r.lines.changed || !after.SubtotalDiscount.Equal(before.SubtotalDiscount) || after.TaxExempt != before.TaxExempt ||
		r.written.shipping || after.ShippingCostSet != before.ShippingCostSet ||
		r.written.surcharge || after.PaymentSurchargeSet != before.PaymentSurchargeSet
}

// shippingID returns the shipping method that is asked for, 0 where the order keeps its
// own.
func (r *recalculation) shippingID() int64 {
	had := int64(0)
	if len(r.before.Methods) > 0 {
		had = r.before.Methods[0].ShippingID
	}
	if id := r.asked.shippingFor(r.order.CompanyID, true); id > 0 && id != had {
		return id
	}
	return 0
}

// checkCurrency refuses what takes today's amounts where the shop's currency is another
// than that of the order.
func (r *recalculation) checkCurrency() error {
	newPayment, newShipping := r.order.PaymentID != r.before.PaymentID, r.shippingID() > 0
	if r.before.Currency == "" || !r.lines.added && !newPayment && !newShipping && !r.asked.Reprice {
		return nil
	}
	today, err := r.setting(r.ctx, r.order.CompanyID, shopapi.SettingCurrency)
	if err != nil || today == r.before.Currency {
		return err
	}
	const other = "the order is in %s, and the shop in %s now"
	for _, field := range r.lines.unpriced {
		r.problems.Add(field+"[price]", "is required: "+other, r.before.Currency, today)
	}
	if newShipping && !r.written.shipping {
		r.problems.Add("shipping_cost", "is required with another shipping method: "+other, r.before.Currency, today)
	}
	if newPayment && !r.written.surcharge {
		r.problems.Add("payment_surcharge", "is required with another payment method: "+other, r.before.Currency, today)
	}
	if r.asked.Reprice {
		r.problems.Add("reprice", "cannot be Y: "+other, r.before.Currency, today)
	}
	return nil
}

// reprice takes today's tables of the methods and of all taxes that are kept, and ends the
// written amounts that were not sent.
func (r *recalculation) reprice() error {
	if !r.asked.Reprice {
		return nil
	}
	r.changed = true
	r.order.entry.Fields.add("reprice")
	o := r.order
	o.ShippingCostSet, o.PaymentSurchargeSet = shopapi.Flag(r.written.shipping), shopapi.Flag(r.written.surcharge)
	var gone shopapi.Problems // a method that is gone keeps its table
	if o.PaymentID == r.before.PaymentID {
		method, err := r.paymentMethod(r.ctx, o.PaymentID, o.CompanyID, &gone)
		if err != nil {
			return err
		}
		if method != nil && r.from.Payments != nil {
			r.book.setPayment(method)
			o.Payment.ASurcharge, o.Payment.PSurcharge, o.Payment.TaxIDs = r.book.ownSurcharge(), method.PSurcharge, method.TaxIDs
		}
	}
	if len(o.Methods) > 0 && r.shippingID() == 0 && r.from.Shippings != nil {
		method, err := r.shippingMethod(r.ctx, o.Methods[0].ShippingID, o.CompanyID, &gone)
		if err != nil {
			return err
		}
		if method != nil {
			o.Methods = slices.Clone(o.Methods)
			m := &o.Methods[0]
			m.MinWeight, m.MaxWeight, m.TaxIDs = method.MinWeight, method.MaxWeight, method.TaxIDs.IDs()
			r.book.setShipping(method)
			r.checkWeight()
		}
	}
	var ids []int64
	for i := range r.book.taxes {
		ids = append(ids, r.book.taxes[i].id)
	}
	return r.keepToday(ids)
}

// changePayment gives the order another payment method, with its table of today.
func (r *recalculation) changePayment() error {
	after := r.order
	if after.PaymentID == r.before.PaymentID {
		return nil
	}
	r.changed = true
	r.problems.Range("payment_id", after.PaymentID, 1, 1<<62)
	if after.PaymentID < 1 {
		return nil
	}
	method, err := r.paymentMethod(r.ctx, after.PaymentID, after.CompanyID, r.problems)
	if err != nil || method == nil {
		return err
	}
	if after.ParentOrderID != 0 && r.book.cut == nil { // of an older version: the first has all of it
		earlier, err := table.Count(r.tx, store.Equal("parent_order_id", store.Int(after.ParentOrderID)), store.Less("order_id", store.Int(after.OrderID)))
		if err != nil {
			return err
		}
		if earlier > 0 {
			method.ASurcharge = zeroSurcharge
		}
	}
	r.book.setPayment(method)
	after.Payment = PaymentMethod{*method}
	after.Payment.ASurcharge = r.book.ownSurcharge()
	after.PaymentSurchargeSet = shopapi.Flag(r.written.surcharge)
	return nil
}

// changeShipping gives the order another shipping method, with its table of today.
func (r *recalculation) changeShipping() error {
	after := r.order
	switch id := r.shippingID(); {
	case id > 0:
		r.changed = true
		after.entry.Fields.add("shipping_id")
		method, err := r.shippingMethod(r.ctx, id, after.CompanyID, r.problems)
		if err != nil || method == nil {
			return err
		}
		after.ShippingCostSet = shopapi.Flag(r.written.shipping)
		checkMethodStatus(method, r.problems)
		r.book.setShipping(method)
		r.checkWeight()
		return r.setMethod(r.ctx, after, method)
	case (r.lines.changed || bool(r.before.ShippingCostSet && !after.ShippingCostSet)) && len(r.before.Methods) > 0:
		r.checkWeight()
	case r.lines.changed && after.ships() && !r.before.ships() && !bool(after.ShippingCostSet):
		r.problems.Add("shipping_id", "is required: the id of a shipping method")
	}
	return nil
}

// checkWeight notes that the order is too light or too heavy for its shipping method,
// unless the cost is written.
func (r *recalculation) checkWeight() {
	t := r.book.shipping
	if t == nil || bool(r.order.ShippingCostSet) {
		return
	}
	limits := shippings.Summary{ShippingID: r.shippingID(), MinWeight: t.MinWeight, MaxWeight: t.MaxWeight}
	if limits.ShippingID == 0 {
		limits.ShippingID = r.order.Methods[0].ShippingID
	}
	checkWeight(r.order, &limits, r.problems)
}

// changeAddresses notes what changed addresses choose: destinations of the shipping
// address, asked for when it is written, and rates of taxes.
func (r *recalculation) changeAddresses() error {
	before, after := r.before, r.order
	if after.Shipping != before.Shipping || r.book.destinations == nil {
		destinations := r.destinationsOf(r.ctx, after.Shipping)
		r.moved = r.book.destinations != nil && !slices.Equal(destinations, r.book.destinations)
		r.book.destinations = destinations
	}
	if placeOf(&after.Shipping) != placeOf(&before.Shipping) || placeOf(&after.Billing) != placeOf(&before.Billing) {
		r.moved = true
	}
	return nil
}

// compute computes all amounts, and then applies the written total. former are the rules
// before the change.
func (r *recalculation) compute(former *ruleBook) error {
	after, sent := r.order, r.order.Total
	c, err := r.pricer.compute()
	if err != nil || c == nil {
		return err
	}
	after.book, after.Change = r.book, &Change{} // the rules may change alone
	switch {
	case r.asked.KeepAmounts:
		r.keepAmounts()
		after.TotalAdjustment = minus(sent, c.Total)
	case r.changed:
		r.set(c)
	case r.moved:
		if err := r.setMoved(former, c); err != nil {
			return err
		}
	}
	if r.written.total {
		after.Total, after.TotalSet, after.TotalAdjustment = sent, true, minus(sent, c.Total)
	}
	return nil
}

// keepAmounts keeps the sums and taxes: lines alone have the amounts of their content.
func (r *recalculation) keepAmounts() {
	o := r.order
	r.book.sumsKept = true
	for i := range o.Lines {
		l := &o.Lines[i]
		if whole, err := l.Price.Mul(decimal.MustNew(l.Amount, 0)); err == nil {
			l.Subtotal = minus(pricing.Round(whole), l.Discount)
		}
	}
	if len(o.Methods) > 0 {
		o.Methods = slices.Clone(o.Methods)
		o.Methods[0].Rate = o.ShippingCost
	}
}

// setMoved sets the amounts of a change of addresses alone. If it alters no computed
// amount, a written total stays, and so do amounts that KeepAmounts left.
func (r *recalculation) setMoved(former *ruleBook, c *computed) error {
	before := *r.before
	before.Lines = slices.Clone(before.Lines)
	var none shopapi.Problems
	p := pricer{Orders: r.Orders, ctx: r.ctx, tx: r.tx, problems: &none, order: &before, book: former, fields: make([]string, len(before.Lines))}
	was, err := p.compute()
	if err != nil {
		return err
	}
	if was == nil || !reflect.DeepEqual(was.Amounts, c.Amounts) {
		r.set(c)
		return nil
	}
	o := r.order
	if !was.shownBy(r.before) {
		return nil
	}
	total, set, adjustment := o.Total, o.TotalSet, o.TotalAdjustment
	r.set(c)
	o.Total, o.TotalSet, o.TotalAdjustment = total, set, adjustment
	return nil
}

// shownBy reports whether an order shows the sums and taxes that were computed for it.
func (c *computed) shownBy(o *Order) bool {
	return o.Subtotal.Equal(c.Subtotal) && o.ShippingCost.Equal(c.ShippingCost) && o.TaxSubtotal.Equal(c.TaxSubtotal) &&
		o.TaxExempted.Equal(c.Exempted) && o.PaymentSurcharge.Equal(c.Surcharge) && minus(o.Total, o.TotalAdjustment).Equal(c.Total) &&
		len(o.Taxes) == len(c.Taxes) && !slices.ContainsFunc(c.Taxes, func(want pricing.TaxAmounts) bool { return !o.Taxes.byID(want.ID).shows(&want) })
}

// shows reports whether a tax of an order, which may be nil, has the amounts that were
// computed.
func (t *Tax) shows(want *pricing.TaxAmounts) bool {
	return t != nil && t.Products.Equal(want.Products) && t.OnGoods.Equal(want.ProductsBase) &&
		t.Shipping.Equal(want.Shipping) && t.OnCost.Equal(want.ShippingBase) &&
		t.Surcharge.Equal(want.Surcharge) && (t.OnSurcharge != nil) == want.OnSurcharge &&
		(t.OnSurcharge == nil || t.OnSurcharge.Equal(want.SurchargeBase))
}

func minus(a, b decimal.Decimal) decimal.Decimal {
	d, err := a.Sub(b)
	if err != nil {
		return a
	}
	return d
}
