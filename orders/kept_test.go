package orders_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/orders"
)

// An edit of a tax changes no order that keeps its table, also when nothing names the tax
// any more and later a line names it again; a tax that is new to the order brings its table
// of today (decisions §26).
func TestOrders_26_TaxesThatNothingNames(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}, "4": {"amount": 1}}`) // 23.00 + 5.50 + 3.60
	w.put(id, `{"products": {"4": {"amount": 1}}}`)
	w.wantFields("no line has the tax", id, fields{"total": "5.00", "tax_subtotal": "0"})
	w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 50}]}`)
	w.put(id, `{"products": {"4": {"amount": 1}, "2": {"amount": 1}}}`)
	w.wantFields("again", id, fields{"total": "32.10", "tax_subtotal": "3.6"})

	other := w.made("taxes", `{"tax": "Duty", "rates": [{"rate_value": 10}]}`)
	w.Put("/api/2.0/products/1", `{"tax_ids": "`+other+`"}`)
	w.Put("/api/2.0/taxes/"+other, `{"rates": [{"rate_value": 40}]}`)
	w.put(id, `{"products": {"4": {"amount": 1}, "1": {"amount": 1}}}`) // 17.50 + 5.50 + 5.00
	w.Put("/api/2.0/taxes/"+other, `{"rates": [{"rate_value": 80}]}`)
	w.put(id, `{"subtotal_discount": "7.50"}`) // 10.00 + 5.50 + 40 % of 7.14
	w.wantFields("a tax that was new to the order", id, fields{"total": "18.36", "tax_subtotal": "2.86"})
}

// Disabled taxes are kept as such when the order is placed; the tax ids of lines stay, also
// with reprice=Y, which takes today's tables (decisions §26).
func TestOrders_26_DisabledTaxesAreKept(t *testing.T) {
	w := newMemoryWorld(t)
	w.Put("/api/2.0/taxes/1", `{"status": "D"}`)
	id := w.place(`{"2": {"amount": 1}}`)
	w.Put("/api/2.0/taxes/1", `{"status": "A"}`)
	w.put(id, `{"products": {"2": {"amount": 2}}}`)
	w.wantFields("disabled when it was placed", id, fields{"total": "42.00", "tax_subtotal": "0"})
	w.made("taxes", `{"tax": "Duty", "rates": [{"rate_value": 90}]}`)
	w.Put("/api/2.0/products/2", `{"tax_ids": "2"}`)
	w.put(id, `{"reprice": "Y"}`)
	w.wantFields("repriced", id, fields{"total": "49.20", "tax_subtotal": "7.2"})
}

// The host's answer for an address is content that the order keeps: it is asked when the
// address is written, whatever it answers, and at no other time (decisions §26).
func TestOrders_26_DestinationsAreKept(t *testing.T) {
	for name, first := range map[string][]int64{"of one destination": {7}, "of none": nil} {
		t.Run(name, func(t *testing.T) {
			w := newMemoryWorld(t)
			answer, asked := first, 0
			w.Orders.Destinations(func(context.Context, orders.Address) []int64 { asked++; return answer })
			id := w.made("orders", orderBy(w.user(), "2", w.made("shippings", `{"shipping": "Fetch"}`)))
			answer, asked = []int64{1}, 0
			for _, put := range []string{
				`{"products": {"2": {"amount": 2}}}`, `{"subtotal_discount": 1}`, `{"user_data": {"b_city": "Cesis"}}`, `{"payment_id": 1}`, `{"reprice": "Y"}`, `{"tax_exempt": "Y"}`,
			} {
				w.put(id, put)
				if asked != 0 {
					t.Errorf("PUT %s asks for the destinations", put)
				}
			}
			w.refuses("PUT", "orders/"+id, `{"shipping_id": 1}`, "shipping_id") // has rates for everywhere alone
			w.put(id, `{"user_data": {"s_city": "Cesis"}}`)
			if asked != 1 {
				t.Errorf("a new address asks for the destinations %d times", asked)
			}
			w.put(id, `{"shipping_id": 1}`)
			w.wantFields("everywhere", id, fields{"shipping_cost": "6.00"})
		})
	}
}

// Tables have what amounts follow from: names are in the order, and processor_params are in
// neither (decisions §26).
func TestOrders_26_TablesHaveNoSecrets(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.made("orders", orderBy(w.user(), "1", "1"))
	contents, err := orders.TableContents(t.Context(), w.st)
	if err != nil || len(contents) != 3 {
		t.Fatalf("the tables are %q, %v", contents, err)
	}
	order := w.Get("/api/2.0/orders/" + id).Body
	for _, secret := range []string{"processor_params", "secret", "Card", "Post", "VAT"} {
		if kept := strings.Join(contents, "\n"); strings.Contains(kept, secret) {
			t.Errorf("the tables have %s: %s", secret, kept)
		}
		if strings.Contains(order, secret) == (secret == "secret") {
			t.Errorf("the order has %s, or lacks it: %s", secret, order)
		}
	}
}
