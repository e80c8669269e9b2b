package orders

import (
	"context"

	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

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

// subtree are the orders that go with an order: the parts of a parent.
func (o *Orders) subtree(_ context.Context, tx store.Tx, order *Order) ([]int64, error) {
	ids := []int64{order.OrderID}
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
