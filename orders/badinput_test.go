package orders_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Amounts of orders are numbers from 0 to the greatest amount with at most two decimals.
// All others are a 400 that names the field, and change nothing (decisions §18, §26).
func TestOrders_26_BadAmounts(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	item := w.line(id, "2").ItemID
	for _, amount := range []string{`"1e30"`, "1e30", "-1", `"-0.01"`, `"NaN"`, `"Infinity"`, `"0x10"`, `"1,50"`, "0.001", "10000000000", `"` + strings.Repeat("9", 400) + `"`, "[1]", "true"} {
		for _, field := range []string{"total", "subtotal_discount", "shipping_cost", "payment_surcharge"} {
			w.refuses("PUT", "orders/"+id, fmt.Sprintf(`{%q: %s}`, field, amount), field)
		}
		for _, field := range []string{"price", "discount"} {
			w.refuses("PUT", "orders/"+id, fmt.Sprintf(`{"products": {%q: {"amount": 1, %q: %s}}}`, item, field, amount), "products["+item+"]["+field+"]")
		}
		past := strings.TrimSuffix(w.order(`{"2": {"amount": 1}}`), "}")
		for _, field := range []string{"total", "subtotal_discount", "shipping_cost", "payment_surcharge"} {
			w.refuses("POST", "orders", fmt.Sprintf(`%s, "timestamp": 1600000000, %q: %s}`, past, field, amount), field)
		}
	}
	for _, amount := range []string{"0", "-1", "1.5", `"1e30"`, `"NaN"`, `""`, "1e9999"} {
		w.refuses("PUT", "orders/"+id, fmt.Sprintf(`{"products": {%q: {"amount": %s}}}`, item, amount), "products["+item+"][amount]")
		w.refuses("POST", "orders", w.order(fmt.Sprintf(`{"2": {"amount": %s}}`, amount)), "products[2][amount]")
	}
}

// A written amount with which the order would cost more than an order may is a 400 that names it,
// and lines that cost more name products (decisions §5, §26).
func TestOrders_26_WrittenAmountsThatAreTooLarge(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	past := strings.TrimSuffix(w.order(`{"2": {"amount": 1}}`), "}")
	for _, field := range []string{"shipping_cost", "payment_surcharge"} {
		w.refuses("PUT", "orders/"+id, fmt.Sprintf(`{%q: "9999999999.99"}`, field), field)
		w.refuses("POST", "orders", fmt.Sprintf(`%s, "timestamp": 1600000000, %q: "9999999999.99"}`, past, field), field)
	}
	w.refuses("PUT", "orders/"+id, `{"shipping_cost": "1", "products": {"2": {"amount": 2, "price": "9999999999.99"}}}`, "products")
	w.put(id, `{"shipping_cost": "9999999978.39"}`) // with 18.00 and 3.60 of tax
	w.refuses("PUT", "orders/"+id, `{"products": {"2": {"amount": 2}}}`, "products")
}

// Rules that would make a total negative are refused where they are written (decisions §20).
func TestOrders_26_RulesThatMakeATotalNegative(t *testing.T) {
	w := newMemoryWorld(t)
	for address, rules := range map[string]map[string]string{
		"taxes/1": {
			`{"rates": [{"rate_value": -20}]}`:                      "rates",
			`{"rates": [{"rate_type": "F", "rate_value": "-0.5"}]}`: "rates",
			`{"rates": [{"rate_value": "NaN"}]}`:                    "rates",
			`{"rates": [{"rate_value": 1e30}]}`:                     "rates",
		},
		"payments/1": {
			`{"a_surcharge": "-5"}`:   "a_surcharge",
			`{"p_surcharge": "-100"}`: "p_surcharge",
			`{"p_surcharge": "NaN"}`:  "p_surcharge",
		},
		"shippings/1": {
			`{"rates": {"rate_value": {"C": {"0": {"value": -5}}}}}`:                  "rates",
			`{"rates": {"rate_value": {"C": {"0": {"value": "-100", "type": "P"}}}}}`: "rates",
			`{"rates": {"rate_value": {"W": {"0": {"value": "NaN"}}}}}`:               "rates",
		},
	} {
		for rule, field := range rules {
			w.refuses("PUT", address, rule, field)
		}
	}
	id := w.place(`{"2": {"amount": 1}}`)
	w.refuses("PUT", "orders/"+id, `{"subtotal_discount": "18.01"}`, "subtotal_discount")
	item := w.line(id, "2").ItemID
	w.refuses("PUT", "orders/"+id, `{"products": {"`+item+`": {"discount": "18.01"}}}`, "products["+item+"][discount]")
	w.put(id, `{"subtotal_discount": "18.00", "shipping_cost": "0"}`)
	w.wantFields("all discounted", id, fields{"total": "0.00", "tax_subtotal": "0"})
}

// An order has at most 1,000 lines, when it is placed and when it is changed (decisions §18).
func TestOrders_26_TooManyLines(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	lines := map[string]any{}
	for i := range 1001 {
		lines[fmt.Sprintf("x%d", i)] = map[string]int{"product_id": 2, "amount": 1}
	}
	encoded, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	w.refuses("POST", "orders", w.order(string(encoded)), "products")
	w.refuses("PUT", "orders/"+id, `{"products": `+string(encoded)+`}`, "products")
}

// recalculate and reprice are Y or N, in the body and in the query (decisions §26).
func TestOrders_26_BadFlags(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	for _, flag := range []string{"recalculate", "reprice"} {
		for _, value := range []string{`"perhaps"`, "2", `"NN"`, "{}", "[]", "-1"} {
			w.refuses("PUT", "orders/"+id, fmt.Sprintf(`{"notes": "x", %q: %s}`, flag, value), flag)
		}
		w.refuses("PUT", "orders/"+id+"?"+flag+"=perhaps", `{"notes": "x"}`, flag)
		w.put(id, fmt.Sprintf(`{"notes": "y", %q: ""}`, flag)) // empty is not sent
	}
}

// An order whose status gives its stock back cannot be shipped, nor may a shipment bring
// such a status; shipments that were made before may be changed and deleted (decisions §26).
func TestOrders_26_ShipmentsOfACancelledOrder(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 2}}`)
	item := w.line(id, "2").ItemID
	shipment := w.made("shipments", fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": 1}}`, id, item))
	order := fmt.Sprintf(`{"order_id": %s, "shipping_id": 1, "products": {"%s": 1}`, id, item)
	w.refuses("POST", "shipments", order+`, "order_status": "I"}`, "order_status")
	w.put(id, `{"status": "I"}`)
	for _, payload := range []string{order + "}", order + `, "order_status": "D"}`, order + `, "order_status": "?"}`} {
		if a := w.Post("/api/2.0/shipments", payload); a.Status != 400 {
			t.Errorf("POST shipments %s: %d %s", payload, a.Status, a.Body)
		}
	}
	if a := w.Put("/api/2.0/shipments/"+shipment, fmt.Sprintf(`{"products": {"%s": 2}}`, item)); a.Status != 400 {
		t.Errorf("more pieces of a shipment: %d %s", a.Status, a.Body)
	}
	if a := w.Delete("/api/2.0/shipments/" + shipment); a.Status != 204 {
		t.Errorf("DELETE of a shipment: %d %s", a.Status, a.Body)
	}
	w.wantStock("cancelled, and its shipment deleted", "10 5 5 3 2")
}
