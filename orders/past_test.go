package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
)

// An order with a timestamp takes its status, prices and amounts (decisions §26).
func TestOrders_26_OrdersOfThePast(t *testing.T) {
	eachStore(t, func(w *world) {
		order := func(more string) string {
			return fmt.Sprintf(`{"user_id": %s, "payment_id": 2, "shipping_id": 1, "products": {"2": {"amount": 2, "price": "7.00"}}%s}`, w.user(), more)
		}
		id := w.made("orders", order(`, "timestamp": "1600000000", "status": "C", "shipping_cost": "3.00", "payment_surcharge": "1.00", "total": "20.00"`))
		w.wantFields("of the past", id, fields{
			"timestamp": "1600000000", "status": "C", "subtotal": "14", "shipping_cost": "3.00", "shipping_cost_set": "Y",
			"payment_surcharge": "1.00", "payment_surcharge_set": "Y", "total": "20.00", "total_set": "Y", "total_adjustment": "-0.80",
		})
		w.wantStock("its status takes stock", "10 3 5 3 2")
		for _, none := range []string{"0", `""`, "null"} {
			id := w.made("orders", order(`, "timestamp": `+none+`, "status": "C", "total": "1.00", "take_stock": "N"`))
			w.wantFields("of today", id, fields{"status": "O", "subtotal": "36", "total": "49.20", "total_set": "N"})
		}
		w.put(id, `{"status": "I"}`)
		w.wantStock("take_stock=N takes nothing", "10 5 5 3 2")
		held := w.made("orders", order(`, "timestamp": 1600000000, "take_stock": "N", "status": "F"`))
		w.put(held, `{"status": "P"}`)
		w.wantStock("in whatever status", "10 5 5 3 2")
		soon := idOf(w.t, w.Get("/api/2.0/orders/"+w.made("orders", order(`, "take_stock": "N"`))).Field("timestamp"))
		w.made("orders", order(fmt.Sprintf(`, "take_stock": "N", "timestamp": %d`, soon+60)))
		w.refuses("POST", "orders", order(fmt.Sprintf(`, "timestamp": %d`, soon+1000)), "timestamp")
		w.refuses("POST", "orders", order(`, "timestamp": 1600000000, "status": "?"`), "status")
		w.refuses("POST", "orders", order(`, "timestamp": -1`), "timestamp")
		w.refuses("POST", "orders", order(`, "take_stock": "perhaps"`), "take_stock")
	})
}

// Companies with nothing to ship may be missing in shipping_id, as an object of companies or
// of product groups; where all subtotals are 0, the last order has the fixed surcharge
// (decisions §26).
func TestOrders_26_ShippingOfVendors(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		file := w.made("products", `{"product": "Song", "category_ids": [1], "company_id": 2, "price": "0", "zero_price_action": "P", "tracking": "D", "is_edp": "Y"}`)
		w.Put("/api/2.0/products/2", `{"price": "0", "zero_price_action": "P"}`)
		w.Put("/api/2.0/payments/2", `{"a_surcharge": "3.00"}`)
		order := func(shipping string) string {
			return fmt.Sprintf(`{"user_id": %s, "payment_id": 2, "shipping_id": %s, "products": {"%s": {"amount": 1}, "2": {"amount": 1}}}`, w.user(), shipping, file)
		}
		parent := idOf(w.t, w.made("orders", order(`{"1": 1}`)))
		w.wantFields("the goods", shopapi.FormatID(parent+1), fields{"shipping_cost": "5.50", "payment_surcharge": "0.00"})
		w.wantFields("the download", shopapi.FormatID(parent+2), fields{"shipping_cost": "0.00", "payment_surcharge": "3.00"})
		groups := idOf(w.t, w.made("orders", order(`{"0": 2, "1": 1}`)))
		w.wantFields("of the group 0", shopapi.FormatID(groups+1), fields{"company_id": "1", "shipping_cost": "4.00"})
		w.refuses("POST", "orders", order(`{"2": 1}`), "shipping_id")
		w.refuses("POST", "orders", order(`{"1": 1, "3": 1}`), "shipping_id")
	})
}

// An array of one is the method of the only product group, and no method of several ones
// (decisions §26).
func TestOrders_26_ShippingOfOneGroup(t *testing.T) {
	for name, edition := range map[string]shopapi.Edition{"one store": shopapi.SingleStore, "vendors": shopapi.MultiVendor} {
		t.Run(name, func(t *testing.T) {
			eachStoreWith(t, shopapi.Options{Edition: edition}, func(w *world) {
				order := func(products string) string {
					return strings.Replace(w.order(products), `"shipping_id": 1`, `"shipping_id": ["1"]`, 1)
				}
				id := w.made("orders", order(`{"2": {"amount": 1}}`))
				w.wantFields("an array of one", id, fields{"shipping_ids": "1", "shipping_cost": "5.50"})
				w.put(id, `{"shipping_id": ["2"]}`)
				w.wantFields("a PUT of an array of one", id, fields{"shipping_ids": "2", "shipping_cost": "4.00"})
				w.refuses("POST", "orders", order(`{"99": {"amount": 1}}`), "products[99]")
			})
		})
	}
}

// A discount is cut over the orders of several vendors; written amounts are refused; the
// shipping methods of an object name companies, the methods of an array the product
// groups (decisions §26).
func TestOrders_26_SeveralVendors(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		product := w.made("products", `{"product": "Basket", "category_ids": [1], "company_id": 2, "price": "4", "amount": 9, "tax_ids": "1"}`)
		order := func(shipping, more string) string {
			return fmt.Sprintf(`{"user_id": %s, "payment_id": 2, "shipping_id": %s, "products": {"%s": {"amount": 1}, "2": {"amount": 1}}%s}`, w.user(), shipping, product, more)
		}
		parent := w.made("orders", order("[1, 2]", `, "subtotal_discount": "1.00"`))
		w.wantFields("parent", parent, fields{"subtotal_discount": "1.00", "shipping_cost": "9.50"})
		first, second := idOf(w.t, parent)+1, idOf(w.t, parent)+2
		w.wantFields("company 1", shopapi.FormatID(first), fields{"company_id": "1", "subtotal_discount": "0.82", "shipping_cost": "5.50"})
		w.wantFields("company 2", shopapi.FormatID(second), fields{"company_id": "2", "subtotal_discount": "0.18", "shipping_cost": "4.00"})
		w.made("orders", order(`{"1": 1, "2": 2}`, ""))
		for _, wrong := range []string{`{"1": 1, "2": 1, "3": 1}`, `{"1": 1, "9": 1}`, `[1, 1, 1]`, `{"1": 1}`, `{"0": 1}`, `[1]`, `["1"]`} {
			if a := w.Post("/api/2.0/orders", order(wrong, "")); a.Status != 400 {
				w.t.Errorf("shipping_id %s: %d %s", wrong, a.Status, a.Body)
			}
		}
		for wrong, part := range map[string]string{
			`["1", "1", "1"]`: "there is no group 2", `["1"]`: "the group 1 is missing", `{"0": 1}`: "the group 1 is missing", `{"0": 1, "2": 1}`: "there is no group 2",
			`{"1": 1, "9": 1}`: "it has no products of the company 9",
		} {
			if a := w.Post("/api/2.0/orders", order(wrong, "")); !strings.Contains(a.Body, part) {
				w.t.Errorf("shipping_id %s: %s, want %q in it", wrong, a.Body, part)
			}
		}
		w.refuses("POST", "orders", order("1", `, "subtotal_discount": "22.01"`), "subtotal_discount")
		w.refuses("POST", "orders", order("1", `, "timestamp": 1600000000, "total": "1", "shipping_cost": "1", "payment_surcharge": "1"`), "total", "shipping_cost", "payment_surcharge")
	})
}

// POST takes a total of an order of the past alone: else it is ignored, as sums of floating-point
// numbers are that clients send (decisions §4, §26).
func TestOrders_26_TotalOfNewOrdersIsIgnored(t *testing.T) {
	w := newMemoryWorld(t)
	order := strings.TrimSuffix(w.order(`{"2": {"amount": 1}}`), "}") + `, "total": 19.980000000000004`
	id := w.made("orders", order+"}")
	if got := w.get(id).Total; got != "27.10" {
		t.Errorf("the total is %s, want 27.10", got)
	}
	w.refuses("POST", "orders", order+`, "timestamp": 1600000000}`, "total")
}
