package orders_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
)

// status=O,P and status[]=O&status[]=P mean both, in both dialects; order_id is a list,
// and cname, email and phone are parts of texts (decisions §26).
func TestOrders_26_Filters(t *testing.T) {
	for name, dialect := range map[string]shopapi.Dialect{"documented": shopapi.DialectDocumented, "live": shopapi.DialectLive} {
		t.Run(name, func(t *testing.T) { testFilters(t, dialect) })
	}
}

func testFilters(t *testing.T, dialect shopapi.Dialect) {
	eachStoreWith(t, shopapi.Options{Dialect: dialect}, func(w *world) {
		w.place(`{"4": {"amount": 3}}`)
		w.Clock.Advance(1e9)
		second := w.made("orders", `{"payment_id": 2, "products": {"4": {"amount": 1}}, "user_data": `+strings.Replace(guest, "{", `{"phone": "+47 555", `, 1)+`}`)
		w.Clock.Advance(1e9)
		w.put(w.place(`{"4": {"amount": 1}}`), `{"status": "P"}`)
		w.put(second, `{"status": "C"}`)
		for query, want := range map[string]string{
			"status=O,P":               "3 1",
			"status[]=O&status[]=P":    "3 1",
			"status=O, C&status=C":     "2 1",
			"status[]=P":               "3",
			"order_id=1,3":             "3 1",
			"order_id[]=2&order_id=9":  "2",
			"cname=ana petrov":         "3 1",
			"cname=a pet":              "3 1",
			"cname=petrov ana":         "",
			"phone=555":                "2",
			"phone=371":                "3 1",
			"email=BO@":                "2",
			"sort_by=updated_at":       "3 2 1",
			"sort_by=status&status=,O": "1",
		} {
			if got := w.listed("orders?" + strings.ReplaceAll(query, " ", "%20")); got != want {
				w.t.Errorf("%s: orders %q, want %q", query, got, want)
			}
		}
		w.refuses("GET", "orders?status=O,1x", "", "status")
		w.refuses("GET", "orders?status="+strings.Join(strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", ""), ","), "", "status")
		if got := w.Get("/api/2.0/products?status[]=A&status[]=H").Status; got != 200 {
			w.t.Errorf("products of two statuses: %d", got)
		}
		w.refuses("GET", "products?status=A,Q", "", "status")
	})
}
