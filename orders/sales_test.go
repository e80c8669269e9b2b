package orders_test

import (
	"fmt"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/orders"
)

// wantSales checks sales_amount of a product.
func (w *world) wantSales(when, product string, want int) {
	w.t.Helper()
	if got := w.Get("/api/2.0/products/" + product).Field("sales_amount"); got != fmt.Sprint(want) {
		w.t.Errorf("%s: sales_amount of product %s is %s, want %d", when, product, got, want)
	}
}

// sales_amount of products counts the pieces in orders whose status has inventory D
// (decisions §26).
func TestOrders_26_SalesAmount(t *testing.T) {
	eachStore(t, func(w *world) {
		one := w.place(`{"2": {"amount": 2}, "4": {"amount": 1}}`)
		two := w.place(`{"2": {"amount": 1}}`)
		w.wantSales("two orders", "2", 3)
		for _, e := range w.Events() { // product 4 has no stock
			if e.Entity == "products" && e.ID == "4" {
				w.t.Errorf("an order changed the row of product 4: %+v", e)
			}
		}
		w.put(one, `{"products": {"2": {"amount": 1}, "4": {"amount": 70}}}`)
		w.wantSales("fewer", "2", 2)
		w.wantSales("more", "4", 70)
		w.put(one, `{"status": "I"}`)
		w.wantSales("cancelled", "4", 0)
		w.put(one, `{"products": {"2": {"amount": 3}, "4": {"amount": 70}}}`)
		w.wantSales("cancelled and changed", "2", 1)
		w.put(one, `{"status": "C"}`)
		w.wantSales("complete", "2", 4)
		w.made("shipments", `{"order_id": `+one+`, "shipping_id": 1, "products": {"`+w.line(one, "2").ItemID+`": 3}}`)
		w.wantSales("shipped", "2", 4)
		w.Delete("/api/2.0/orders/" + two)
		w.wantSales("deleted", "2", 3)
		past := w.made("orders", fmt.Sprintf(`{"user_id": %s, "payment_id": 2, "shipping_id": 1, "timestamp": 1600000000, "status": "D", "take_stock": "N", "products": {"2": {"amount": 5}}}`, w.user()))
		w.wantSales("declined", "2", 3)
		w.put(past, `{"status": "P"}`)
		w.wantSales("without stock", "2", 8)
	})
}

// The rows that are added up stay few.
func TestOrders_26_SalesAmountOfManyOrders(t *testing.T) {
	eachStore(t, func(w *world) {
		for range 150 {
			w.place(`{"4": {"amount": 2}}`)
		}
		w.wantSales("150 orders", "4", 300)
		n, err := orders.SalesRows(w.t.Context(), w.st)
		if err != nil || n > 70 {
			w.t.Errorf("%d rows, %v", n, err)
		}
	})
}

// Rows of older versions count too, also where these go on beside this one.
func TestOrders_26_SalesAmountBesideOlderVersions(t *testing.T) {
	eachStore(t, func(w *world) {
		want := 0
		sell := func(pieces int, merges bool) {
			if err := orders.SellBeside(w.t.Context(), w.st, 4, int64(pieces), merges); err != nil {
				w.t.Fatal(err)
			}
			want += pieces
			w.wantSales("an older version", "4", want)
		}
		place := func(pieces int) {
			w.place(fmt.Sprintf(`{"2": {"amount": 1}, "4": {"amount": %d}}`, pieces))
			want += pieces
			w.wantSales("an order", "4", want)
		}
		sell(5, false)
		sell(-2, false)
		place(2)
		place(3)
		sell(7, false)
		place(1)
		sell(4, true)
		place(2)
		place(1)
		sell(-1, true)
		w.wantSales("all", "2", 5)
	})
}

// The orders of several vendors count once.
func TestOrders_26_SalesAmountOfVendors(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		parent, _ := w.split()
		w.wantSales("split", "2", 1)
		w.put(parent, `{"status": "I"}`)
		w.wantSales("cancelled", "2", 0)
		w.put(parent, `{"status": "C"}`)
		w.wantSales("complete", "2", 1)
		w.Delete("/api/2.0/orders/" + parent)
		w.wantSales("deleted", "2", 0)
	})
}
