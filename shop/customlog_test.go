package shop_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/shop"
)

// E13: to callers without the privilege to see a field, the change log does not name it, and
// has no change of that field alone.
func TestE13_HiddenFieldsInTheChangeLog(t *testing.T) {
	s := apitest.New(t, &shop.Options{
		Options: shopapi.Options{CustomFields: map[string][]shopapi.CustomField{"products": {
			{Name: "x_margin", Type: shopapi.CustomAmount, View: "view_margins"},
			{Name: "x_shelf", Type: shopapi.CustomNumber},
		}}},
		Changes: changes.Options{Mode: changes.On},
	})
	clerk := s.User("view_catalog", "manage_catalog")
	want(t, s.Post("/api/2.0/categories", `{"category": "Cups"}`), 201, "")
	want(t, s.Post("/api/2.0/products", `{"product": "Cup", "price": 1, "category_ids": [1]}`), 201, "")
	since := s.Get("/api/2.0/changes?since=now").Field("last_seq")
	want(t, s.Put("/api/2.0/products/1", `{"x_margin": "4.50"}`), 200, "")
	log := "/api/2.0/changes?entity=products&since="
	want(t, s.Get(log+since), 200, `"fields":["x_margin"]`)
	want(t, clerk.Get(log+since), 200, `"changes":[]`)
	want(t, s.Put("/api/2.0/products/1", `{"x_margin": "5.00", "x_shelf": 3}`), 200, "")
	if got := clerk.Get(log + since); !strings.Contains(got.Body, `"fields":["x_shelf"]`) || strings.Contains(got.Body, "x_margin") {
		t.Errorf("the clerk reads %s", got.Body)
	}
}

// E13: POST of an order of several vendors stores custom fields on the parent and on each of
// its orders, and they stay free on orders with an invoice.
func TestE13_FieldsOfOrders(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{
		Edition:      shopapi.MultiVendor,
		CustomFields: map[string][]shopapi.CustomField{"orders": {{Name: "x_gift", Type: shopapi.CustomText}}},
	}})
	want(t, s.Post("/api/2.0/categories", `{"category": "Cups"}`), 201, "")
	want(t, s.Post("/api/2.0/payments", `{"payment": "Card"}`), 201, "")
	want(t, s.Post("/api/2.0/shippings", `{"shipping": "Parcel"}`), 201, "")
	want(t, s.Post("/api/2.0/vendors", `{"company": "Second", "email": "second@example.com", "phone": "1", "address": "Quay 1", "city": "Bergen", "country": "NO", "state": "46", "zipcode": "5003"}`), 201, "")
	for _, company := range []string{"1", "2"} {
		want(t, s.Post("/api/2.0/products", `{"product": "Cup", "price": 1, "category_ids": [1], "amount": 9, "company_id": `+company+`}`), 201, "")
	}
	placed := s.Post("/api/2.0/orders", `{"payment_id": 1, "shipping_id": 1, "x_gift": "Blue paper", "products": {"1": {"amount": 1}, "2": {"amount": 1}}, "user_data": {
		"email": "kim@example.com", "b_firstname": "Kim", "b_lastname": "Berg", "b_address": "Main St 1", "b_city": "Oslo", "b_country": "NO", "b_zipcode": "0150",
		"s_firstname": "Kim", "s_lastname": "Berg", "s_address": "Main St 1", "s_city": "Oslo", "s_country": "NO", "s_zipcode": "0150"}}`)
	want(t, placed, 201, "")
	for _, id := range []string{"1", "2", "3"} {
		want(t, s.Get("/api/2.0/orders/"+id), 200, `"x_gift":"Blue paper"`)
	}
	want(t, s.Post("/api/2.0/orders/2/issue_invoice", `{}`), 201, "")
	for _, id := range []string{"1", "2"} {
		want(t, s.Put("/api/2.0/orders/"+id, `{"x_gift": "Red paper"}`), 200, "")
		want(t, s.Get("/api/2.0/orders/"+id), 200, `"x_gift":"Red paper"`)
	}
	want(t, s.Get("/api/2.0/orders/3"), 200, `"x_gift":"Blue paper"`)
}
