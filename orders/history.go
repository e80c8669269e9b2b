package orders

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// History returns the changes of an order, the oldest first unless l asks for another
// order, and their number without limit and offset. Entries have a UserID only for users
// with the privilege view_users, and the names of custom fields only for users who may see
// the fields. It returns a 404 [*shopapi.Error] when there is no such
// order that the user may see.
func (o *Orders) History(ctx context.Context, id int64, l resource.ListOptions) (list []HistoryEntry, total int64, err error) {
	ctx = o.api.Confine(ctx)
	order := store.Asc("entry_id")
	if l.Order == resource.Descending {
		order = store.Desc("entry_id")
	}
	err = o.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		if err := o.checkVisible(ctx, tx, id); err != nil {
			return err
		}
		list, total, err = history.Page(tx, store.Query{
			Where: []store.Cond{store.Equal("order_id", store.Int(id))},
			Order: []store.Order{order},
			Limit: l.Limit, Offset: l.Offset,
		})
		return err
	})
	o.hide(ctx, list)
	return list, total, err
}

// hide removes what the user of ctx may not see from entries.
func (o *Orders) hide(ctx context.Context, list []HistoryEntry) {
	user := shopapi.UserFrom(ctx)
	for i := range list {
		e := &list[i]
		e.Fields = o.api.VisibleFields(user, "orders", e.Fields)
		if !user.Can("view_users") {
			e.UserID = 0
		}
	}
}

// checkVisible returns a 404 for an order that does not exist or that the user may not
// see.
func (o *Orders) checkVisible(ctx context.Context, tx store.Tx, id int64) error {
	order, err := summaries.Get(tx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !resource.Visible(ctx, order.CompanyID) {
		return o.rows.NotFound(id)
	}
	return err
}

// record adds the entry of a change to the history of an order.
func (o *Orders) record(ctx context.Context, tx store.Tx, order int64, e HistoryEntry) error {
	e.EntryID, e.OrderID, e.Time = 0, order, o.api.Now(ctx).Unix()
	if user := shopapi.UserFrom(ctx); user != nil {
		e.UserID = user.ID
	}
	return history.Append(tx, e)
}

// recordChange adds the entry of an order that was created or changed.
func (o *Orders) recordChange(ctx context.Context, tx store.Tx, before, after *Order) error {
	e := after.entry
	after.entry = nil
	switch {
	case before.OrderID == 0:
		return o.record(ctx, tx, after.OrderID, HistoryEntry{Event: EventCreated})
	case e == nil || e.isEmpty() || after.unrecorded:
		return nil
	}
	e.Event = cmp.Or(e.Event, EventUpdated)
	return o.record(ctx, tx, after.OrderID, *e)
}

// recordShipment adds the entry of a shipment that was made, changed or deleted, with the
// status that it brought.
func (o *Orders) recordShipment(ctx context.Context, tx store.Tx, before, after *Shipment, from, to string) error {
	e := HistoryEntry{Event: EventShipmentUpdated, ShipmentID: cmp.Or(after.ShipmentID, before.ShipmentID)}
	switch {
	case before.ShipmentID == 0:
		e.Event = EventShipped
	case after.ShipmentID == 0:
		e.Event = EventShipmentDeleted
	default:
		columns, err := shipments.Changed(before, after)
		if err != nil {
			return err
		}
		for _, column := range columns {
			if column != "consumed" {
				e.Fields.add(column)
			}
		}
	}
	if from != to {
		e.From, e.To = from, to
	}
	all := maps.Clone(before.Products)
	if all == nil {
		all = Quantities{}
	}
	maps.Copy(all, after.Products)
	maps.DeleteFunc(all, func(id, _ int64) bool { return before.Products[id] == after.Products[id] })
	e.ItemIDs = idList(slices.Sorted(maps.Keys(all)))
	return o.record(ctx, tx, cmp.Or(after.OrderID, before.OrderID), e)
}

// forgetHistory removes the history of orders that are deleted.
func forgetHistory(tx store.Tx, orders ...int64) error {
	_, err := history.Delete(tx, store.InInts("order_id", orders...))
	return err
}

// eraseHistory blanks a person in the history.
func (o *Orders) eraseHistory(ctx context.Context, p shopapi.Person) error {
	const batch = 500
	if p.UserID == 0 {
		return nil
	}
	return o.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		return history.Batches(tx, batch, []store.Cond{store.Equal("user_id", store.Int(p.UserID))}, func(entries []HistoryEntry) error {
			for i := range entries {
				entries[i].UserID = 0
				if err := history.Update(tx, &entries[i]); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
