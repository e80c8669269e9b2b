package carts_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	wholeshop "github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// decisions §11: the cart of a user belongs to the storefront of the user, also after the
// user moved to another one. Administrators of the former storefront do not see it then.
func TestCarts_MoveWithTheirUser(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := apitest.NewWithStore(t, st, &wholeshop.Options{Options: shopapi.Options{Edition: shopapi.MultiStorefront}})
		two, three := s.UserOf(2, "view_orders", "manage_orders"), s.UserOf(3, "view_orders", "manage_orders")
		s.Post("/api/2.0/categories", `{"category": "Kitchen", "company_id": 2}`)
		product := s.Post("/api/2.0/products", `{"product": "Jug", "category_ids": [1], "company_id": 2, "price": 5, "amount": 9}`).Field("product_id")
		user := s.Post("/api/2.0/users", `{"email": "ana@example.org", "user_type": "C", "company_id": 2}`).Field("user_id")
		address := "/api/2.0/carts/" + user
		body := fmt.Sprintf(`{"products": {%q: {"amount": 1}}}`, product)
		if made := s.Put(address, body); made.Status != 200 {
			t.Fatalf("the cart: %d %s", made.Status, made.Body)
		}
		statuses := func() []int {
			return []int{two.Get(address).Status, two.Put(address, body).Status, three.Get(address).Status, three.Put(address, body).Status}
		}
		if diff := cmp.Diff([]int{200, 200, 404, 404}, statuses()); diff != "" {
			t.Fatalf("read and written by the two storefronts, before (-want +got):\n%s", diff)
		}
		if moved := s.Put("/api/2.0/users/"+user, `{"company_id": 3}`); moved.Status != 200 {
			t.Fatalf("moving the user: %d %s", moved.Status, moved.Body)
		}
		if got := s.Get(address).Field("company_id"); got != "3" {
			t.Errorf("the cart is of company %s, want 3", got)
		}
		got := statuses()
		if diff := cmp.Diff([]int{404, 404, 200}, got[:3]); diff != "" {
			t.Errorf("read and written by the two storefronts, after (-want +got):\n%s", diff)
		}
		if got[3] == 404 {
			t.Error("the storefront of the user cannot change the cart")
		}
	})
}
