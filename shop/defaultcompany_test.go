package shop_test

import (
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// §11, §27: the one store of a shop may have another id than 1. New objects belong to it, whatever
// company a payload names; its children are all objects, and store 1 does not exist.
func TestShop_TheOneStoreHasAnotherID(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{DefaultCompany: 4}})
	want(t, s.Post("/api/categories", `{"category": "Cups", "company_id": 99}`), 201, `"category_id"`)
	want(t, s.Post("/api/products", `{"product": "Mug", "category_ids": [1], "company_id": 1}`), 201, `"product_id"`)
	want(t, s.Post("/api/users", `{"email": "ana@example.com", "user_type": "C"}`), 201, `"user_id"`)
	want(t, s.Put("/api/stores/4", `{"company": "Cups and more"}`), 200, `"store_id":"4"`)
	for path, part := range map[string]string{
		"stores": `"total_items":"1"`, "stores/4": `"company":"Cups and more"`,
		"stores/4/categories": `"company_id":"4"`, "stores/4/products": `"total_items":"1"`, "stores/4/users": `"total_items":"2"`,
		"categories/1": `"company_id":"4"`, "products/1": `"company_id":"4"`, "users/2": `"company_id":"4"`,
	} {
		want(t, s.Get("/api/"+path), 200, part)
	}
	for _, path := range []string{"stores/1", "stores/1/categories", "stores/1/users"} {
		want(t, s.Get("/api/"+path), 404, "storefront")
	}
}
