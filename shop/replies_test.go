package shop_test

import (
	"net/url"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// Replies to POST, PUT and actions have no message that is not empty, which published clients
// read as an error (decisions §27).
func TestReplies_27_NoMessage(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}})
	silent := func(method, address, payload string, want int) *apitest.Answer {
		t.Helper()
		a := s.Do(method, "/api/2.0/"+address, "application/json", payload)
		var reply struct{ Message string }
		if a.Status == want && a.Status != 204 {
			a.Decode(&reply)
		}
		if a.Status != want || reply.Message != "" {
			t.Errorf("%s %s: %d %s, want %d without a message", method, address, a.Status, a.Body, want)
		}
		return a
	}
	ids := map[string]string{}
	for _, e := range oneOfEach {
		id := silent("POST", e.name, e.payload, 201).Field(e.idField)
		silent("PUT", e.name+"/"+url.PathEscape(id), s.Get("/api/2.0/"+e.name+"/"+url.PathEscape(id)).Body, 200)
		ids[e.name] = id
	}
	const vendor = `{"company": "Kiln", "email": "a@b.c", "phone": "1", "address": "Quay 1", "city": "Oslo", "country": "NO", "state": "03", "zipcode": "0150"}`
	vendorID := silent("POST", "vendors", vendor, 201).Field("company_id")
	silent("PUT", "vendors/"+vendorID, `{"city": "Bergen"}`, 200)
	silent("PUT", "settings/1", `{"value": "17"}`, 200)
	silent("PUT", "carts/"+ids["users"], `{"products": {"1": {"amount": 2}}}`, 200)
	silent("POST", "orders/"+ids["orders"]+"/issue_invoice", "", 201)
	silent("POST", "orders/"+ids["orders"]+"/issue_credit_memo", "", 201)
	silent("POST", "product_variations/2/detach_product_variation", "", 201)
	silent("DELETE", "call_requests/"+ids["call_requests"], "", 204)
}
