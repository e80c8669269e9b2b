package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/orders"
)

// Statuses of an older version that have no inventory give stock back, as they did
// (decisions §26).
func TestOrders_26_StatusesOfOlderVersions(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.made("statuses", `{"description": "Lost"}`)
	status, err := statusParams(w, id)
	if err != nil || status["inventory"] != "D" {
		t.Fatalf("a new status has %v, %v", status, err)
	}
	if err := orders.RewriteStatus(t.Context(), w.st, idOf(t, id), func(s *orders.Status) { s.Params = nil }); err != nil {
		t.Fatal(err)
	}
	if err := w.Orders.Convert(t.Context(), "statuses: inventory"); err != nil {
		t.Fatal(err)
	}
	if status, err = statusParams(w, id); err != nil || status["inventory"] != "I" {
		t.Errorf("a status of an older version has %v, %v", status, err)
	}
}

func statusParams(w *world, id string) (map[string]string, error) {
	var s struct{ Params map[string]string }
	a := w.Get("/api/2.0/statuses/" + id)
	if a.Status != 200 {
		return nil, fmt.Errorf("%d %s", a.Status, a.Body)
	}
	a.Decode(&s)
	return s.Params, nil
}

// At the upgrade the held pieces of older orders become held less shipped, at least 0, and
// their shipments note the difference (decisions §26).
func TestOrders_26_HeldPiecesOfOlderVersions(t *testing.T) {
	for name, c := range map[string]struct {
		held                       int64 // by the order of three pieces, of which two are shipped
		cancelled, unshipped, gone string
	}{
		"all held": {3, "8 5 5 3 2", "10 5 5 3 2", "10 5 5 3 2"},
		"one held": {1, "7 5 5 3 2", "8 5 5 3 2", "8 5 5 3 2"},
		"none":     {0, "7 5 5 3 2", "7 5 5 3 2", "7 5 5 3 2"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newMemoryWorld(t)
			id := w.place(`{"1": {"amount": 3}}`)
			w.made("shipments", fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": 2}}`, id, w.line(id, "1").ItemID))
			err := orders.Rewrite(t.Context(), w.st, idOf(t, id), func(o *orders.Order) { o.Lines[0].Reserved = c.held })
			if err == nil {
				err = orders.MakeOlderShipments(t.Context(), w.st)
			}
			if err == nil {
				err = w.Orders.Convert(t.Context(), "orders: shipments consume held pieces")
			}
			if err != nil {
				t.Fatal(err)
			}
			w.put(id, `{"status": "I"}`)
			w.wantStock("cancelled", c.cancelled)
			w.Delete("/api/2.0/shipments/1")
			w.wantStock("not shipped", c.unshipped)
			w.Delete("/api/2.0/orders/" + id)
			w.wantStock("deleted", c.gone)
		})
	}
}

// An order of another shop keeps the taxes that it shows as they are until its content
// changes; then the rates that it shows count, and taxes that it does not show are none
// (decisions §26).
func TestOrders_26_TaxesOfPulledOrders(t *testing.T) {
	w := newMemoryWorld(t)
	hidden := w.made("taxes", `{"tax": "Duty", "status": "D", "rates": [{"rate_value": 10}]}`)
	w.Put("/api/2.0/products/2", `{"tax_ids": "1,`+hidden+`"}`)
	id := w.place(`{"2": {"amount": 1}}`)
	err := orders.MakeOlder(t.Context(), w.st, idOf(t, id))
	if err == nil {
		err = orders.Rewrite(t.Context(), w.st, idOf(t, id), func(o *orders.Order) {
			o.TaxSubtotal = decimal.MustParse("3.99")
			o.Taxes[0].Subtotal, o.Taxes[0].Products = o.TaxSubtotal, o.TaxSubtotal
			o.Total = decimal.MustParse("27.49")
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 50}]}`)
	w.Put("/api/2.0/taxes/"+hidden, `{"status": "A"}`)
	shown := fields{"tax_subtotal": "3.99", "total": "27.49", "total_set": "N"}
	w.wantFields("as it came", id, shown)
	for _, put := range []string{`{"notes": "x"}`, `{"status": "C"}`, `{"user_data": {"s_city": "Cesis"}}`, `{"user_data": {"s_country": "EE"}}`, w.Get("/api/2.0/orders/" + id).Body} {
		w.put(id, put)
		w.wantFields(put, id, shown)
	}
	w.put(id, `{"products": {"2": {"amount": 2}}}`) // 36.00 + 5.50 + 20 %
	w.wantFields("its content changed", id, fields{"tax_subtotal": "7.2", "total": "48.70", "shipping_cost": "5.50", "shipping_cost_set": "Y"})
	if body := w.Get("/api/2.0/orders/" + id).Body; strings.Contains(body, "Duty") {
		t.Errorf("a tax that it did not show counts: %s", body)
	}
}
