package orders

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// setDefaults fills the fields at their zero value.
func (o *Orders) setDefaults(ctx context.Context, order *Order) {
	order.Status = cmp.Or(order.Status, Open)
	if order.Timestamp == 0 {
		order.Timestamp = o.api.Now(ctx).Unix()
	}
}

// keep restores the fields that [Orders.Update] does not change.
func keep(after, before *Order, _ *shopapi.Problems) {
	if before.OrderID == 0 {
		return
	}
	kept := *before
	kept.Status, kept.UserID, kept.PaymentID = after.Status, after.UserID, after.PaymentID
	kept.Total, kept.SubtotalDiscount = after.Total, after.SubtotalDiscount
	kept.Notes, kept.Details = after.Notes, after.Details
	if !before.isInvoiced() {
		kept.InvoiceID, kept.CreditMemoID = after.InvoiceID, after.CreditMemoID
	}
	kept.ShippingCost, kept.ShippingCostSet = after.ShippingCost, after.ShippingCostSet
	kept.PaymentSurcharge, kept.PaymentSurchargeSet = after.PaymentSurcharge, after.PaymentSurchargeSet
	kept.TaxExempt, kept.Repaid, kept.PaymentInfo = after.TaxExempt, after.Repaid, after.PaymentInfo
	kept.Custom = after.Custom
	kept.Change, kept.Notify, kept.unrecorded = after.Change, after.Notify, after.unrecorded
	*after = kept
}

func normalize(o *Order, problems *shopapi.Problems) {
	resource.NormalizeDecimal(problems, "total", &o.Total, 2, pricing.Max)
	resource.NormalizeDecimal(problems, "subtotal_discount", &o.SubtotalDiscount, 2, pricing.Max)
	resource.NormalizeDecimal(problems, "shipping_cost", &o.ShippingCost, 2, pricing.Max)
	resource.NormalizeDecimal(problems, "payment_surcharge", &o.PaymentSurcharge, 2, pricing.Max)
	if o.Repaid != nil && o.Repaid.Cmp(pricing.Max) > 0 {
		problems.Add("repaid", "must be at most %s", pricing.Max)
		o.Repaid = nil
	}
	for _, id := range []**string{&o.InvoiceID, &o.CreditMemoID} {
		if *id != nil && **id == "" {
			*id = nil
		}
	}
}

// derive places a new order, or changes a stored one: its lines, stock and amounts follow
// from the request. [Orders.write] stores the result.
func (o *Orders) derive(ctx context.Context, tx store.Tx, before, after *Order, problems *shopapi.Problems) error {
	asked := after.Change
	after.Change, after.asked = nil, asked
	if after.prepared != nil {
		return nil
	}
	if asked == nil {
		asked = &Change{}
	}
	switch {
	case asked.issued != nil:
		after.show(asked.issued)
		return nil
	case before.OrderID == 0:
		return o.place(ctx, tx, after, asked, problems)
	}
	after.entry = &HistoryEntry{}
	after.entry.compareSent(before, after)
	if before.IsParent {
		return o.changeParent(tx, before, after, asked, problems)
	}
	return o.change(ctx, tx, before, after, asked, problems)
}

// check adds the problems of the fields that lines and amounts do not follow from.
func (o *Orders) check(ctx context.Context, tx store.Tx, before, after *Order, problems *shopapi.Problems) error {
	switch {
	case after.prepared != nil:
		return after.checkPrepared()
	case after.asked != nil && after.asked.issued != nil:
		return nil
	}
	if !maps.Equal(before.PaymentInfo, after.PaymentInfo) {
		after.PaymentInfo.check(problems)
	}
	if before.IsParent {
		return nil
	}
	after.checkRepaid(before, problems)
	if err := o.checkFreeText(ctx, tx, "invoice_id", Invoice, before.InvoiceID, after.InvoiceID, after.CompanyID, problems); err != nil {
		return err
	}
	return o.checkFreeText(ctx, tx, "credit_memo_id", CreditMemo, before.CreditMemoID, after.CreditMemoID, after.CompanyID, problems)
}

// checkPrepared returns an error if a hook changed a new part in more than its texts: its
// amounts and stock are its parent's.
func (o *Order) checkPrepared() error {
	p := o.prepared
	if o.asked != nil || o.Status != p.Status || o.UserID != p.UserID || o.PaymentID != p.PaymentID ||
		!o.Total.Equal(p.Total) || !o.SubtotalDiscount.Equal(p.SubtotalDiscount) {
		return errors.New("orders: a hook changed a new part of an order of several vendors in more than notes, details and the numbers of documents: it must change the parent")
	}
	return nil
}

// checkLetterOf refuses a changed status that does not exist.
func checkLetterOf(tx store.Tx, before, after *Order, problems *shopapi.Problems) error {
	if after.Status == before.Status {
		return nil
	}
	return checkLetter(tx, "status", after.Status, problems)
}
