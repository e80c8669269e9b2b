package orders_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/orders"
)

// paymentInfo is payment_info as GET at an address shows it to a client.
func paymentInfo(t *testing.T, c interface{ Get(string) *apitest.Answer }, address string) string {
	t.Helper()
	var shown struct {
		Info json.RawMessage `json:"payment_info"`
	}
	c.Get(address).Decode(&shown)
	return string(shown.Info)
}

// payment_info is written as an object, replaced as a whole and erased by null; empty
// values change nothing (decisions §26).
func TestOrders_26_PaymentInfoIsReplacedWhole(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`)
		shown := func(want string) {
			w.t.Helper()
			if got := paymentInfo(w.t, w, "/api/2.0/orders/"+id); got != want {
				w.t.Errorf("payment_info is %s, want %s", got, want)
			}
		}
		shown(`[]`)
		const info = `{"card":"4242","transaction_id":"T-1"}`
		w.put(id, `{"payment_info": {"transaction_id": "T-1", "card": 4242}}`)
		shown(info)
		for _, same := range []string{`[]`, `{}`, `""`, info} {
			w.put(id, `{"payment_info": `+same+`}`)
			shown(info)
		}
		w.put(id, `{"payment_info": {"transaction_id": "T-2"}}`)
		shown(`{"transaction_id":"T-2"}`)
		w.put(id, `{"payment_info": null}`)
		shown(`[]`)
		w.wantHistory(id, "created", "updated payment_info", "updated payment_info", "updated payment_info")
		other := w.made("orders", strings.Replace(w.order(`{"2": {"amount": 1}}`), "{", `{"payment_info": {"transaction_id": "T-3"}, `, 1))
		if got := paymentInfo(w.t, w, "/api/2.0/orders/"+other); got != `{"transaction_id":"T-3"}` {
			w.t.Errorf("POST: %s", got)
		}
	})
}

// payment_info has texts alone, to 4 KiB, and no number of a card (decisions §26). The
// message does not repeat a text.
func TestOrders_26_PaymentInfoThatIsRefused(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	for _, wrong := range []string{
		`"T-1"`, `["T-1"]`, `{"a": {}}`, `{"a": [1]}`, `{"a": "` + strings.Repeat("x", 5000) + `"}`,
		`{"card": "4111 1111 1111 1111"}`, `{"card": "4111-1111-1111-1111"}`, `{"card": 4111111111111111}`, `{"4111111111111111": "x"}`,
		`{"card": "378282246310005"}`, `{"card": "5555555555554444"}`, `{"card": "6011111111111117"}`, `{"card": "30569309025904"}`,
		`{"card": "3530111333300000"}`, `{"card": "2223003122003222"}`, `{"card": "6200000000000005"}`, `{"card": "2200000000000004"}`,
	} {
		w.refuses("PUT", "orders/"+id, `{"payment_info": `+wrong+`}`, "payment_info")
	}
	if a := w.Put("/api/2.0/orders/"+id, `{"payment_info": {"card": "4111 1111 1111 1111"}}`); strings.Contains(a.Body, "1111") {
		t.Errorf("the message has the number: %s", a.Body)
	}
	for _, right := range []string{
		`{"id": "4111111111111112"}`, `{"id": "41111111111111"}`, `{"id": "1111111111111117"}`, `{"id": "pi_4111111111111111"}`, `{"a": "` + strings.Repeat("x", 4000) + `"}`,
	} {
		w.put(id, `{"payment_info": `+right+`}`)
	}
}

// payment_info is answered by GET of orders/ID alone, to unconfined callers with
// manage_orders; lists, fields=, exports, other addresses and Go's Lookup never have it
// (decisions §26).
func TestOrders_26_PaymentInfoIsAnsweredByGetAlone(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`)
		w.put(id, `{"payment_info": {"transaction_id": "SECRET-1"}}`)
		address := "/api/2.0/orders/" + id
		const shown = `{"transaction_id":"SECRET-1"}`
		if got := paymentInfo(w.t, w.User("view_orders", "manage_orders"), address); got != shown {
			w.t.Errorf("with manage_orders: %s", got)
		}
		if got := paymentInfo(w.t, w.User("view_orders"), address); got != "[]" {
			w.t.Errorf("with view_orders: %s", got)
		}
		if got := paymentInfo(w.t, w.UserOf(1, "view_orders", "manage_orders"), address); got != "[]" {
			w.t.Errorf("to the vendor: %s", got)
		}
		for _, path := range []string{
			"/api/2.0/orders", "/api/2.0/orders?fields=payment_info", "/api/2.0/orders?fields=*", address + "?fields=payment_info", address + "?fields=total,payment_info",
			address + "/history", address + "/documents", "/api/2.0/vendors/1/orders/" + id,
		} {
			if a := w.Get(path); strings.Contains(a.Body, "SECRET-1") {
				w.t.Errorf("GET %s has it: %s", path, a.Body)
			}
		}
		object, err := w.API.LookupAt(w.t.Context(), "orders", id)
		if body, _ := json.Marshal(object); err != nil || strings.Contains(string(body), "SECRET-1") {
			w.t.Errorf("LookupAt: %s, %v", body, err)
		}
		if a := w.UserOf(1, "view_orders", "manage_orders").Put(address, `{"payment_info": {"a": "b"}}`); a.Status != 200 {
			w.t.Errorf("PUT of the vendor: %d %s", a.Status, a.Body)
		}
		if got := paymentInfo(w.t, w, address); got != shown {
			w.t.Errorf("a vendor wrote it: %s", got)
		}
	})
}

// In several storefronts administrators of one do not see payment_info (decisions §26).
func TestOrders_26_PaymentInfoOfStorefronts(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(w *world) {
		id := w.made("orders", strings.Replace(w.order(`{"2": {"amount": 1}}`), "{", `{"company_id": 1, "payment_info": {"transaction_id": "T-1"}, `, 1))
		if got := paymentInfo(w.t, w, "/api/2.0/orders/"+id); got != `{"transaction_id":"T-1"}` {
			w.t.Errorf("to root: %s", got)
		}
		if got := paymentInfo(w.t, w.UserOf(1, "view_orders", "manage_orders"), "/api/2.0/orders/"+id); got != "[]" {
			w.t.Errorf("to an administrator of the storefront: %s", got)
		}
	})
}

// repaid is from 0 to the total, and has two decimals once it was written; no PUT brings
// the total below it (decisions §26).
func TestOrders_26_Repaid(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"2": {"amount": 2}}`) // 36.00 + 6.00 + 7.20 = 49.20
		w.wantFields("new", id, fields{"repaid": "0", "total": "49.20"})
		w.put(id, `{"repaid": "0"}`)
		w.wantFields("as it was", id, fields{"repaid": "0"})
		w.put(id, `{"repaid": 12.5}`)
		w.wantFields("written", id, fields{"repaid": "12.50"})
		for _, wrong := range []string{`"49.21"`, `-1`, `"x"`, `1.234`, `1e30`, `"NaN"`, `[]`} {
			w.refuses("PUT", "orders/"+id, `{"repaid": `+wrong+`}`, "repaid")
		}
		w.put(id, `{"repaid": "49.20"}`)
		w.refuses("PUT", "orders/"+id, `{"total": "49.19"}`, "total")
		w.refuses("PUT", "orders/"+id, `{"products": {"2": {"amount": 1}}}`, "total")
		w.put(id, `{"products": {"2": {"amount": 1}}, "repaid": "0.00"}`)
		w.wantFields("back to 0", id, fields{"repaid": "0.00", "total": "27.10"})
		w.wantHistory(id, "created", "updated repaid", "updated repaid", "updated products,repaid 1 lines")
		w.refuses("POST", "orders", strings.Replace(w.order(`{"2": {"amount": 1}}`), "{", `{"repaid": "99", `, 1), "repaid")
	})
}

// A parent is read-only in payment_info and repaid too; its repaid is the sum of its parts
// (decisions §18, §26).
func TestOrders_26_RepaidOfVendors(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		parent, parts := w.split()
		w.refuses("PUT", "orders/"+parent, `{"repaid": 1, "payment_info": {"a": "b"}}`, "repaid", "payment_info")
		w.put(parts[0], `{"repaid": 1}`)
		w.put(parts[1], `{"repaid": "0.5"}`)
		w.wantFields("the sum", parent, fields{"repaid": "1.50"})
	})
}

// An erased customer leaves the country, the state and the zipcode of both addresses in
// orders, from which amounts follow, and no payment_info (decisions §26).
func TestOrders_26_EraseLeavesWhatAmountsFollowFrom(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.made("orders", fmt.Sprintf(`{"user_id": 0, "payment_id": 2, "shipping_id": 1, "products": {"2": {"amount": 1}}, "user_data": %s}`, guest))
		w.put(id, `{"payment_info": {"transaction_id": "T-1"}}`)
		if err := w.API.Erasing(w.t.Context(), shopapi.Person{Email: "bo@example.org"}); err != nil {
			w.t.Fatal(err)
		}
		w.wantFields("erased", id, fields{
			"email": "", "firstname": "", "b_city": "", "s_address": "", "b_country": "NO", "b_zipcode": "0150", "s_country": "NO", "s_zipcode": "0150",
		})
		if got := paymentInfo(w.t, w, "/api/2.0/orders/"+id); got != "[]" {
			w.t.Errorf("payment_info is %s", got)
		}
	})
}

// A PUT that says reprice=Y alone needs no fields (decisions §26).
func TestOrders_26_RepriceAlone(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	w.Put("/api/2.0/shippings/1", `{"rates": {"rate_value": {"C": {"0": {"value": 9}}}}}`)
	if a := w.Put("/api/2.0/orders/"+id+"?reprice=Y", `{}`); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	w.wantFields("repriced", id, fields{"shipping_cost": "9.00"})
	if a := w.Put("/api/2.0/orders/"+id, `{}`); a.Status != 405 {
		t.Errorf("an empty PUT without it: %d %s", a.Status, a.Body)
	}
}

// Orders placed from Go have payment_info and repaid too.
func TestOrders_26_PaymentInfoFromGo(t *testing.T) {
	w := newMemoryWorld(t)
	id := idOf(t, w.place(`{"2": {"amount": 1}}`))
	_, err := w.Orders.Update(t.Context(), id, func(o *orders.Order) error {
		o.PaymentInfo = orders.PaymentInfo{"card": "4111111111111111"}
		return nil
	})
	if err == nil || strings.Contains(err.Error(), "1111") {
		t.Errorf("the number of a card: %v", err)
	}
}
