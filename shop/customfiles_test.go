package shop_test

import (
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// E13, E7: x_care@de in an export is the text of that language itself, and does not exist to
// callers without the privilege to see the field.
func TestE13_ExportHasTheTexts(t *testing.T) {
	s := apitest.New(t, &shop.Options{
		Options: shopapi.Options{CustomFields: map[string][]shopapi.CustomField{"products": {
			{Name: "x_care", Type: shopapi.CustomText, Translated: true},
			{Name: "x_remark", Type: shopapi.CustomText, Translated: true, View: "view_remarks"},
		}}},
		Export: true,
	})
	want(t, s.Post("/api/2.0/categories", `{"category": "Cups"}`), 201, "")
	want(t, s.Post("/api/2.0/products", `{"product": "Cup", "price": 1, "category_ids": [1], "x_care": "Wash cold", "x_remark": "Old"}`), 201, "")
	want(t, s.Post("/api/2.0/products", `{"product": "Mug", "price": 1, "category_ids": [1]}`), 201, "")
	want(t, s.Put("/api/2.0/products/1?sl=de", `{"product": "Tasse", "x_care": "Kalt waschen", "x_remark": "Alt"}`), 200, "")
	clerk := s.User("view_catalog")
	for _, tc := range []struct {
		as                   *apitest.Client
		accept, fields, body string
	}{
		{s.Client, table, "x_care@de", "product_id,x_care@de\r\n1,Kalt waschen\r\n2,\r\n"},
		{s.Client, lines, "x_care@de", `{"product_id":"1","x_care@de":"Kalt waschen"}` + "\n" + `{"product_id":"2","x_care@de":null}` + "\n"},
		{s.Client, table, "product@de,x_care,x_care@de,x_care@en,x_care@fr,x_remark@de", "product_id,x_care,product@de,x_care@de,x_care@en,x_care@fr,x_remark@de\r\n1,Wash cold,Tasse,Kalt waschen,Wash cold,,Alt\r\n2,,,,,,\r\n"},
		{clerk, table, "x_care@en,x_remark@de,x_remark@en", "product_id,x_care@en\r\n1,Wash cold\r\n2,\r\n"},
	} {
		if got := tc.as.Accepting(tc.accept).Get("/api/2.0/products?fields=" + tc.fields); got.Status != 200 || got.Body != tc.body {
			t.Errorf("%s %s: %d %q, want %q", tc.accept, tc.fields, got.Status, got.Body, tc.body)
		}
	}
	for _, fields := range []string{"*,x_care@de", "x_care@de,full_description"} {
		want(t, s.Accepting(lines).Get("/api/2.0/products?pid=1&fields="+fields), 200, `"x_care@de":"Kalt waschen"`)
	}
}

// §26: an export takes several values of a field with a closed set, as the list does.
func TestE13_ExportFiltersBySeveralValues(t *testing.T) {
	s := apitest.New(t, &shop.Options{
		Options: shopapi.Options{CustomFields: map[string][]shopapi.CustomField{"products": {
			{Name: "x_season", Type: shopapi.CustomOneOf, OneOf: []string{"spring", "summer", "winter"}, Filters: true},
		}}},
		Export: true,
	})
	want(t, s.Post("/api/2.0/categories", `{"category": "Cups"}`), 201, "")
	for _, season := range []string{"summer", "winter", "spring"} {
		want(t, s.Post("/api/2.0/products", `{"product": "Cup", "price": 1, "category_ids": [1], "x_season": "`+season+`"}`), 201, "")
	}
	for _, query := range []string{"x_season=summer,winter", "x_season[]=summer&x_season[]=winter"} {
		if got := s.Accepting(table).Get("/api/2.0/products?fields=x_season&" + query); got.Body != "product_id,x_season\r\n1,summer\r\n2,winter\r\n" {
			t.Errorf("%s: %d %q", query, got.Status, got.Body)
		}
	}
	want(t, s.Accepting(table).Get("/api/2.0/products?x_season=summer,fall"), 400, `"x_season"`)
}

// E13: PUT with match takes the fields as PUT does.
func TestE13_PutWithMatch(t *testing.T) {
	s := apitest.New(t, &shop.Options{
		Options: shopapi.Options{CustomFields: map[string][]shopapi.CustomField{"products": {{Name: "x_rank", Type: shopapi.CustomNumber}}}},
		Batch:   true,
	})
	want(t, s.Post("/api/2.0/categories", `{"category": "Cups"}`), 201, "")
	want(t, s.Post("/api/2.0/products", `{"product": "Cup", "product_code": "CUP", "price": 1, "category_ids": [1]}`), 201, "")
	want(t, s.Put("/api/2.0/products?match=product_code", `[{"product_code": "CUP", "x_rank": 12}]`), 200, `"updated":1`)
	want(t, s.Get("/api/2.0/products/1"), 200, `"x_rank":"12"`)
}
