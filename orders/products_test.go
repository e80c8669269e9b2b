package orders_test

import (
	"slices"
	"strings"
	"testing"
)

// Deleting a tax takes its id out of the tax_ids of products, payments and shippings
// (decisions §14); tax ids that do not exist are refused (decisions §20).
func TestProducts_Taxes(t *testing.T) {
	eachStore(t, func(w *world) {
		second := w.made("taxes", `{"tax": "Duty"}`)
		w.refuses("PUT", "products/1", `{"tax_ids": "1,99"}`, "tax_ids")
		w.Put("/api/2.0/products/1", `{"tax_ids": "1,`+second+`"}`)
		w.Put("/api/2.0/payments/1", `{"tax_ids": "1,`+second+`"}`)
		w.Put("/api/2.0/shippings/1", `{"tax_ids": "1,`+second+`"}`)
		w.Delete("/api/2.0/taxes/1")
		if got := w.Get("/api/2.0/products/1").Field("tax_ids"); got != second {
			w.t.Errorf("the tax_ids of the product are %q, want %s", got, second)
		}
		for _, entity := range []string{"payments", "shippings"} {
			if got := w.Get("/api/2.0/" + entity + "/1").Body; !strings.Contains(got, `"tax_ids":["`+second+`"]`) {
				w.t.Errorf("%s: %s", entity, got)
			}
		}
	})
}

// order_ids finds the products of orders (decisions §5).
func TestProducts_OrderIDs(t *testing.T) {
	eachStore(t, func(w *world) {
		first := w.place(`{"1": {"amount": 1}, "4": {"amount": 1}}`)
		second := w.place(`{"2": {"amount": 1}}`)
		for query, want := range map[string]string{first: "1 4", second: "2", first + "," + second: "1 2 4", "99": ""} {
			var list struct {
				Products []struct {
					ID string `json:"product_id"`
				}
			}
			w.Get("/api/2.0/products?sort_by=date&order_ids=" + query).Decode(&list)
			var got []string
			for _, p := range list.Products {
				got = append(got, p.ID)
			}
			slices.Sort(got)
			if found := strings.Join(got, " "); found != want {
				w.t.Errorf("order_ids=%s: products %s, want %s", query, found, want)
			}
		}
	})
}

// Call requests show the status of their order, and discussions are about orders that
// exist (decisions §9, §10).
func TestOrders_CallRequestsAndDiscussions(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"4": {"amount": 1}}`)
		call := w.made("call_requests", `{"phone": "1", "order_id": `+id+`}`)
		w.put(id, `{"status": "C"}`)
		if got := w.Get("/api/2.0/call_requests/" + call).Field("order_status"); got != "C" {
			w.t.Errorf("the status is %s", got)
		}
		if a := w.Post("/api/2.0/call_requests", `{"phone": "1", "order_id": 99}`); a.Status != 400 {
			w.t.Errorf("an order that does not exist: %d %s", a.Status, a.Body)
		}
		w.made("discussions", `{"object_type": "O", "object_id": `+id+`, "message": "Where is it?"}`)
		if a := w.Get("/api/2.0/orders/" + id + "/discussions"); a.Status != 200 || !strings.Contains(a.Body, "Where is it?") {
			w.t.Errorf("the discussions of an order: %d %s", a.Status, a.Body)
		}
		if a := w.Post("/api/2.0/discussions", `{"object_type": "O", "object_id": 99, "message": "x"}`); a.Status != 400 {
			w.t.Errorf("a discussion of no order: %d %s", a.Status, a.Body)
		}
	})
}
