package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// A shipment has the fields that are checked.
type shipment struct {
	ID       int64          `json:"shipment_id,string"`
	OrderID  int64          `json:"order_id,string"`
	Comments string         `json:"comments"`
	Tracking string         `json:"tracking_number"`
	Products map[string]any `json:"products"` // pieces by line
}

// ship creates a shipment of one piece of an order that has none. It returns nil if the shop
// does not respond.
func (w *worker) ship(ctx context.Context, of key) (*operation, error) {
	r, err := w.do(ctx, request{method: "GET", path: of.path()})
	if err != nil {
		return nil, nil
	}
	var o order
	if err := json.Unmarshal(r.body, &o); err != nil || r.status != http.StatusOK {
		return nil, r.unexpected("GET " + of.path())
	}
	w.made++
	s := state{name: fmt.Sprintf("%s-%d", w.name, w.made), parent: of.id}
	fields := w.fields(shipments, &s, 0)
	fields["order_id"], fields["shipping_id"] = of.id, w.sale.shipping
	for item := range o.Products {
		fields["products"] = map[string]int{item: 1}
	}
	return &operation{
		request: request{"POST", shipments, encode(fields), [2]string{"Idempotency-Key", s.name}},
		status:  http.StatusCreated, key: key{entity: shipments}, name: s.name,
		apply: func(m model, id int64) { m[key{shipments, id}] = s },
	}, nil
}

// notShipped returns the orders without a shipment.
func (m model) notShipped() (list []key) {
	for _, o := range m.keys(orders) {
		if m.shipmentOf(o) == (key{}) {
			list = append(list, o)
		}
	}
	return list
}

// shipmentOf returns the shipment of an order, or the zero key.
func (m model) shipmentOf(o key) key {
	for k, s := range m {
		if k.entity == shipments && s.parent == o.id {
			return k
		}
	}
	return key{}
}

// addShipments records the shipments of the workers.
func (s *snapshot) addShipments(all []shipment) {
	for _, v := range all {
		half := v.Tracking != v.Comments || len(v.Products) != 1
		for _, pieces := range v.Products {
			half = half || fmt.Sprint(pieces) != "1"
		}
		s.add(key{shipments, v.ID}, v.Comments, half, state{parent: v.OrderID})
	}
}
