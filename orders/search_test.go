package orders_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/store"
)

func TestE12_OrdersAreFoundByOneText(t *testing.T) {
	eachStoreWith(t, shopapi.Options{}, func(w *world) {
		place := func(first, last, email, phone string) {
			w.made("orders", fmt.Sprintf(`{"user_data": {"email": %q, "phone": %q, "b_firstname": %q, "b_lastname": %q, "firstname": %q, "lastname": %q,
				"b_address": "Road 1", "b_city": "Oslo", "b_country": "NO", "b_zipcode": "1", "s_firstname": "Bo", "s_lastname": "Adams", "s_address": "Road 1", "s_city": "Oslo", "s_country": "NO", "s_zipcode": "1"},
				"payment_id": 2, "shipping_id": 1, "products": {"1": {"amount": 1, "product_options": {"1": "1", "2": "3"}}}}`, email, phone, first, last, first, last))
		}
		place("Bo", "Adams", "bo@example.org", "2200")
		place("Ådne", "Berg", "adne@example.org", "+47 33")
		place("Bodil", "Aas", "x@example.org", "1")
		for query, want := range map[string]string{
			"1": "3 1", "2": "2 1", "22": "1", "2200": "1", "9": "", "+47": "2",
			"bo": "3 1", "BO@": "1", "åd": "2", "ådne b": "2", "adam": "1", "aas": "3", "dams": "", "a%": "", "bo adams": "1", " bo ": "3 1",
		} {
			if got := w.listed("orders?sort_by=order_id&q=" + url.QueryEscape(query)); got != want {
				w.t.Errorf("q=%s: orders %q, want %q", query, got, want)
			}
		}
		for _, few := range []int{0, 1, 2, 3, 100} {
			ids, err := orders.Found(w.t.Context(), w.Store, few, store.BeginsFold("email", "bo"), store.BeginsFold("cname", "bo"))
			if diff := cmp.Diff([]int64{1, 3}, ids); diff != "" || err != nil {
				w.t.Errorf("with %d as few orders: %s %v", few, diff, err)
			}
		}
	})
}
