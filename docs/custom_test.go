package docs_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

func customFields() map[string][]shopapi.CustomField {
	return map[string][]shopapi.CustomField{
		"products": {
			{Name: "x_supplier", Type: shopapi.CustomText, Length: 40, Filters: true, Sorts: true},
			{Name: "x_care", Type: shopapi.CustomText, Translated: true},
			{Name: "x_season", Type: shopapi.CustomOneOf, OneOf: []string{"summer", "winter"}, Filters: true},
			{Name: "x_margin", Type: shopapi.CustomAmount, View: "view_margins", Set: "manage_margins"},
		},
		"orders": {{Name: "x_door_code", Type: shopapi.CustomText, Personal: true}},
	}
}

func setSupplier(product *products.Product) {
	supplier, ok := product.Custom.Text("x_supplier")
	if !ok { // null
		product.Custom.Set("x_supplier", "Acme")
	}
	_ = supplier
}

func TestCustomFields(t *testing.T) {
	st := memory.New()
	key, _, err := users.EnsureRoot(t.Context(), st, "root@example.com")
	if err != nil {
		t.Fatal(err)
	}
	s, err := shop.New(t.Context(), st, &shop.Options{Options: shopapi.Options{CustomFields: customFields()}})
	if err != nil {
		t.Fatal(err)
	}
	c := (&apitest.Client{T: t, Handler: s}).As("root@example.com", key)
	c.Post("/api/2.0/categories", `{"category": "Cups"}`)
	if made := c.Post("/api/2.0/products", `{"product": "Mug", "price": 5, "category_ids": [1], "x_season": "winter"}`); made.Status != 201 {
		t.Fatal(made.Body)
	}
	if _, err := s.Products.Update(t.Context(), 1, func(p *products.Product) error { setSupplier(p); return nil }); err != nil {
		t.Fatal(err)
	}
	if got := c.Get("/api/2.0/products?x_supplier=ACME&x_season=winter"); !strings.Contains(got.Body, `"x_supplier":"Acme"`) {
		t.Error(got.Body)
	}
}
