package orders

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/products"
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

// maxSum is the greatest amount of a parent, which has at most as many parts as lines:
// [pricing.Max] times maxLines.
var maxSum = decimal.MustParse("9999999999990.00")

func normalize(o *Order, problems *shopapi.Problems) {
	most := pricing.Max
	if o.IsParent {
		most = maxSum
	}
	resource.NormalizeDecimal(problems, "total", &o.Total, 2, most)
	resource.NormalizeDecimal(problems, "subtotal_discount", &o.SubtotalDiscount, 2, most)
	resource.NormalizeDecimal(problems, "shipping_cost", &o.ShippingCost, 2, most)
	resource.NormalizeDecimal(problems, "payment_surcharge", &o.PaymentSurcharge, 2, most)
	if o.Repaid != nil && o.Repaid.Cmp(most) > 0 {
		problems.Add("repaid", "must be at most %s", most)
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

// write stores an order and its changes of the stock, then updates its parts and its
// parent.
func (o *Orders) write(ctx context.Context, tx store.Tx, before, after *Order) error {
	if err := o.move(ctx, tx, after.moves); err != nil {
		return err
	}
	after.moves, after.Change, after.asked = nil, nil, nil
	after.countPieces()
	sold, err := o.changeOfSales(ctx, tx, before, after)
	if err != nil {
		return err
	}
	if err := o.addSales(tx, sold); err != nil {
		return err
	}
	after.placed = nil
	if after.book != nil {
		rules, err := after.book.store(ctx, tx, o.tables)
		if err != nil {
			return err
		}
		after.Rules, after.book = rules, nil
	}
	if err := o.rows.WriteRow(ctx, tx, before, after); err != nil {
		return err
	}
	if err := o.recordChange(ctx, tx, before, after); err != nil {
		return err
	}
	switch {
	case bool(after.IsParent) && before.OrderID == 0:
		return o.writeParts(ctx, after)
	case after.spread || bool(after.IsParent) && after.Status != before.Status:
		after.spread = false
		return o.setStatusOfParts(ctx, tx, after)
	case after.ParentOrderID != 0 && before.OrderID != 0:
		return o.followParts(ctx, tx, after.ParentOrderID)
	}
	return nil
}

// subtree returns the ids of an order and of the orders that are deleted with it: its parts, or
// the parent of a last part.
func (o *Orders) subtree(_ context.Context, tx store.Tx, order *Order) ([]int64, error) {
	ids := []int64{order.OrderID}
	if order.ParentOrderID != 0 {
		others, err := table.Count(tx, store.Equal("parent_order_id", store.Int(order.ParentOrderID)), store.NotEqual("order_id", store.Int(order.OrderID)))
		if err == nil && others == 0 {
			ids = append(ids, order.ParentOrderID)
		}
		return ids, err
	}
	if !order.IsParent {
		return ids, nil
	}
	parts, err := partsOf(tx, order.OrderID)
	for i := range parts {
		ids = append(ids, parts[i].OrderID)
	}
	return ids, err
}

// remove removes an order with its parts, and gives back the stock that they hold.
func (o *Orders) remove(ctx context.Context, tx store.Tx, order *Order) error {
	goes := []Order{*order}
	if order.IsParent {
		parts, err := partsOf(tx, order.OrderID)
		if err != nil {
			return err
		}
		goes = append(goes, parts...)
	}
	for i := range goes {
		if err := goes[i].refuseDeletion(); err != nil {
			return err
		}
	}
	var plan stockPlan
	sold := map[int64]int64{}
	for i := range goes {
		goes[i].addSales(sold, -1)
		if err := forgetHistory(tx, goes[i].OrderID); err != nil {
			return err
		}
		for l := range goes[i].Lines {
			line := goes[i].Lines[l]
			plan.release(&line)
		}
		if err := table.DeleteKey(tx, goes[i].OrderID); err != nil {
			return err
		}
	}
	if err := o.move(ctx, tx, plan.moves()); err != nil {
		return err
	}
	if err := o.addSales(tx, sold); err != nil {
		return err
	}
	if order.ParentOrderID == 0 {
		return nil
	}
	return o.followParts(ctx, tx, order.ParentOrderID)
}

// load fills in what an order on its own shows of shipments and products, in one read
// each.
func (o *Orders) load(_ context.Context, tx store.Tx, orders ...*Order) error {
	var stored []*Order
	var ids []int64
	for _, order := range orders {
		order.Shipped, order.ShipmentIDs, order.Gone, order.shippedLines = nil, nil, nil, 0
		if order.fresh {
			order.fresh = false
			continue
		}
		stored = append(stored, order)
		for i := range order.Lines {
			ids = append(ids, order.Lines[i].ProductID)
		}
	}
	if len(stored) == 0 {
		return nil
	}
	var single, parents []*Order
	for _, order := range stored {
		if order.IsParent {
			parents = append(parents, order)
		} else {
			single = append(single, order)
		}
	}
	readDetailsAhead(tx, single, ids)
	for _, parent := range parents {
		if err := loadShipmentsOfParts(tx, parent); err != nil {
			return err
		}
	}
	if err := loadShipments(tx, single...); err != nil {
		return err
	}
	there, err := products.OrderViewByID(tx, ids...)
	if err != nil {
		return err
	}
	for _, order := range stored {
		order.markOlder()
		for i := range order.Lines {
			id := order.Lines[i].ProductID
			if _, ok := there[id]; !ok {
				if order.Gone == nil {
					order.Gone = map[int64]bool{}
				}
				order.Gone[id] = true
			}
		}
	}
	return nil
}
