package orders

import (
	"cmp"
	"context"

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

// keep lets a change set what [Orders.Update] says, and nothing else.
func keep(after, before *Order, _ *shopapi.Problems) {
	if before.OrderID == 0 {
		return
	}
	kept := *before
	kept.Status, kept.UserID, kept.PaymentID = after.Status, after.UserID, after.PaymentID
	kept.Total, kept.SubtotalDiscount = after.Total, after.SubtotalDiscount
	kept.Notes, kept.Details = after.Notes, after.Details
	kept.InvoiceID, kept.CreditMemoID = after.InvoiceID, after.CreditMemoID
	kept.Edit, kept.Notify = after.Edit, after.Notify
	*after = kept
}

func normalize(o *Order, problems *shopapi.Problems) {
	resource.NormalizeDecimal(problems, "total", &o.Total, 2, pricing.Max)
	resource.NormalizeDecimal(problems, "subtotal_discount", &o.SubtotalDiscount, 2, pricing.Max)
	for _, id := range []**string{&o.InvoiceID, &o.CreditMemoID} {
		if *id != nil && **id == "" {
			*id = nil
		}
	}
}

// check notes what is wrong with an order, and computes what follows from what was
// asked for.
func (o *Orders) check(ctx context.Context, tx store.Tx, before, after *Order, problems *shopapi.Problems) error {
	edit := after.Edit
	after.Edit = nil
	if after.prepared {
		return nil
	}
	if edit == nil {
		edit = &Edit{}
	}
	problems.Bytes("notes", after.Notes, maxNotes)
	problems.Bytes("details", after.Details, maxNotes)
	problems.Length("ip_address", after.IPAddress, maxText)
	for name, id := range map[string]*string{"invoice_id": after.InvoiceID, "credit_memo_id": after.CreditMemoID} {
		if id != nil {
			problems.Length(name, *id, maxText)
		}
	}
	var err error
	switch {
	case before.OrderID == 0:
		err = o.checkNew(ctx, tx, after, edit, problems)
	case bool(before.IsParent):
		err = o.checkParent(ctx, tx, before, after, edit, problems)
	default:
		err = o.checkChange(ctx, tx, before, after, edit, problems)
	}
	return err
}

// checkLetterOf notes a status that a change sets and that there is not.
func checkLetterOf(tx store.Tx, before, after *Order, problems *shopapi.Problems) error {
	if after.Status == before.Status {
		return nil
	}
	return checkLetter(tx, "status", after.Status, problems)
}
