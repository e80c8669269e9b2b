package orders_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// history is the history of an order in short form, one entry a line.
func (w *world) history(id, query string) string {
	w.t.Helper()
	var list struct {
		History []struct {
			Time       string
			UserID     string `json:"user_id"`
			Event      string
			Status     *struct{ From, To string }
			Fields     []string
			ItemIDs    []string `json:"item_ids"`
			ShipmentID string   `json:"shipment_id"`
			Document   string
		}
	}
	a := w.Get("/api/2.0/orders/" + id + "/history" + query)
	if a.Status != 200 {
		w.t.Fatalf("the history of order %s: %d %s", id, a.Status, a.Body)
	}
	a.Decode(&list)
	var lines []string
	for _, e := range list.History {
		line := e.Event
		if e.Status != nil {
			line += " " + e.Status.From + ">" + e.Status.To
		}
		for _, text := range []string{strings.Join(e.Fields, ","), e.Document} {
			if text != "" {
				line += " " + text
			}
		}
		if n := len(e.ItemIDs); n > 0 {
			line += fmt.Sprintf(" %d lines", n)
		}
		if e.ShipmentID != "" {
			line += " shipment"
		}
		if e.Time == "" || e.UserID == "" {
			w.t.Errorf("an entry of order %s has no time or user: %+v", id, e)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (w *world) wantHistory(id string, want ...string) {
	w.t.Helper()
	if got := w.history(id, ""); got != strings.Join(want, "\n") {
		w.t.Errorf("the history of order %s is\n%s\nwant\n%s", id, got, strings.Join(want, "\n"))
	}
}

// Each change is one entry, with the names of the changed fields of the request
// (decisions §26).
func TestOrders_26_HistoryOfChanges(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 2}, "2": {"amount": 1}}`)
		w.put(id, `{"notes": "ring twice", "details": "", "user_data": {"s_city": "Liepaja", "email": "ana@example.org"}}`)
		w.put(id, `{"notes": "ring twice"}`) // differs in nothing
		w.put(id, `{"status": "P", "payment_id": 1}`)
		w.put(id, `{"products": {"`+w.line(id, "1").ItemID+`": {"amount": 1}, "`+w.line(id, "2").ItemID+`": {"amount": 1}}, "shipping_id": 2}`)
		w.put(id, `{"total": "99"}`)
		w.wantHistory(id,
			"created",
			"updated notes,s_city",
			"status O>P payment_id",
			"updated products,shipping_id 1 lines",
			"updated total")
		w.Delete("/api/2.0/orders/" + id)
		if a := w.Get("/api/2.0/orders/" + id + "/history"); a.Status != 404 {
			w.t.Errorf("the history of an order that is gone: %d %s", a.Status, a.Body)
		}
	})
}

// A shipment is one entry, with the status that it brings (decisions §26).
func TestOrders_26_HistoryOfShipments(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 2}, "2": {"amount": 1}}`)
		item := w.line(id, "1").ItemID
		shipment := w.made("shipments", `{"order_id": `+id+`, "shipping_id": 1, "order_status": "C", "products": {"`+item+`": 1}}`)
		w.Put("/api/2.0/shipments/"+shipment, `{"tracking_number": "T1", "products": {"`+item+`": 2}}`)
		w.Delete("/api/2.0/shipments/" + shipment)
		w.wantHistory(id,
			"created",
			"shipped O>C 1 lines shipment",
			"shipment_updated products,tracking_number 1 lines shipment",
			"shipment_deleted 1 lines shipment")
	})
}

// History is paged, the oldest first (decisions §26).
func TestOrders_26_HistoryPages(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	w.put(id, `{"notes": "a"}`)
	if _, err := w.Orders.SetStatus(t.Context(), idOf(t, id), "P", orders.Notify{}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"?items_per_page=1&page=2":          "updated notes",
		"?items_per_page=1&sort_order=desc": "status O>P",
		"?page=9":                           "",
	} {
		if got := w.history(id, query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if a := w.Get("/api/2.0/orders/" + id + "/history?items_per_page=1"); !strings.Contains(a.Body, `"total_items":"3"`) {
		t.Errorf("params of %s", a.Body)
	}
	if a := w.Get("/api/2.0/orders/" + id + "/history?page=x"); a.Status != 400 {
		t.Errorf("page=x: %d %s", a.Status, a.Body)
	}
}

// The user of an entry is shown only with view_users. Changes by the host's own code have
// no user, and an erased user is not shown (decisions §26).
func TestOrders_26_HistoryOfUsers(t *testing.T) {
	w := newMemoryWorld(t)
	staff := w.User("view_orders", "manage_orders")
	id := w.place(`{"2": {"amount": 1}}`)
	if a := staff.Put("/api/2.0/orders/"+id, `{"notes": "a"}`); a.Status != 200 {
		t.Fatal(a.Body)
	}
	if _, err := w.Orders.SetStatus(t.Context(), idOf(t, id), "P", orders.Notify{}); err != nil {
		t.Fatal(err)
	}
	users := func(list []orders.HistoryEntry, _ int64, err error) (who int64) {
		if err != nil || len(list) != 3 || list[2].UserID != 0 {
			t.Fatalf("%+v, %v", list, err)
		}
		return list[1].UserID
	}
	who := users(w.Orders.History(t.Context(), idOf(t, id), resource.ListOptions{}))
	if who == 0 {
		t.Error("the entry of a user has none")
	}
	if a := staff.Get("/api/2.0/orders/" + id + "/history"); a.Status != 200 || strings.Contains(a.Body, fmt.Sprintf(`"user_id":"%d"`, who)) {
		t.Errorf("without view_users: %d %s", a.Status, a.Body)
	}
	if a := w.User("view_users").Get("/api/2.0/orders/" + id + "/history"); a.Status != 403 {
		t.Errorf("without view_orders: %d %s", a.Status, a.Body)
	}
	if err := w.API.Erasing(t.Context(), shopapi.Person{UserID: who}); err != nil {
		t.Fatal(err)
	}
	if who := users(w.Orders.History(t.Context(), idOf(t, id), resource.ListOptions{})); who != 0 {
		t.Errorf("an erased user is %d", who)
	}
}

// Vendors see the history of their own orders, and a status of the parent is an entry of
// each (decisions §26).
func TestOrders_26_HistoryOfVendors(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		parent, parts := w.split()
		w.put(parts[0], `{"status": "P"}`)
		w.put(parent, `{"status": "C"}`)
		w.wantHistory(parent, "created", "status O>C")
		mine := 0
		for _, part := range parts {
			a := w.UserOf(2, "view_orders").Get("/api/2.0/orders/" + part + "/history")
			if w.get(part).CompanyID == "2" {
				if mine++; a.Status != 200 || strings.Count(a.Body, `"event"`) != len(strings.Split(w.history(part, ""), "\n")) {
					w.t.Errorf("its own: %d %s", a.Status, a.Body)
				}
			} else if a.Status != 404 {
				w.t.Errorf("another vendor's: %d %s", a.Status, a.Body)
			}
		}
		if mine != 1 {
			w.t.Errorf("%d orders of the vendor", mine)
		}
		if got := w.history(parts[0], "") + "|" + w.history(parts[1], ""); got != "created\nstatus O>P\nstatus P>C|created\nstatus O>C" {
			w.t.Errorf("the parts have %s", got)
		}
	})
}

// Each call from Go, also of several in one transaction, and each imported order is an
// entry, and a transaction that rolls back leaves none (decisions §26).
func TestOrders_26_HistoryOfGoCalls(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`)
		note := func(text string) func(*orders.Order) error {
			return func(o *orders.Order) error { o.Notes = text; return nil }
		}
		errBack := errors.New("taken back")
		for _, end := range []error{nil, errBack} {
			err := w.st.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
				for _, text := range []string{"a", "b"} {
					if _, err := w.Orders.Update(ctx, idOf(t, id), note(text)); err != nil {
						return err
					}
				}
				return end
			})
			if !errors.Is(err, end) {
				t.Fatal(err)
			}
		}
		w.wantHistory(id, "created", "updated notes", "updated notes")
		list, err := w.Orders.Import(t.Context(), []orders.Order{imported(), imported()})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list {
			w.wantHistory(shopapi.FormatID(o.OrderID), "created")
		}
	})
}

// Changes of a host's fields are in the history by their names (decisions §26).
func TestOrders_26_HistoryOfCustomFields(t *testing.T) {
	eachStoreWith(t, shopapi.Options{CustomFields: map[string][]shopapi.CustomField{"orders": {
		{Name: "x_gift", Type: shopapi.CustomText}, {Name: "x_level", Type: shopapi.CustomNumber}, {Name: "x_margin", Type: shopapi.CustomAmount, View: "view_margins"},
	}}}, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`)
		w.put(id, `{"x_gift": "Blue paper", "notes": "a"}`)
		w.put(id, `{"x_gift": "Blue paper"}`)
		w.put(id, `{"x_gift": "Red paper", "x_level": 3}`)
		w.put(id, `{"x_level": null, "x_margin": "4.5"}`)
		w.put(id, `{"x_margin": "4.50"}`)
		w.wantHistory(id, "created", "updated notes,x_gift", "updated x_gift,x_level", "updated x_level,x_margin")
		if a := w.User("view_orders").Get("/api/2.0/orders/" + id + "/history"); a.Status != 200 || strings.Contains(a.Body, "x_margin") || !strings.Contains(a.Body, "x_level") {
			w.t.Errorf("without the privilege of a field: %d %s", a.Status, a.Body)
		}
	})
}

// Orders show when they were changed last (decisions §26).
func TestOrders_26_UpdatedAt(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	a := w.Get("/api/2.0/orders/" + id)
	if a.Field("updated_at") == "0" || a.Field("updated_at") != a.Field("timestamp") {
		t.Errorf("updated_at %s, timestamp %s", a.Field("updated_at"), a.Field("timestamp"))
	}
}

// idOf is an id as a number.
func idOf(t *testing.T, id string) int64 {
	t.Helper()
	n, err := shopapi.ParseID("order", id)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
