package main

import (
	"context"
	"fmt"
	"time"

	"github.com/shopapi/shopapi/orders"
)

// shipmentsOf is the age of the oldest shipments of the demo.
const shipmentsOf = 60 * 24 * time.Hour

// carriers are the carrier codes of the demo's shipping methods, by name. Customers
// collect orders of other methods.
var carriers = map[string]string{"Parcel": "royalmail", "Courier": "dhl"}

// addShipments creates the shipments of recent complete orders, some of them in two
// parts.
func (f *filler) addShipments(ctx context.Context, placed []orders.Order) error {
	var list []orders.Shipment
	for i := range placed {
		o := &placed[i]
		if o.Status != orders.Complete || o.Timestamp < f.now.Add(-shipmentsOf).Unix() {
			continue
		}
		parcels := []orders.Quantities{{}}
		if len(o.Lines) > 1 && f.random.IntN(4) == 0 {
			parcels = append(parcels, orders.Quantities{})
		}
		for n, l := range o.Lines {
			parcels[n%len(parcels)][l.ItemID] = l.Amount
		}
		sent := o.Timestamp
		for _, pieces := range parcels {
			sent = min(sent+3600*(4+f.random.Int64N(40)), f.now.Unix())
			list = append(list, f.aShipment(o, pieces, sent))
		}
	}
	_, err := f.shop.Orders.Shipments().CreateAll(ctx, list)
	return err
}

func (f *filler) aShipment(o *orders.Order, pieces orders.Quantities, sent int64) orders.Shipment {
	method := o.Methods[0]
	s := orders.Shipment{
		OrderID: o.OrderID, ShippingID: method.ShippingID, Shipping: method.Name, Carrier: carriers[method.Name],
		Timestamp: sent, Status: orders.Shipped, Products: pieces,
	}
	if s.Carrier != "" {
		s.TrackingNumber = fmt.Sprintf("%.2s%010dGB", method.Name, f.random.Int64N(1e10))
	}
	return s
}
