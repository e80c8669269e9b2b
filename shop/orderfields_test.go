package shop_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/shop"
)

// payment_info is in no export, in no object of the change log, in no history and in no
// answer that members of a batch can name (decisions §26).
func TestOrders_26_PaymentInfoIsNowhereElse(t *testing.T) {
	t.Parallel()
	s := openShopWithOrder(t)
	since := s.Get("/api/2.0/changes?since=now").Field("last_seq")
	want(t, s.Put("/api/2.0/orders/1", `{"payment_info": {"transaction_id": "SECRET-1"}, "notes": "paid"}`), 200, "")
	want(t, s.Get("/api/2.0/orders/1"), 200, `"payment_info":{"transaction_id":"SECRET-1"}`)
	for what, a := range map[string]*apitest.Answer{
		"change log":               s.Get("/api/2.0/changes?include=object&since=" + since),
		"history":                  s.Get("/api/2.0/orders/1/history"),
		"list":                     s.Get("/api/2.0/orders?fields=*"),
		"choice":                   s.Get("/api/2.0/orders/1?fields=payment_info,notes"),
		"export of lines":          s.Accepting(lines).Get("/api/2.0/orders"),
		"export of all":            s.Accepting(lines).Get("/api/2.0/orders?fields=*"),
		"export of it":             s.Accepting(lines).Get("/api/2.0/orders?fields=payment_info"),
		"export of a table":        s.Accepting(table).Get("/api/2.0/orders?fields=*"),
		"export of another entity": s.Accepting(lines).Get("/api/2.0/shipments?fields=*"),
	} {
		if a.Status != 200 || strings.Contains(a.Body, "SECRET-1") {
			t.Errorf("%s: %d %s", what, a.Status, a.Body)
		}
	}
	for _, reference := range []string{"{{o.payment_info}}", "{{o.payment_info.transaction_id}}"} {
		a := s.Post(batchAddress, `{"atomic": false, "requests": [
			{"id": "o", "method": "GET", "url": "orders/1"},
			{"id": "n", "method": "PUT", "url": "orders/1", "body": {"notes": "`+reference+`"}}]}`)
		if notes := s.Get("/api/2.0/orders/1").Field("notes"); a.Status >= 500 || strings.Contains(notes, "SECRET") {
			t.Errorf("%s: %d, and the notes are %q", reference, a.Status, notes)
		}
	}
}

// Each member of a batch is an entry of the history, and a batch that fails as a whole leaves
// none (decisions §26).
func TestOrders_26_HistoryOfBatches(t *testing.T) {
	t.Parallel()
	s := openShopWithOrder(t)
	put := func(id, body string) string {
		return `{"method": "PUT", "url": "orders/` + id + `", "body": ` + body + `}`
	}
	batch := func(status int, members ...string) {
		t.Helper()
		want(t, s.Post(batchAddress, `{"requests": [`+strings.Join(members, ",")+`]}`), status, "")
	}
	batch(200, put("1", `{"notes": "a"}`), put("1", `{"notes": "b", "status": "P"}`))
	batch(400, put("1", `{"notes": "c"}`), put("1", `{"status": "?"}`))
	var list struct{ History []struct{ Event string } }
	s.Get("/api/2.0/orders/1/history").Decode(&list)
	var events []string
	for _, e := range list.History {
		events = append(events, e.Event)
	}
	if got := strings.Join(events, " "); got != "created updated status" {
		t.Errorf("the history is %q", got)
	}
}

// openShopWithOrder opens a shop with the order 1, the change log and batches.
func openShopWithOrder(t *testing.T) *apitest.Shop {
	t.Helper()
	s := apitest.New(t, &shop.Options{Export: true, Changes: changes.Options{Mode: changes.On}, Batch: true})
	for _, e := range [][2]string{
		{"categories", `{"category": "Cups"}`}, {"payments", `{"payment": "Card"}`}, {"shippings", `{"shipping": "Parcel"}`},
		{"products", `{"product": "Cup", "price": 5, "category_ids": [1], "amount": 9}`},
		{"orders", `{"payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 1}}, "user_data": {
			"email": "kim@example.com", "b_firstname": "Kim", "b_lastname": "Berg", "b_address": "Main St 1", "b_city": "Oslo", "b_country": "NO", "b_zipcode": "0150",
			"s_firstname": "Kim", "s_lastname": "Berg", "s_address": "Main St 1", "s_city": "Oslo", "s_country": "NO", "s_zipcode": "0150"}}`},
	} {
		want(t, s.Post("/api/2.0/"+e[0], e[1]), 201, "")
	}
	return s
}
