package orders_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/orders"
)

// orderBy is the payload of an order of a bowl by a customer, with the methods.
func orderBy(user, payment, shipping string) string {
	return fmt.Sprintf(`{"user_id": %s, "payment_id": %s, "shipping_id": %s, "products": {"2": {"amount": 1}}}`, user, payment, shipping)
}

// Hidden methods can be used; a method without rates costs nothing; without an address,
// the rates for everywhere apply (decisions §18, §20).
func TestOrders_MethodsThatCanBeUsed(t *testing.T) {
	eachStore(t, func(w *world) {
		nowhere := w.made("users", `{"email": "no@example.org", "user_type": "C", "company_id": 1}`)
		free := w.made("shippings", `{"shipping": "Fetch", "status": "H"}`)
		w.Put("/api/2.0/payments/2", `{"status": "H"}`)
		if o := w.get(w.made("orders", orderBy(nowhere, "2", free))); o.Total != "21.60" || o.Shipping != "0.00" {
			w.t.Errorf("the order is %+v", o)
		}
		if o := w.get(w.made("orders", orderBy(nowhere, "2", "1"))); o.Shipping != "5.50" {
			w.t.Errorf("the order is %+v", o)
		}
		w.refuses("POST", "orders", orderBy(nowhere, "2", "3"), "shipping_id")
	})
}

// A host maps addresses to destinations: the first destination with rates counts
// (decisions §20).
func TestOrders_Destinations(t *testing.T) {
	eachStore(t, func(w *world) {
		w.Orders.Destinations(func(_ context.Context, to orders.Address) []int64 {
			if to.Country == "LV" {
				return []int64{7, 1}
			}
			return []int64{1}
		})
		w.Put("/api/2.0/shippings/3", `{"rates": [{"destination_id": 1, "rate_value": {"C": {"0": {"value": 12}}}}, {"destination_id": 7, "rate_value": {"C": {"0": {"value": 9}}}}]}`)
		if o := w.get(w.made("orders", orderBy(w.user(), "2", "3"))); o.Shipping != "9.00" {
			w.t.Errorf("to Latvia shipping costs %s", o.Shipping)
		}
		id := w.made("orders", `{"payment_id": 2, "shipping_id": 3, "products": {"2": {"amount": 1}}, "user_data": `+guest+`}`)
		if o := w.get(id); o.Shipping != "12.00" {
			w.t.Errorf("to Norway shipping costs %s", o.Shipping)
		}
	})
}

// A tax uses the address of its address_type; if no rate fits, nothing is taxed. An
// exempt customer pays no taxes (decisions §20).
func TestOrders_TaxesByAddress(t *testing.T) {
	eachStore(t, func(w *world) {
		w.Put("/api/2.0/taxes/1", `{"address_type": "B", "rates": [{"country": "LV", "rate_value": 10}, {"country": "NO", "rate_value": 25}]}`)
		user := w.made("users", `{"email": "ida@example.org", "user_type": "C", "company_id": 1, "b_country": "NO", "s_country": "LV"}`)
		tax := func() string {
			w.t.Helper()
			return w.get(w.made("orders", orderBy(user, "2", "1"))).Tax.String()
		}
		if got := tax(); got != "4.5" {
			w.t.Errorf("by the billing address the tax is %s", got)
		}
		w.Put("/api/2.0/taxes/1", `{"address_type": "S"}`)
		if got := tax(); got != "1.8" {
			w.t.Errorf("by the shipping address the tax is %s", got)
		}
		w.Put("/api/2.0/users/"+user, `{"s_country": "SE"}`)
		if got := tax(); got != "0" {
			w.t.Errorf("where no rate fits the tax is %s", got)
		}
		w.Put("/api/2.0/users/"+user, `{"s_country": "NO", "tax_exempt": "Y"}`)
		id := w.made("orders", orderBy(user, "2", "1"))
		if body := w.Get("/api/2.0/orders/" + id).Body; w.get(id).Tax.String() != "0" || !strings.Contains(body, `"tax_exempt":"Y"`) {
			w.t.Errorf("the exempt order is %s", body)
		}
	})
}

// The fixed surcharge is cut over the orders of several vendors in proportion to their
// subtotals, also after a change of the payment; the parent goes with the last of them
// (decisions §18, §26).
func TestOrders_PartsOfAParent(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		fee := w.made("payments", `{"payment": "Invoice", "a_surcharge": "2.00", "company_id": 1}`)
		parent, parts := w.split()
		for _, part := range parts {
			w.put(part, `{"payment_id": `+fee+`}`)
		}
		if first, second, sum := w.get(parts[0]), w.get(parts[1]), w.get(parent); first.Surcharge != "1.38" || second.Surcharge != "0.62" || sum.Surcharge != "2.00" {
			w.t.Errorf("the surcharges are %s and %s, together %s", first.Surcharge, second.Surcharge, sum.Surcharge)
		}
		rest := w.get(parts[1]).Total
		w.Delete("/api/2.0/orders/" + parts[0])
		if sum := w.get(parent); sum.Total != rest || len(sum.Products) != 1 {
			w.t.Errorf("the parent of one part is %+v, want %s", sum, rest)
		}
		w.Delete("/api/2.0/orders/" + parts[1])
		if a := w.Get("/api/2.0/orders/" + parent); a.Status != 404 {
			w.t.Errorf("the parent of no part: %d %s", a.Status, a.Body)
		}
		w.wantStock("all parts are deleted", "10 5 5 3 2")
	})
}
