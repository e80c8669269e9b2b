package main

import (
	"math/rand/v2"
	"testing"
)

// TestChoose_ShippedOrders: a worker creates no shipment when all of its orders are shipped.
func TestChoose_ShippedOrders(t *testing.T) {
	w := &worker{
		client: newClient("", ""), // without an address: no shop responds
		random: rand.New(rand.NewPCG(1, 1)),
		model: model{
			{categories, 1}: {name: "category"},
			{orders, 1}:     {name: "order"},
			{shipments, 1}:  {name: "shipment", parent: 1},
		},
	}
	for range 1000 {
		o, err := w.choose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if o != nil && o.method == "POST" && o.path == shipments {
			t.Fatalf("the worker sends %s", o.body)
		}
	}
}
