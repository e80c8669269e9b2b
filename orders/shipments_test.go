package orders_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/shopapi/shopapi"
)

// Shipments take lines of an order, which shows shipped pieces and shipments; several
// shipments can share an order, but not exceed its pieces (decisions §19).
func TestShipments_OfAnOrder(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 3}, "2": {"amount": 1}}`)
		mug := w.line(id, "1").ItemID
		ship := func(n int) string {
			return fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": %d}}`, id, mug, n)
		}
		if a := w.Post("/api/2.0/shipments", ship(2)); a.Status != 201 || a.Body != `{"shipment_id":"1"}` {
			w.t.Fatalf("POST: %d %s", a.Status, a.Body)
		}
		w.refuses("POST", "shipments", ship(2), "products")
		w.made("shipments", ship(1))
		w.refuses("POST", "shipments", ship(1), "products")
		if o, l := w.get(id), w.line(id, "1"); string(o.ShippedBy) != `["1","2"]` || l.Shipped != 3 || l.Left != "0" {
			w.t.Errorf("the order is shipped by %s, its line is %+v", o.ShippedBy, l)
		}
		w.refuses("PUT", "orders/"+id, `{"products": {"1": {"amount": 2}, "2": {"amount": 1}}}`, "products[1][amount]")
		w.refuses("PUT", "orders/"+id, `{"products": {"2": {"amount": 1}}}`, "products")
		w.put(id, `{"products": {"1": {"amount": 4}}}`)
		w.refuses("PUT", "shipments/1", `{"products": {"`+mug+`": 4}}`, "products")
		if a := w.Put("/api/2.0/shipments/1", `{"products": {"`+mug+`": "3"}, "order_id": 99}`); a.Status != 200 || a.Body != `{"shipment_id":"1"}` {
			w.t.Errorf("PUT: %d %s", a.Status, a.Body)
		}
		if a := w.Delete("/api/2.0/shipments/2"); a.Status != 204 {
			w.t.Errorf("DELETE: %d %s", a.Status, a.Body)
		}
		if l := w.line(id, "1"); l.Shipped != 3 || l.Left != "1" {
			w.t.Errorf("the line is %+v", l)
		}
		w.Delete("/api/2.0/orders/" + id)
		if a := w.Get("/api/2.0/shipments/1"); a.Status != 404 {
			w.t.Errorf("a shipment of a deleted order: %d %s", a.Status, a.Body)
		}
	})
}

// An order is deleted while shipments of it are written: each shipment is refused or
// deleted with the order, and none is left (decisions §19).
func TestShipments_OrderIsDeletedMeanwhile(t *testing.T) {
	eachStore(t, func(w *world) {
		var wg sync.WaitGroup
		for range 4 {
			id := w.place(`{"4": {"amount": 9}, "1": {"amount": 1}}`)
			payload := fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": 1}, "order_status": "C"}`, id, w.line(id, "4").ItemID)
			for range 3 {
				wg.Go(func() {
					if a := w.Post("/api/2.0/shipments", payload); a.Status != 201 && (a.Status != 400 || !strings.Contains(a.Body, `"order_id"`)) {
						w.t.Errorf("POST: %d %s", a.Status, a.Body)
					}
				})
			}
			wg.Go(func() {
				if a := w.Delete("/api/2.0/orders/" + id); a.Status != 204 {
					w.t.Errorf("DELETE: %d %s", a.Status, a.Body)
				}
			})
		}
		wg.Wait()
		if body := w.Get("/api/2.0/shipments").Body; !strings.Contains(body, `"shipments":[]`) {
			w.t.Errorf("shipments of orders that are gone: %s", body)
		}
		w.wantStock("all orders are deleted", "10 5 5 3 2")
	})
}

// All values of a shipment are texts (decisions §14).
func TestShipments_Fields(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 3}}`)
		mug := w.line(id, "1").ItemID
		w.made("shipments", fmt.Sprintf(`{"order_id": "%s", "shipping_id": "1", "products": {"%s": "2"}, "carrier": "ups", "tracking_number": "TRK-0011"}`, id, mug))
		want := `{"shipment_id":"1","order_id":"` + id + `","company_id":"1","user_id":"` + w.user() + `","shipping_id":"1","shipping":"Custom shipping method","carrier":"ups","tracking_number":"TRK-0011","comments":"","group_key":"0","order_timestamp":"1704110400","shipment_timestamp":"1704110400","status":"P","products":{"` + mug + `":"2"}}`
		if got := w.Get("/api/2.0/shipments/1").Body; got != want {
			w.t.Errorf("got %s, want %s", got, want)
		}
	})
}

// order_status sets the order's status in the same transaction, with what that does to
// the stock (decisions §19).
func TestShipments_OrderStatus(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 3}}`)
		mug := w.line(id, "1").ItemID
		ship := func(status string) string {
			return fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": 1}, "order_status": "%s"}`, id, mug, status)
		}
		w.refuses("POST", "shipments", ship("?"), "order_status")
		w.made("shipments", ship("C"))
		if got := w.get(id).Status; got != "C" {
			w.t.Errorf("the status is %s", got)
		}
		w.wantStock("complete", "7 5 5 3 2")
	})
}

func TestShipments_BadInput(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 3}}`)
		mug := w.line(id, "1").ItemID
		for payload, fields := range map[string][]string{
			`{"carrier": "ups"}`: {"order_id", "shipping_id", "products"},
			`{"order_id": 99, "shipping_id": 99, "products": {"` + mug + `": 1}}`:                                      {"order_id", "shipping_id"},
			`{"order_id": ` + id + `, "shipping_id": 1, "products": {"7": 1}}`:                                         {"products"},
			`{"order_id": ` + id + `, "shipping_id": 1, "products": {"` + mug + `": 0}}`:                               {"products"},
			`{"order_id": ` + id + `, "shipping_id": 1, "products": {"` + mug + `": 1.5}}`:                             {"products"},
			`{"order_id": ` + id + `, "shipping_id": 1, "products": "all"}`:                                            {"products"},
			`{"order_id": ` + id + `, "shipping_id": 1, "products": {"` + mug + `": 4}}`:                               {"products"},
			`{"order_id": ` + id + `, "shipping_id": 1, "products": {"` + mug + `": 1}, "status": "X", "user_id": 99}`: {"status", "user_id"},
		} {
			w.refuses("POST", "shipments", payload, fields...)
		}
	})
}

// Vendors read and write the shipments of their own orders (decisions §11).
func TestShipments_Vendors(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		_, parts := w.split()
		ship := func(order string) string {
			for item := range w.get(order).Products {
				return fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": 1}}`, order, item)
			}
			return ""
		}
		vendor := w.UserOf(2, "view_orders", "manage_orders")
		if a := vendor.Post("/api/2.0/shipments", ship(parts[1])); a.Status != 201 {
			w.t.Errorf("of an own order: %d %s", a.Status, a.Body)
		}
		if a := vendor.Post("/api/2.0/shipments", ship(parts[0])); a.Status != 400 {
			w.t.Errorf("of another's order: %d %s", a.Status, a.Body)
		}
	})
}
