package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/orders"
)

// tables is the number of kept tables.
func (w *world) tables() int64 {
	w.t.Helper()
	n, err := orders.CountTables(w.t.Context(), w.st)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// wantFields checks fields of an order as GET answers them.
func (w *world) wantFields(when, id string, want map[string]string) {
	w.t.Helper()
	a := w.Get("/api/2.0/orders/" + id)
	for name, value := range want {
		if got := a.Field(name); got != value {
			w.t.Errorf("%s: %s of order %s is %s, want %s", when, name, id, got, value)
		}
	}
}

type fields = map[string]string

// A table is stored once per distinct content, and an edit of a method makes a new one
// (decisions §26).
func TestOrders_26_TablesAreStoredOnce(t *testing.T) {
	eachStore(t, func(w *world) {
		w.place(`{"2": {"amount": 1}}`)
		n := w.tables()
		if n != 3 {
			w.t.Errorf("one order keeps %d tables, want those of the tax, the shipping and the payment", n)
		}
		w.place(`{"1": {"amount": 1}, "2": {"amount": 2}}`)
		w.Put("/api/2.0/shippings/1", `{"shipping": "Mail"}`) // a name is in no table
		w.place(`{"2": {"amount": 1}}`)
		if got := w.tables(); got != n {
			w.t.Errorf("three orders by the same rules keep %d tables, want %d", got, n)
		}
		w.Put("/api/2.0/shippings/1", `{"rates": {"rate_value": {"C": {"0": {"value": 9}}}}}`)
		w.place(`{"2": {"amount": 1}}`)
		if got := w.tables(); got != n+1 {
			w.t.Errorf("after an edit there are %d tables, want %d", got, n+1)
		}
	})
}

// Series of changes that end in the same content end in the same amounts (decisions §26).
func TestOrders_26_PathIndependence(t *testing.T) {
	eachStore(t, func(w *world) {
		w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 20}, {"country": "EE", "rate_value": 7}, {"apply_to": "S", "rate_value": 10}]}`)
		w.Put("/api/2.0/shippings/1", `{"tax_ids": "1"}`)
		one, other := w.place(`{"1": {"amount": 3}, "2": {"amount": 1}}`), w.place(`{"1": {"amount": 1}, "2": {"amount": 2}}`)
		w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 99}]}`)
		for _, put := range []string{
			`{"payment_id": 1}`, `{"subtotal_discount": 7}`, `{"user_data": {"s_country": "EE"}}`, `{"products": {"1": {"amount": 2, "discount": 1}, "2": {"amount": 1}}}`,
		} {
			w.put(one, put)
		}
		for _, put := range []string{
			`{"products": {"1": {"amount": 7}}}`, `{"shipping_id": 2, "products": {"1": {"amount": 1}}}`, `{"tax_exempt": "Y"}`,
			`{"user_data": {"s_country": "EE"}, "products": {"2": {"amount": 1}, "1": {"amount": 2, "discount": 1}}}`, `{"shipping_cost": "1", "payment_surcharge": "3", "total": "1"}`,
			`{"subtotal_discount": 9, "tax_exempt": "N"}`, `{"payment_id": 1}`, `{"shipping_id": 1, "subtotal_discount": 7}`,
		} {
			w.put(other, put)
		}
		w.put(one, `{"shipping_id": 2}`) // the table of today, as the other order has
		w.put(one, `{"shipping_id": 1}`)
		amounts := func(id string) string {
			o := w.get(id)
			return fmt.Sprint(o.Total, o.Subtotal, o.OffOrder, o.Tax, o.Surcharge, o.Shipping, w.line(id, "1").Tax, w.line(id, "2").Tax)
		}
		if a, b := amounts(one), amounts(other); a != b {
			w.t.Errorf("the orders are\n%s\n%s", a, b)
		}
	})
}

// reprice=Y takes today's tables, ends written amounts and computes again; prices stay
// (decisions §26).
func TestOrders_26_Reprice(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`)
		w.put(id, `{"shipping_cost": "1.00", "payment_surcharge": "2.00", "total": "3.00"}`)
		w.Put("/api/2.0/products/2", `{"price": 99}`)
		w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 50}]}`)
		w.Put("/api/2.0/shippings/1", `{"rates": {"rate_value": {"C": {"0": {"value": 7}}}}}`)
		w.Put("/api/2.0/payments/2", `{"a_surcharge": 1}`)
		if a := w.Put("/api/2.0/orders/"+id+"?reprice=Y", `{"notes": ""}`); a.Status != 200 {
			w.t.Fatalf("PUT: %d %s", a.Status, a.Body)
		}
		w.wantFields("repriced", id, fields{
			"total": "35.00", "shipping_cost": "7.00", "payment_surcharge": "1.00", "tax_subtotal": "9", "subtotal": "18",
			"shipping_cost_set": "N", "payment_surcharge_set": "N", "total_set": "N", "total_adjustment": "0.00",
		})
		w.wantHistory(id, "created", "updated payment_surcharge,shipping_cost,total", "updated reprice")
		w.refuses("PUT", "orders/"+id, `{"reprice": "perhaps"}`, "reprice")
		w.refuses("PUT", "orders/"+id, `{"recalculate": "2"}`, "recalculate")
	})
}

// A written shipping cost and surcharge hold until their method changes or "" is sent; a
// written total until the next computation (decisions §26).
func TestOrders_26_WrittenAmounts(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`) // 18.00 + 5.50 + 3.60
		for _, c := range []struct {
			put  string
			want fields
		}{
			{`{"shipping_cost": "5.50"}`, fields{"total": "27.10", "shipping_cost_set": "N"}}, // the value that it has
			{`{"shipping_cost": "1.00"}`, fields{"total": "22.60", "shipping_cost_set": "Y", "total_set": "N"}},
			{`{"total": "22.50"}`, fields{"total": "22.50", "total_set": "Y", "total_adjustment": "-0.10"}},
			{`{"user_data": {"s_country": "EE"}}`, fields{"total": "22.50", "total_set": "Y"}}, // alters no amount
			{`{"products": {"2": {"amount": 2}}}`, fields{"total": "44.20", "shipping_cost": "1.00", "total_set": "N", "total_adjustment": "0.00"}},
			{`{"payment_surcharge": "2.00", "total": "50"}`, fields{"total": "50.00", "payment_surcharge_set": "Y", "total_adjustment": "3.80"}},
			{`{"payment_id": 1}`, fields{"payment_surcharge": "1.11", "payment_surcharge_set": "N", "total": "45.31"}},
			{`{"shipping_cost": ""}`, fields{"shipping_cost": "6.00", "shipping_cost_set": "N", "total": "50.46"}},
			{`{"shipping_cost": null}`, fields{"shipping_cost": "6.00", "shipping_cost_set": "N"}},
		} {
			w.put(id, c.put)
			w.wantFields(c.put, id, c.want)
		}
		for _, wrong := range []string{`"1e30"`, "-1", `"NaN"`, `"1.005"`, `"10000000000"`} {
			for _, name := range []string{"shipping_cost", "payment_surcharge", "total"} {
				w.refuses("PUT", "orders/"+id, `{"`+name+`": `+wrong+`}`, name)
			}
		}
	})
}

// Amounts that a PUT sends as null are not sent: they are not written, and written ones stay (decisions
// §26).
func TestOrders_26_AmountsOfNullAreNotSent(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`)
		before := w.Get("/api/2.0/orders/" + id).Body
		w.put(id, `{"total": null, "shipping_cost": null, "payment_surcharge": null}`)
		if after := w.Get("/api/2.0/orders/" + id).Body; after != before {
			w.t.Errorf("null changed the order: %s", cmp.Diff(before, after))
		}
		w.refuses("PUT", "orders/"+id, `{"total": ""}`, "total")
		w.put(id, `{"total": "1.00"}`)
		w.put(id, `{"total": null, "notes": "x"}`)
		w.wantFields("a written total", id, fields{"total": "1.00", "total_set": "Y"})
	})
}

// A written shipping cost needs neither a rate nor a weight that fits (decisions §26).
func TestOrders_26_WrittenShippingCostNeedsNoRate(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	w.refuses("PUT", "orders/"+id, `{"shipping_id": 3}`, "shipping_id")
	w.put(id, `{"shipping_id": 3, "shipping_cost": "8.00"}`)
	w.put(id, `{"shipping_id": 2, "shipping_cost": "4.50", "products": {"2": {"amount": 5}}}`)
	w.wantFields("too heavy", id, fields{"shipping_cost": "4.50", "shipping_cost_set": "Y", "total": "112.50"})
}

// recalculate=N keeps sums and taxes for one PUT (decisions §26).
func TestOrders_26_RecalculateN(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`)
		if a := w.Put("/api/2.0/orders/"+id+"?recalculate=N", `{"products": {"2": {"amount": 2, "discount": "1.00"}}}`); a.Status != 200 {
			w.t.Fatalf("PUT: %d %s", a.Status, a.Body)
		}
		w.wantFields("kept", id, fields{"total": "27.10", "subtotal": "18", "tax_subtotal": "3.6", "total_adjustment": "-20.90"})
		if l := w.line(id, "2"); l.Subtotal.String() != "35" {
			w.t.Errorf("the line costs %s", l.Subtotal)
		}
		w.put(id, `{"recalculate": "N", "total": "30", "subtotal_discount": "1"}`)
		w.wantFields("the total that it sends", id, fields{"total": "30.00", "subtotal": "18", "total_adjustment": "-16.80", "total_set": "Y"})
		w.put(id, `{"subtotal_discount": "0"}`)
		w.wantFields("then", id, fields{"total": "48.00", "subtotal": "35", "total_adjustment": "0.00", "total_set": "N"})
	})
}

// The currency of an order is that of the shop when it was placed; today's amounts are
// refused in another (decisions §26).
func TestOrders_26_Currency(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	w.FixSetting("General.currency", "NOK")
	w.wantFields("placed", id, fields{"secondary_currency": "USD"})
	w.refuses("PUT", "orders/"+id, `{"reprice": "Y"}`, "reprice")
	w.refuses("PUT", "orders/"+id, `{"products": {"2": {"amount": 1}, "4": {"amount": 1}}}`, "products[4][price]")
	w.refuses("PUT", "orders/"+id, `{"shipping_id": 2, "payment_id": 1}`, "shipping_cost", "payment_surcharge")
	w.put(id, `{"products": {"2": {"amount": 2}, "4": {"amount": 1, "price": "5"}}, "shipping_id": 2, "shipping_cost": "3.00"}`)
	w.wantFields("changed", id, fields{"secondary_currency": "USD", "total": "51.20"})
}

// An order of an older version keeps no tables: what its methods cost counts as written,
// and its rates are kept as they are (decisions §26).
func TestOrders_26_OlderOrders(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`)
		if err := orders.MakeOlder(w.t.Context(), w.st, idOf(w.t, id)); err != nil {
			w.t.Fatal(err)
		}
		w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 50}]}`)
		w.wantFields("older", id, fields{"shipping_cost_set": "Y", "payment_surcharge_set": "Y"})
		w.put(id, `{"products": {"2": {"amount": 2}}}`)
		w.wantFields("changed", id, fields{"shipping_cost": "5.50", "shipping_cost_set": "Y", "tax_subtotal": "7.2", "total": "48.70"})
	})
}

// Live: an address of which nothing is sent is copied whole from the other (decisions §26).
func TestOrders_26_LiveAddressesAreNotMixed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unclosed{shoptest.Memory(t)}, shopapi.Options{Dialect: shopapi.DialectLive})
	user := strings.Split(guest, `"s_firstname"`)
	billing := strings.TrimRight(strings.TrimSpace(user[0]), ",") + "}"
	order := `{"payment_id": 2, "shipping_id": 1, "products": {"2": {"amount": 1}}, "user_data": `
	id := w.made("orders", order+billing+`}`)
	w.wantFields("copied", id, fields{"s_city": "Oslo", "s_address": "Road 1"})
	mixed := strings.TrimSuffix(billing, "}") + `, "s_city": "Bergen"}`
	if a := w.Post("/api/2.0/orders", order+mixed+`}`); a.Status != 400 || !strings.Contains(a.Body, "s_address") {
		t.Errorf("a shipping address of one field: %d %s", a.Status, a.Body)
	}
}

// A field sent with the value that it has is not set (decisions §26).
func TestOrders_26_EqualFieldsAreNotSet(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	before := w.Get("/api/2.0/orders/" + id).Body
	w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 50}]}`)
	w.put(id, `{"payment_id": 2, "shipping_id": 1, "total": "27.1", "shipping_cost": 5.5, "payment_surcharge": 0, "tax_exempt": "N", "products": {"2": {"amount": 1, "price": "18"}}}`)
	if diff := cmp.Diff(before, w.Get("/api/2.0/orders/"+id).Body); diff != "" {
		t.Error(diff)
	}
}
