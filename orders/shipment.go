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

// A Shipment is the goods of an order that are sent together (decisions §19).
type Shipment struct {
	ShipmentID     int64      `json:"shipment_id,string" store:"key" bind:"-"`
	OrderID        int64      `json:"order_id,string" store:"index" rule:"required"`
	CompanyID      int64      `json:"company_id,string" store:"index" bind:"-"` // of the order
	UserID         int64      `json:"user_id,string" rule:"min=0"`              // of the customer
	ShippingID     int64      `json:"shipping_id,string" rule:"required"`
	Shipping       string     `json:"shipping" rule:"len=255,default=Custom shipping method"` // name of the method
	Carrier        string     `json:"carrier" rule:"len=255"`                                 // code
	TrackingNumber string     `json:"tracking_number" store:"index" rule:"len=255"`
	Comments       string     `json:"comments" rule:"bytes=65536"`
	GroupKey       int64      `json:"group_key,string" bind:"-"`
	OrderTimestamp int64      `json:"order_timestamp,string" bind:"-"`                       // seconds since 1970
	Timestamp      int64      `json:"shipment_timestamp,string" bind:"-" rule:"default=now"` // when it was made, seconds since 1970
	Status         string     `json:"status" rule:"oneof=P A S,default=P"`                   // P picked up, A packed, S shipped
	Products       Quantities `json:"products" rule:"required"`                              // of each line of the order

	// Consumed are the held pieces of the order that the shipment took. Deleted, it
	// gives back exactly these (decisions §26).
	Consumed Consumed `json:"-" store:"name=consumed"`

	// OrderStatus is the new status of the order, "" to leave it. It is not stored.
	OrderStatus string `json:"order_status,omitempty" store:"-"`

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

var shipments = store.MustTable[Shipment]("shipments")

// The statuses of a shipment.
const (
	PickedUp = "P"
	Packed   = "A"
	Shipped  = "S"
)

const (
	// Each change of a shipment reads all shipments of its order.
	maxShipments    = 250    // of an order
	maxShippedLines = 10_000 // of all shipments of an order
)

// keepShipment restores what no change of a shipment alters.
func keepShipment(after, before *Shipment, _ *shopapi.Problems) {
	if before.ShipmentID != 0 {
		after.OrderID, after.CompanyID, after.Timestamp = before.OrderID, before.CompanyID, before.Timestamp
		after.Consumed = before.Consumed
		after.GroupKey, after.OrderTimestamp = before.GroupKey, before.OrderTimestamp
	}
}

// check reports the problems of a shipment, and fills in fields from its order.
func (s *Shipments) check(ctx context.Context, tx store.Tx, before, v *Shipment, problems *shopapi.Problems) error {
	if v.UserID > 0 && v.UserID != before.UserID {
		if err := s.orders.api.CheckReference(ctx, problems, "user_id", "users", v.UserID); err != nil {
			return err
		}
	}
	if v.ShippingID < 1 && !problems.Skips("shipping_id") {
		problems.Add("shipping_id", "is required: the id of a shipping method")
	} else if v.ShippingID != before.ShippingID {
		if err := s.orders.api.CheckReference(ctx, problems, "shipping_id", "shippings", v.ShippingID); err != nil {
			return err
		}
	}
	if len(v.Products) == 0 && !problems.Has("products") {
		problems.Add("products", "is required: ids of lines of the order with numbers of pieces")
	}
	if v.OrderStatus != "" {
		if err := checkLetter(tx, "order_status", v.OrderStatus, problems); err != nil {
			return err
		}
	}
	if v.OrderID < 1 {
		problems.Add("order_id", "is required: the id of an order")
		return nil
	}
	order, err := s.orders.rows.GetIn(ctx, tx, v.OrderID)
	if none, ok := errors.AsType[*shopapi.Error](err); ok && none.Status == 404 {
		problems.Add("order_id", "must be the id of an order that exists, not %d", v.OrderID)
		return nil
	}
	if err != nil {
		return err
	}
	if order.IsParent {
		problems.Add("order_id", "must be the order of one vendor, not %d, which is the sum of several", v.OrderID)
		return nil
	}
	v.checkNumber(&order, before, problems)
	v.follow(&order, before.ShipmentID == 0)
	v.checkPieces(&order, before, problems)
	return s.checkStatus(ctx, tx, v, &order, before, problems)
}

// checkStatus refuses to ship pieces of an order whose status, after the shipment, gives
// stock back.
func (s *Shipments) checkStatus(ctx context.Context, tx store.Tx, v *Shipment, o *Order, before *Shipment, problems *shopapi.Problems) error {
	grows := false
	for id, n := range v.Products {
		grows = grows || n > before.Products[id]
	}
	if !grows && v.OrderStatus == "" || problems.Err() != nil {
		return nil
	}
	status, err := s.orders.statusOf(ctx, tx, cmp.Or(v.OrderStatus, o.Status))
	switch {
	case err != nil || status.TakesStock():
	case v.OrderStatus != "":
		problems.Add("order_status", "cannot be %s (%s), which gives stock back: what is shipped stays taken", status.Status, status.Description)
	default:
		problems.Add("order_id", "cannot be %d: orders with the status %s (%s) give stock back and are not shipped", o.OrderID, status.Status, status.Description)
	}
	return err
}

// checkNumber notes when an order would have too many shipments, or too many lines in them.
func (s *Shipment) checkNumber(o *Order, before *Shipment, problems *shopapi.Problems) {
	if before.ShipmentID == 0 && len(o.ShipmentIDs) >= maxShipments {
		problems.Add("order_id", "must be another order: the order %d has %d shipments, and more are not allowed", o.OrderID, maxShipments)
	}
	if more := len(s.Products) - len(before.Products); more > 0 && o.shippedLines+more > maxShippedLines {
		problems.Add("products", "must be fewer: the shipments of an order have at most %d lines together", maxShippedLines)
	}
}

// follow fills in what a shipment has of its order.
func (s *Shipment) follow(o *Order, isNew bool) {
	s.CompanyID, s.OrderTimestamp = o.CompanyID, o.Timestamp
	if isNew && s.UserID == 0 {
		s.UserID = o.UserID
	}
}

// checkPieces notes lines that the order has not, and more than is left of one.
func (s *Shipment) checkPieces(o *Order, before *Shipment, problems *shopapi.Problems) {
	lines := o.Lines.byItem()
	for _, id := range slices.Sorted(maps.Keys(s.Products)) {
		line := lines[id]
		if line == nil {
			problems.Add("products", "must have lines of the order %d; %d is none", o.OrderID, id)
			return
		}
		left := line.Amount - o.Shipped[id] + before.Products[id]
		if n := s.Products[id]; n > left && n > before.Products[id] {
			problems.Add("products", "must have at most %d of the line %d (%s), which are not shipped yet, not %d", max(left, 0), id, line.Name, n)
			return
		}
	}
}

// A ShipmentFilter says which shipments a list holds. Its zero value is all that the
// user may see, the newest first.
type ShipmentFilter struct {
	resource.ListOptions
	OrderID        *int64 `json:"order_id" match:"equal"`
	UserID         *int64 `json:"user_id" match:"equal"`
	CompanyID      *int64 `json:"company_id" match:"equal"`
	Status         string `json:"status" bind:"codes" rule:"oneof=P A S" match:"equal"`
	TrackingNumber string `json:"tracking_number" match:"equal"`
}

var shipmentSorts = []resource.Sort{
	{Key: "shipment_id", Column: "shipment_id"},
	{Key: "order_id", Column: "order_id"},
}
