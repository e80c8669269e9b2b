package orders

import (
	"context"
	"errors"
	"strings"

	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// conversions change the rows of older versions (decisions §24, §26).
func (o *Orders) conversions() []store.Conversion {
	return []store.Conversion{
		{
			Name:    "statuses: inventory",
			Tables:  []*store.Schema{statuses.Schema()},
			Convert: convertStatuses,
		},
		{
			Name:    "orders: shipments consume held pieces",
			Tables:  []*store.Schema{table.Schema(), shipments.Schema()},
			Convert: convertHeld,
		},
		{
			Name:    "orders: names for searching",
			Tables:  []*store.Schema{table.Schema()},
			Convert: convertNames,
		},
		{
			Name:    "orders: pieces for reports",
			Tables:  []*store.Schema{table.Schema()},
			Convert: convertPieces,
		},
		resource.FillStamps(o.api, table, "timestamp"),
		{
			Name:    "orders: pieces sold",
			Tables:  []*store.Schema{table.Schema(), statuses.Schema(), sales.Schema()},
			Convert: countSales,
		},
	}
}

// convertNames fills the column that cname searches.
func convertNames(_ context.Context, tx store.Tx) error {
	name, first, last := table.Field("cname"), table.Field("firstname"), table.Field("lastname")
	return table.Alter(tx, func(row []store.Value) {
		row[name] = store.String(strings.TrimSpace(row[first].Text() + " " + row[last].Text()))
	}, store.Equal("cname", store.String("")))
}

// convertStatuses sets the inventory of statuses without one to the inventory that they
// acted by.
func convertStatuses(_ context.Context, tx store.Tx) error {
	var old []Status
	err := statuses.Each(tx, store.Query{}, func(s *Status) error {
		if s.Params[paramInventory] == "" {
			old = append(old, *s)
		}
		return nil
	})
	for i := range old {
		if old[i].Params == nil {
			old[i].Params = Params{}
		}
		old[i].Params[paramInventory] = givesStock
		if err == nil {
			err = statuses.Update(tx, &old[i])
		}
	}
	return err
}

// convertHeld subtracts the shipped pieces from the reserved pieces of orders.
func convertHeld(_ context.Context, tx store.Tx) error {
	var shipped []Shipment
	err := shipments.Each(tx, store.Query{Order: []store.Order{store.Asc("shipment_id")}}, func(v *Shipment) error {
		shipped = append(shipped, *v)
		return nil
	})
	if err != nil {
		return err
	}
	var none stockPlan // consuming moves nothing
	for i := range shipped {
		v := &shipped[i]
		order, err := table.First(tx, store.Query{Where: []store.Cond{store.Equal("order_id", store.Int(v.OrderID))}})
		if errors.Is(err, store.ErrNotFound) { // a shipment of an order that is gone consumed nothing
			continue
		}
		if err != nil {
			return err
		}
		v.Consumed = order.consume(&none, &Shipment{}, v.Products, true)
		if len(v.Consumed) == 0 {
			continue
		}
		if err := table.Update(tx, &order); err != nil {
			return err
		}
		if err := shipments.Update(tx, v); err != nil {
			return err
		}
	}
	return nil
}
