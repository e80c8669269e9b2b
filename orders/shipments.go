package orders

import (
	"cmp"
	"context"
	"maps"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Shipments are the shipments of the orders of a store. The methods act for the user of
// their context, like the methods of [Orders].
//
// Create gives the order its OrderStatus in the same transaction, and refuses more pieces
// of a line than are not shipped yet. Update does not change the order. Hooks of
// BeforeDelete run when a shipment is deleted alone, without its order.
type Shipments struct {
	resource.Objects[Shipment]               // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[ShipmentFilter, Shipment] // Find, All

	orders *Orders
	rows   resource.Collection[Shipment, Shipment]
}

func newShipments(ctx context.Context, o *Orders) (_ *Shipments, err error) {
	s := &Shipments{orders: o}
	if s.rows, err = resource.New(o.api, o.st, shipmentsDefinition(s)); err != nil {
		return nil, err
	}
	s.Objects = s.rows
	s.Lists = resource.ListsOf[ShipmentFilter](s.rows)
	o.api.BeforeDelete("orders", s.deleteOf)
	return s, s.rows.Migrate(ctx)
}

func shipmentsDefinition(s *Shipments) resource.Definition[Shipment, Shipment] {
	return resource.Definition[Shipment, Shipment]{
		Name:       "shipments",
		Object:     "shipment",
		Summary:    "Which products of orders were shipped, and by which carrier.",
		Privileges: shopapi.Privileges{View: "view_orders", Manage: "manage_orders"},
		Table:      shipments,
		Filter:     func() resource.Filter { return new(ShipmentFilter) },
		Sorts:      shipmentSorts,
		Rows: resource.Rows[Shipment, Shipment]{
			Write:  s.write,
			Remove: s.remove,
		},
		List:  resource.List[Shipment, Shipment]{Descending: true},
		Wire:  resource.Wire[Shipment, Shipment]{StringIDs: true},
		Scope: resource.Scope[Shipment]{Company: func(v *Shipment) *int64 { return &v.CompanyID }},
		Rules: resource.Rules[Shipment]{
			RestoreImmutable: keepShipment,
			Check:            s.check,
		},
	}
}

// write stores a shipment, which consumes held pieces of its order once the order has the
// status that the shipment brings.
func (s *Shipments) write(ctx context.Context, tx store.Tx, before, after *Shipment) error {
	status, from := after.OrderStatus, ""
	after.OrderStatus = ""
	order, err := table.Get(tx, after.OrderID)
	if err != nil {
		return err
	}
	if status != "" && status != order.Status {
		from = order.Status
		if err := s.setStatus(ctx, after.OrderID, status); err != nil {
			return err
		}
		if order, err = table.Get(tx, after.OrderID); err != nil {
			return err
		}
	}
	err = s.consume(ctx, tx, &order, before, after, func() error { return s.rows.WriteRow(ctx, tx, before, after) })
	if err != nil {
		return err
	}
	return s.orders.recordShipment(ctx, tx, before, after, cmp.Or(from, order.Status), order.Status)
}

// setStatus gives an order the status that a shipment brings. The history has it in the
// entry of the shipment.
func (s *Shipments) setStatus(ctx context.Context, order int64, letter string) error {
	_, err := s.orders.rows.Update(ctx, order, func(o *Order) error {
		o.Status, o.unrecorded = letter, true
		return nil
	})
	return err
}

func (s *Shipments) remove(ctx context.Context, tx store.Tx, v *Shipment) error {
	order, err := table.Get(tx, v.OrderID)
	if err != nil {
		return err
	}
	err = s.consume(ctx, tx, &order, v, &Shipment{}, func() error { return shipments.DeleteKey(tx, v.ShipmentID) })
	if err != nil {
		return err
	}
	return s.orders.recordShipment(ctx, tx, v, &Shipment{}, "", "")
}

// consume moves the pieces by which two states of a shipment differ, stores the shipment
// with write, and then its order, in its own name: whoever may change a shipment may do
// so.
func (s *Shipments) consume(ctx context.Context, tx store.Tx, order *Order, before, after *Shipment, write func() error) error {
	o := s.orders
	status, err := o.statusOf(ctx, tx, order.Status)
	if err != nil {
		return err
	}
	var plan stockPlan
	after.Consumed = order.consume(&plan, before, after.Products, status.TakesStock())
	if err := write(); err != nil {
		return err
	}
	if err := o.move(ctx, tx, plan.moves()); err != nil {
		return err
	}
	resource.SetStamp(ctx, o.api, order)
	if err := table.Update(tx, order); err != nil {
		return err
	}
	change := shopapi.Change{
		Entity: "orders", ID: shopapi.FormatID(order.OrderID), Operation: shopapi.OpUpdate,
		Fields: changedByShipment(before, after), Detail: detailOf(order, order),
	}
	event := shopapi.Event{Entity: change.Entity, ID: change.ID, Operation: change.Operation, Detail: change.Detail}
	if len(change.Fields) == 0 {
		o.api.ReportAs(ctx, event)
		return nil
	}
	o.api.ReportAs(ctx, event, change)
	return nil
}

// changedByShipment names the fields of an order that show the difference of two states of a
// shipment.
func changedByShipment(before, after *Shipment) []string {
	switch {
	case before == nil || before.ShipmentID == 0 || after.ShipmentID == 0: // created, or deleted
		return []string{"products", "shipment_ids"}
	case !maps.Equal(before.Products, after.Products):
		return []string{"products"}
	}
	return nil
}

// deleteOf removes the shipments of orders that are deleted.
func (s *Shipments) deleteOf(ctx context.Context, orders []int64) error {
	return s.orders.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		of := store.InInts("order_id", orders...)
		err := shipments.Subset("shipment_id").Each(tx, store.Query{Where: []store.Cond{of}}, func(v *Shipment) error {
			s.orders.api.Changed(ctx, "shipments", shopapi.OpDelete, shopapi.FormatID(v.ShipmentID))
			return nil
		})
		if err != nil {
			return err
		}
		_, err = shipments.Delete(tx, of)
		return err
	})
}

// A shipped is the part of a shipment that its order shows.
type shipped struct {
	ShipmentID int64      `json:"shipment_id" store:"key"`
	OrderID    int64      `json:"order_id"`
	Products   Quantities `json:"products"`
}

var shippedParts = store.Project[shipped](shipments)

// loadShipments sets the shipped pieces and the shipments of orders, in one read.
func loadShipments(tx store.Tx, orders ...*Order) error {
	if len(orders) == 0 {
		return nil
	}
	byID := make(map[int64]*Order, len(orders))
	for _, order := range orders {
		byID[order.OrderID] = order
	}
	return eachShipment(tx, orders, func(v *shipped) error {
		byID[v.OrderID].addShipment(&Shipment{ShipmentID: v.ShipmentID, Products: v.Products}, func(id int64) int64 { return id })
		return nil
	})
}

// eachShipment calls each with the shipments of orders, by their ids.
func eachShipment(tx store.Tx, orders []*Order, each func(*shipped) error) error {
	ids := make([]int64, len(orders))
	for i, order := range orders {
		ids[i] = order.OrderID
	}
	return shippedParts.Each(tx, store.Query{
		Where: []store.Cond{store.InInts("order_id", ids...)},
		Order: []store.Order{store.Asc("shipment_id")},
	}, each)
}

// loadShipmentsOfParts sets the shipped pieces and the shipments of a parent, which are
// the shipments of its parts.
func loadShipmentsOfParts(tx store.Tx, parent *Order) error {
	parts, err := partsOf(tx, parent.OrderID)
	if err != nil {
		return err
	}
	ids := make([]int64, len(parts))
	item := map[[2]int64]int64{} // in the parent, by part and item there
	n := 0
	for i := range parts { // a parent's lines are its parts' lines in this order
		ids[i] = parts[i].OrderID
		for l := range parts[i].Lines {
			if n < len(parent.Lines) {
				item[[2]int64{ids[i], parts[i].Lines[l].ItemID}] = parent.Lines[n].ItemID
			}
			n++
		}
	}
	return shipments.Each(tx, store.Query{
		Where: []store.Cond{store.InInts("order_id", ids...)},
		Order: []store.Order{store.Asc("shipment_id")},
	}, func(v *Shipment) error {
		parent.addShipment(v, func(id int64) int64 { return item[[2]int64{v.OrderID, id}] })
		return nil
	})
}

// addShipment adds the pieces of a shipment to the shipped pieces. itemOf returns the id
// in o of a line of the shipment.
func (o *Order) addShipment(v *Shipment, itemOf func(id int64) int64) {
	o.ShipmentIDs = append(o.ShipmentIDs, v.ShipmentID)
	o.shippedLines += len(v.Products)
	if o.Shipped == nil {
		o.Shipped = map[int64]int64{}
	}
	for id, n := range v.Products {
		o.Shipped[itemOf(id)] += n
	}
}
