package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
)

// Pieces are held only when they were taken: a selection without a combination takes
// nothing, so it gives nothing back (decisions §26).
func TestOrders_26_HeldOnlyWhenTaken(t *testing.T) {
	eachStore(t, func(w *world) {
		w.FixSetting("General.allow_negative_amount", "Y")
		w.made("options", `{"product_id": 2, "option_name": "Colour", "variants": [{"variant_name": "Red"}]}`)
		w.Put("/api/2.0/products/2", `{"tracking": "O"}`)
		id := w.place(`{"2": {"amount": 2}}`)
		w.Put("/api/2.0/products/2", `{"tracking": "B", "amount": 5}`)
		w.put(id, `{"products": {"2": {"amount": 1}}}`)
		w.wantStock("fewer than nothing held", "10 5 5 3 2")
		w.put(id, `{"products": {"2": {"amount": 3}}}`)
		w.wantStock("two more", "10 3 5 3 2")
		w.Delete("/api/2.0/orders/" + id)
		w.wantStock("deleted", "10 5 5 3 2")
	})
}

// Shipping consumes reserved pieces, and a deleted shipment returns exactly these: to the
// order while its status takes stock, else to the stock (decisions §26).
func TestOrders_26_ShippingConsumesHeldPieces(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 3}, "3": {"amount": 2, "product_options": {"3": 5}}}`)
		mug, plate := w.line(id, "1").ItemID, w.line(id, "3").ItemID
		shipment := w.made("shipments", fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": 2, "%s": 1}}`, id, mug, plate))
		w.wantStock("shipped", "7 5 3 1 2")
		w.put(id, `{"status": "I"}`)
		w.wantStock("cancelled: what was shipped stays taken", "8 5 4 2 2")
		w.put(id, `{"status": "C"}`)
		w.wantStock("complete: ordered less shipped is taken", "7 5 3 1 2")
		for _, c := range []struct{ put, stock string }{
			{fmt.Sprintf(`{"products": {"%s": 1, "%s": 2}}`, mug, plate), "7 5 3 1 2"},
			{fmt.Sprintf(`{"products": {"%s": 3}}`, mug), "7 5 3 1 2"},
		} {
			if a := w.Put("/api/2.0/shipments/"+shipment, c.put); a.Status != 200 {
				w.t.Fatalf("PUT %s: %d %s", c.put, a.Status, a.Body)
			}
			w.wantStock(c.put, c.stock)
		}
		w.put(id, `{"status": "D"}`)
		w.wantStock("declined", "7 5 5 3 2")
		w.Put("/api/2.0/shipments/"+shipment, fmt.Sprintf(`{"products": {"%s": 1}}`, mug))
		w.wantStock("fewer were shipped", "9 5 5 3 2")
		w.Delete("/api/2.0/shipments/" + shipment)
		w.wantStock("nothing was shipped", "10 5 5 3 2")
		w.put(id, `{"status": "O"}`)
		shipment = w.made("shipments", fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": 2}}`, id, mug))
		w.Delete("/api/2.0/shipments/" + shipment)
		w.wantStock("held again", "7 5 3 1 2")
		w.Delete("/api/2.0/orders/" + id)
		w.wantStock("deleted", "10 5 5 3 2")
	})
}

// An order whose status gives stock back cannot be shipped, and no shipment brings such
// a status; the status afterwards counts (decisions §26).
func TestOrders_26_CancelledOrdersAreNotShipped(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 3}}`)
		mug := w.line(id, "1").ItemID
		ship := func(status string) string {
			return fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": 1}, "order_status": "%s"}`, id, mug, status)
		}
		w.refuses("POST", "shipments", ship("I"), "order_status")
		w.put(id, `{"status": "F"}`)
		w.refuses("POST", "shipments", ship(""), "order_id")
		w.made("shipments", ship("C"))
		w.wantStock("complete", "7 5 5 3 2")
		w.put(id, `{"status": "F"}`)
		w.wantStock("failed", "9 5 5 3 2")
		w.refuses("PUT", "shipments/1", fmt.Sprintf(`{"products": {"%s": 2}}`, mug), "order_id")
		if a := w.Put("/api/2.0/shipments/1", `{"tracking_number": "T-1"}`); a.Status != 200 {
			w.t.Errorf("PUT of a tracking number: %d %s", a.Status, a.Body)
		}
	})
}

// A new status decreases stock unless POST says otherwise (decisions §26).
func TestOrders_26_NewStatusesTakeStock(t *testing.T) {
	eachStore(t, func(w *world) {
		for i, c := range []struct{ params, want string }{
			{``, "D"}, {`, "params": {"notify": "Y"}`, "D"}, {`, "params": {"inventory": "I"}`, "I"},
		} {
			id := w.made("statuses", fmt.Sprintf(`{"description": "New %d"%s}`, i, c.params))
			var s struct{ Params map[string]string }
			w.Get("/api/2.0/statuses/" + id).Decode(&s)
			if s.Params["inventory"] != c.want {
				w.t.Errorf("params %s: inventory %q, want %s", c.params, s.Params["inventory"], c.want)
			}
		}
		letter := w.Get("/api/2.0/statuses/" + w.made("statuses", `{"description": "Lost", "params": {"inventory": "I"}}`)).Field("status")
		id := w.place(`{"2": {"amount": 2}}`)
		w.put(id, `{"status": "`+letter+`"}`)
		w.wantStock("a new status that gives stock back", "10 5 5 3 2")
	})
}

// A product whose out_of_stock_actions is B can be ordered beyond its stock, and its
// amount may be written below 0; so may that of its combinations (decisions §26).
func TestOrders_26_Backorders(t *testing.T) {
	eachStore(t, func(w *world) {
		w.Put("/api/2.0/products/2", `{"out_of_stock_actions": "B"}`)
		w.Put("/api/2.0/products/3", `{"out_of_stock_actions": "B"}`)
		id := w.place(`{"2": {"amount": 7}, "3": {"amount": 4, "product_options": {"3": 6}}}`)
		w.wantStock("ordered in advance", "10 -2 1 3 -2")
		w.put(id, `{"products": {"2": {"amount": 9}, "3": {"amount": 4}}}`)
		w.wantStock("more", "10 -4 1 3 -2")
		w.refuses("POST", "orders", w.order(`{"1": {"amount": 11}}`), "products[1]")
		w.refuses("PUT", "products/1", `{"amount": -1}`, "amount")
		if a := w.Put("/api/2.0/products/2", `{"amount": -7}`); a.Status != 200 {
			w.t.Errorf("PUT of a negative amount: %d %s", a.Status, a.Body)
		}
	})
}

// A line that asks for more than there is is at fault, also beside a status that takes stock as the
// former one does; the 400 says how many more it asks for. Where the status begins to take stock, it
// is at fault (decisions §18).
func TestOrders_StockOfLinesBesideAStatus(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"2": {"amount": 2}}`)
		says := func(put, field, want string) {
			w.t.Helper()
			w.refuses("PUT", "orders/"+id, put, field)
			if a := w.Put("/api/2.0/orders/"+id, put); !strings.Contains(a.Body, want) {
				w.t.Errorf("PUT %s: %s, want %q in it", put, a.Body, want)
			}
		}
		const more = "asks for 48 more of product 2 (Bowl), of which there are 3 in stock"
		w.put(id, `{"status": "P"}`)
		says(`{"status": "C", "products": {"2": {"amount": 50}}}`, "products[2]", more)
		says(`{"products": {"2": {"amount": 50}}}`, "products[2]", more)
		says(`{"products": {"2": {"amount": 2}, "1": {"amount": 11}}}`, "products[1]", "asks for 11 of product 1 (Clay mug), of which there are 10 in stock")
		says(`{"products": {"2": {"amount": 4}, "x": {"product_id": 2, "amount": 46}}}`, "products[2]", more)
		mugs := w.place(`{"1": {"amount": 2}}`)
		const other = `{"products": {"x": {"product_id": 1, "amount": 50, "product_options": {"2": 4}}}}`
		if a := w.Put("/api/2.0/orders/"+mugs, other); a.Status != 400 || !strings.Contains(a.Body, "asks for 48 more of product 1 (Clay mug), of which there are 8 in stock") {
			w.t.Errorf("PUT %s: %d %s", other, a.Status, a.Body)
		}
		w.put(id, `{"status": "I"}`)
		w.Put("/api/2.0/products/2", `{"amount": 1}`)
		says(`{"status": "C"}`, "status", "asks for 2 of product 2 (Bowl), of which there are 1 in stock")
	})
}

// A status set on a parent is set on every part that has another one, whatever the
// parent shows (decisions §26).
func TestOrders_26_StatusOfParentReachesEveryPart(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		parent, parts := w.split()
		w.put(parent, `{"status": "C"}`)
		w.put(parts[1], `{"status": "I"}`)
		w.put(parent, `{"status": "C"}`)
		for _, id := range append(parts, parent) {
			if got := w.get(id).Status; got != "C" {
				w.t.Errorf("order %s has the status %s", id, got)
			}
		}
		w.Events()
		w.put(parent, `{"status": "C"}`)
		if events := w.Events(); len(events) > 0 {
			w.t.Errorf("the same status again: %v", events)
		}
	})
}

// The lines of a parent show the shipped pieces of its parts (decisions §26).
func TestOrders_26_ParentShowsShippedPieces(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		parent, parts := w.split()
		for item, l := range w.get(parts[1]).Products {
			w.made("shipments", fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": 1}}`, parts[1], item))
			if got := w.line(parent, l.ProductID); got.Shipped != 1 || got.Left != "1" {
				w.t.Errorf("the line of the parent is %+v", got)
			}
		}
		if got := string(w.get(parent).ShippedBy); got != `["1"]` {
			w.t.Errorf("the shipments of the parent are %s", got)
		}
	})
}

// An order keeps the tax ids of its shipping method (decisions §26).
func TestOrders_26_KeptShippingTax(t *testing.T) {
	eachStore(t, func(w *world) {
		other := w.made("taxes", `{"tax": "New", "rates": [{"rate_value": 7, "apply_to": "S"}]}`)
		shipped := w.made("taxes", `{"tax": "Post", "rates": [{"rate_value": 10, "apply_to": "S"}]}`)
		w.Put("/api/2.0/shippings/1", `{"tax_ids": "`+shipped+`"}`)
		id := w.place(`{"4": {"amount": 1}, "2": {"amount": 1}}`)
		before := w.get(id).Tax
		w.Put("/api/2.0/shippings/1", `{"tax_ids": "`+other+`"}`)
		w.put(id, `{"products": {"4": {"amount": 2}, "2": {"amount": 1}}}`)
		if got := w.get(id).Tax; got != before {
			w.t.Errorf("the tax was %s, and is %s", before, got)
		}
		w.put(id, `{"subtotal_discount": "5.00"}`) // 20 % of 18.00 less its share of 3.21, and 10 % of 5.50
		w.wantFields("a discount", id, fields{"tax_subtotal": "3.51"})
	})
}

// An order of a thousand lines can be sent as it was read (decisions §26).
func TestOrders_26_LongOrdersCanBeSentAsRead(t *testing.T) {
	w := newMemoryWorld(t)
	w.made("products", `{"product": "Stamp", "category_ids": [1], "company_id": 1, "price": "1", "tracking": "D", "is_edp": "Y"}`)
	option := w.made("options", `{"product_id": 5, "option_name": "Text", "option_type": "I"}`)
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf(`"%d": {"product_id": 5, "amount": 1, "product_options": {"%s": "Text %d"}}`, i, option, i))
	}
	id := w.place("{" + strings.Join(lines, ",") + "}")
	read := w.Get("/api/2.0/orders/" + id).Body
	if len(read) < 1<<20 {
		t.Fatalf("the order has only %d bytes", len(read))
	}
	w.put(id, read)
	if again := w.Get("/api/2.0/orders/" + id).Body; again != read {
		t.Error("the order changed")
	}
}
