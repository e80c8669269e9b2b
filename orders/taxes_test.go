package orders_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/orders"
)

// A taxShown is a tax of an order or a line as GET answers it.
type taxShown struct {
	Subtotal json.Number `json:"tax_subtotal"`
	Taxable  json.Number `json:"taxable_amount"`
	Rates    []struct {
		To       string      `json:"apply_to"`
		Type     string      `json:"rate_type"`
		Value    string      `json:"rate_value"`
		Taxable  json.Number `json:"taxable_amount"`
		Subtotal json.Number `json:"tax_subtotal"`
	}
}

// taxes returns tax 1 of an order and of its first line, in short form.
func (w *world) taxes(id string) (of, line string) {
	w.t.Helper()
	var o struct {
		Taxes    map[string]taxShown
		Products map[string]struct{ Taxes map[string]taxShown }
	}
	w.Get("/api/2.0/orders/" + id).Decode(&o)
	short := func(t taxShown) string {
		text := t.Taxable.String() + ": " + t.Subtotal.String()
		for _, r := range t.Rates {
			text += ", " + r.To + " " + r.Type + " " + r.Value + " of " + r.Taxable.String() + " " + r.Subtotal.String()
		}
		return text
	}
	for _, l := range o.Products {
		line = short(l.Taxes["1"])
	}
	return short(o.Taxes["1"]), line
}

// tax_exempt may be written on POST and PUT, for guests too. Included taxes are then
// subtracted from the total and the base of the surcharge (decisions §26).
func TestOrders_26_TaxExempt(t *testing.T) {
	eachStore(t, func(w *world) {
		w.Put("/api/2.0/taxes/1", `{"price_includes_tax": "Y"}`)
		id := w.made("orders", `{"payment_id": 1, "shipping_id": 1, "tax_exempt": "Y", "products": {"2": {"amount": 1}}, "user_data": `+guest+`}`)
		exempt := fields{"tax_exempt": "Y", "total": "21.12", "subtotal": "18", "shipping_cost": "5.50", "payment_surcharge": "0.62", "tax_exempted": "3", "tax_included": "0", "tax_subtotal": "0"}
		w.wantFields("placed", id, exempt)
		if of, line := w.taxes(id); of != "15: 0, P P 20.000 of 15 0" || line != of {
			w.t.Errorf("the tax is %s, of the line %s", of, line)
		}
		w.put(id, `{"tax_exempt": "N"}`)
		w.wantFields("N", id, fields{"tax_exempt": "N", "total": "24.21", "payment_surcharge": "0.71", "tax_exempted": "0", "tax_included": "3"})
		w.put(id, `{"tax_exempt": "Y"}`)
		w.wantFields("Y again", id, exempt)
		w.refuses("PUT", "orders/"+id, `{"tax_exempt": "perhaps"}`, "tax_exempt")
		yes := true
		q, err := w.Orders.Quote(w.t.Context(), orders.Purchase{PaymentID: 1, ShippingID: 1, TaxExempt: &yes, Lines: []orders.PurchaseLine{{ProductID: 2, Amount: 1}}})
		if err != nil || q.Order.Total.String() != "21.12" {
			w.t.Errorf("the quote is %v, %v", q.Order.Total, err)
		}
	})
}

// A payment's tax_ids tax its surcharge by the rates of shipping (decisions §26).
func TestOrders_26_TaxOnSurcharge(t *testing.T) {
	eachStore(t, func(w *world) {
		w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 20}, {"apply_to": "S", "rate_value": 10}]}`)
		w.Put("/api/2.0/payments/1", `{"tax_ids": "1", "a_surcharge": 2}`)
		w.Put("/api/2.0/shippings/1", `{"tax_ids": "1"}`)
		id := w.made("orders", orderBy(w.user(), "1", "1"))
		w.wantFields("placed", id, fields{"payment_surcharge": "2.71", "tax_subtotal": "4.42", "total": "30.63"})
		if of, line := w.taxes(id); of != "26.21: 4.42, P P 20.000 of 18 3.6, S P 10.000 of 5.5 0.55, PS P 10.000 of 2.71 0.27" || line != "18: 3.6, P P 20.000 of 18 3.6" {
			w.t.Errorf("the tax is %s, of the line %s", of, line)
		}
		const numbers = `"rates":[{"apply_to":"P","rate_type":"P","rate_value":"20.000","taxable_amount":18,"tax_subtotal":3.6}`
		if body := w.Get("/api/2.0/orders/" + id).Body; strings.Count(body, numbers) < 2 {
			w.t.Errorf("the taxes of the order and of the line are not %s in %s", numbers, body)
		}
	})
}

// With tax_rounding order each tax is rounded once and cut over the lines. The order keeps
// the setting (decisions §26).
func TestOrders_26_TaxRounding(t *testing.T) {
	w := newMemoryWorld(t)
	w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 5}]}`)
	w.Put("/api/2.0/products/1", `{"price": "0.10"}`)
	w.Put("/api/2.0/products/2", `{"price": "0.10"}`)
	const products = `{"1": {"amount": 1}, "2": {"amount": 1}}`
	each := w.place(products)
	w.FixSetting("General.tax_rounding", "order")
	once := w.place(products)
	taxes := func(id string) [3]string {
		return [3]string{w.get(id).Tax.String(), w.line(id, "1").Tax.String(), w.line(id, "2").Tax.String()}
	}
	if got := taxes(each); got != [3]string{"0.02", "0.01", "0.01"} {
		t.Errorf("by lines: %v", got)
	}
	got := taxes(once)
	if got[0] != "0.01" || got[1] == got[2] {
		t.Errorf("by order: %v", got)
	}
	w.FixSetting("General.tax_rounding", "line")
	w.put(once, `{"payment_id": 1}`)
	if diff := cmp.Diff(got, taxes(once)); diff != "" {
		t.Error(diff)
	}
}
