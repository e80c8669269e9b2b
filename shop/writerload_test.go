//go:build !race

package shop_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/languages"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/pages"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/users"
)

// TestWriter_CartsAreHeldShortly: carts of as many lines as they may have, of a product
// with many options.
func TestWriter_CartsAreHeldShortly(t *testing.T) {
	besideOthers(t)
	s := newWriterShop(t)
	const choices = 5
	for i := range choices {
		s.post(t, "options", fmt.Sprintf(`{"product_id": 1, "option_name": "Option %d", "variants": [{"variant_name": "a", "modifier": 1}, {"variant_name": "b"}]}`, i))
	}
	s.post(t, "options", `{"product_id": 1, "option_name": "Text", "option_type": "T"}`)
	chosen := repeated(choices, func(i int) string { return fmt.Sprintf(`"%d": %d`, i+1, 2*i+1) })
	lines := func(from, n int) string {
		return `{"products": [` + repeated(n, func(i int) string {
			return fmt.Sprintf(`{"product_id": 1, "amount": 1, "product_options": {%s, "%d": "%d"}}`, chosen, choices+1, from+i)
		}) + `]}`
	}
	s.holds("PUT a cart of 500 lines", "PUT", "carts/2", lines(0, carts.MaxLines), 200)
	s.holds("PUT the lines again", "PUT", "carts/2", lines(0, carts.MaxLines), 200)
	s.holds("PUT a line more", "PUT", "carts/2", lines(1000, 1), 400)
	s.holds("PUT a cart with a body that is refused", "PUT", "carts/2", `{"products": [`+repeated(20_000, func(int) string { return `{"product_id":1}` })+`]}`, 400)
	guest := carts.Owner{ID: carts.NewGuest()}
	items := make([]carts.Item, carts.MaxLines)
	for i := range items {
		items[i] = carts.Item{ProductID: 1, Amount: 1, Options: options.Selection{choices + 1: fmt.Sprint(i / 2), 1: fmt.Sprint(i%2 + 1)}}
	}
	s.during("Put 500 items of a guest", func() {
		if _, err := s.Shop.Shop.Carts.Put(t.Context(), guest, items...); err != nil {
			t.Error(err)
		}
	})
	s.during("Claim 500 lines for a user who has 500", func() {
		if _, err := s.Shop.Shop.Carts.Claim(t.Context(), guest.ID, 2); err != nil {
			t.Error(err)
		}
	})
	s.holds("DELETE a cart of 500 lines", "DELETE", "carts/2", "", 204)
	guest.ID = carts.NewGuest()
	if _, err := s.Shop.Shop.Carts.Put(t.Context(), guest, items...); err != nil {
		t.Fatal(err)
	}
	s.during("Claim 500 lines for a user who has none", func() {
		if cart, err := s.Shop.Shop.Carts.Claim(t.Context(), guest.ID, 2); err != nil || len(cart.Products) != carts.MaxLines {
			t.Errorf("%d lines, %v", len(cart.Products), err)
		}
	})
	s.during("Order a cart of 500 lines", func() {
		if _, err := s.Shop.Shop.Carts.Order(t.Context(), 2, carts.Checkout{PaymentID: 1, ShippingID: 1}); err != nil {
			t.Error(err)
		}
	})
}

// TestWriter_ShipmentsAreHeldShortly: as many shipments and shipped lines as one order may
// have.
func TestWriter_ShipmentsAreHeldShortly(t *testing.T) {
	besideOthers(t)
	s := newWriterShop(t)
	s.post(t, "options", `{"product_id": 1, "option_name": "Text", "option_type": "T"}`)
	made := s.holds("POST an order of 1000 lines", "POST", "orders", order(repeated(1000, func(i int) string {
		return fmt.Sprintf(`{"product_id": 1, "amount": 1, "product_options": {"1": "%d"}}`, i)
	})), 201)
	var shown struct {
		Products map[string]json.RawMessage
	}
	s.Get("/api/2.0/orders/" + made.Field("order_id")).Decode(&shown)
	var items []string
	for id := range shown.Products {
		items = append(items, id)
	}
	slices.Sort(items)
	shipment := func(items []string) string {
		return fmt.Sprintf(`{"order_id": 1, "shipping_id": 1, "comments": %q, "products": {%s}}`, strings.Repeat("c", 60_000),
			repeated(len(items), func(i int) string { return fmt.Sprintf(`"%s": 1`, items[i]) }))
	}
	most := times(10, 249)
	for i := range most {
		s.post(t, "shipments", shipment(items[i:i+1]))
	}
	s.holds("POST the last shipment, of all other lines", "POST", "shipments", shipment(items[most:]), 201)
	s.holds("PUT that shipment", "PUT", fmt.Sprintf("shipments/%d", most+1), `{"comments": "new", "status": "S"}`, 200)
	if longAttacks {
		s.holds("POST one more than 250", "POST", "shipments", shipment(items[:1]), 400)
	}
	s.holds("PUT a status of the order", "PUT", "orders/1", `{"status": "P"}`, 200)
	s.holds("DELETE that shipment", "DELETE", fmt.Sprintf("shipments/%d", most+1), "", 204)
	s.holds("DELETE the order and its shipments", "DELETE", "orders/1", "", 204)
}

// TestWriter_BatchesAreHeldShortly: batches that are not atomic, and arrays with match, as
// large as they may be.
func TestWriter_BatchesAreHeldShortly(t *testing.T) {
	besideOthers(t)
	s := newWriterShop(t)
	s.post(t, "categories", `{"category": "Plates"}`)
	list := make([]products.Product, times(500, 10_000))
	for i := range list {
		list[i] = products.Product{Summary: products.Summary{Name: "P", Code: fmt.Sprintf("P-%d", i), CategoryIDs: []int64{1 + int64(i/7000)}}}
	}
	for part := range slices.Chunk(list, 1000) {
		if _, err := s.Shop.Shop.Products.CreateAll(t.Context(), part); err != nil {
			t.Fatal(err)
		}
	}
	rows := func(size int) string {
		return "[" + repeated(len(list), func(i int) string {
			return fmt.Sprintf(`{"product_code": "P-%d", "price": "%d", "full_description": %q}`, i, i+size, strings.Repeat("x", size))
		}) + "]"
	}
	s.holds("PUT an array of prices", "PUT", "products?match=product_code", rows(0), 200)
	s.holds("PUT an array of texts", "PUT", "products?match=product_code", rows(600), 200)
	s.holds("PUT an array that creates", "PUT", "products?match=product_code&missing=create", "["+repeated(len(list), func(i int) string {
		return fmt.Sprintf(`{"product_code": "N-%d", "product": "New", "category_ids": [2]}`, i)
	})+"]", 200)
	s.holds("a batch of products", "POST", "batch", `{"atomic": false, "requests": [`+repeated(times(100, 1000), func(i int) string {
		return fmt.Sprintf(`{"method": "POST", "url": "products", "body": {"product": "B", "category_ids": [2], "full_description": %q}}`, strings.Repeat("x", 7000))
	})+`]}`, 200)
	s.holds("DELETE the category of 7000 products", "DELETE", "categories/1", "", 204)
}

// TestWriter_RemovalsAreHeldShortly: objects that many others refer to.
func TestWriter_RemovalsAreHeldShortly(t *testing.T) {
	besideOthers(t)
	ctx := t.Context()
	t.Run("users", func(t *testing.T) {
		s := newWriterShop(t)
		s.Put("/api/2.0/products/1", `{"amount": 100000}`)
		for range times(20, 2000) {
			if _, err := s.Shop.Shop.Orders.Create(ctx, orders.Purchase{UserID: 2, PaymentID: 1, ShippingID: 1, Lines: []orders.PurchaseLine{{ProductID: 1, Amount: 1}}}); err != nil {
				t.Fatal(err)
			}
		}
		posts := make([]discussions.Post, times(50, 3000))
		for i := range posts {
			posts[i] = discussions.Post{ObjectType: "P", ObjectID: 1, UserID: 2, Name: "Ana", Message: "Good", RatingValue: 5}
		}
		if _, err := s.Shop.Shop.Discussions.CreateAll(ctx, posts); err != nil {
			t.Fatal(err)
		}
		s.holds("DELETE a user with orders and reviews", "DELETE", "users/2", "", 204)
		s.holds("DELETE a product with reviews", "DELETE", "products/1", "", 204)
	})
	t.Run("carts", func(t *testing.T) {
		s := newWriterShop(t)
		for range times(50, 5000) {
			if _, err := s.Shop.Shop.Carts.Put(ctx, carts.Owner{ID: carts.NewGuest()}, carts.Item{ProductID: 1, Amount: 1}); err != nil {
				t.Fatal(err)
			}
		}
		s.holds("DELETE a product in carts", "DELETE", "products/1", "", 204)
	})
	t.Run("groups and taxes", func(t *testing.T) {
		s := newWriterShop(t)
		s.post(t, "taxes", `{"tax": "VAT"}`)
		group, err := strconv.ParseInt(s.post(t, "usergroups", `{"usergroup": "Wholesale", "type": "C", "status": "A"}`).Field("usergroup_id"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		list := make([]products.Product, times(50, 1000))
		people := make([]users.User, len(list))
		texts := make([]pages.Page, len(list))
		for n := range times(1, 7) {
			for i := range list {
				list[i] = products.Product{Summary: products.Summary{Name: "P", CategoryIDs: []int64{1}, TaxIDs: "1"}}
				texts[i] = pages.Page{Name: "P", Type: "T", UsergroupIDs: shopapi.IDList(shopapi.FormatID(group))}
				people[i] = users.User{Summary: users.Summary{Email: fmt.Sprintf("u%d@example.org", 1000*n+i), UserType: "C"}}
			}
			if _, err := s.Shop.Shop.Products.CreateAll(ctx, list); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Shop.Shop.Pages.CreateAll(ctx, texts); err != nil {
				t.Fatal(err)
			}
			made, err := s.Shop.Shop.Users.CreateAll(ctx, people)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range made {
				if err := s.Shop.Shop.Users.SetMembership(ctx, u.UserID, group, users.Member); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.holds("DELETE a tax of products", "DELETE", "taxes/1", "", 204)
		s.holds("DELETE a group of users and pages", "DELETE", fmt.Sprintf("usergroups/%d", group), "", 204)
	})
	t.Run("languages", func(t *testing.T) {
		s := newWriterShop(t)
		german := shopapi.WithLanguage(ctx, "de")
		s.post(t, "languages", `{"lang_code": "de", "name": "German"}`)
		list := make([]products.Product, times(50, 1500))
		for i := range list {
			list[i] = products.Product{Summary: products.Summary{Name: "Tasse", CategoryIDs: []int64{1}}, FullDescription: strings.Repeat("Ton ", 200)}
		}
		for range times(1, 5) {
			if _, err := s.Shop.Shop.Products.CreateAll(german, list); err != nil {
				t.Fatal(err)
			}
		}
		s.holds("DELETE a language of products", "DELETE", "languages/2", "", 204)
		variables := make([]languages.Variable, times(150, 15_000))
		for i := range variables {
			variables[i] = languages.Variable{Item: languages.Item{Name: fmt.Sprintf("v%d", i), Value: strings.Repeat("text ", 10)}}
		}
		if _, err := s.Shop.Shop.Langvars.CreateAll(ctx, variables); err != nil {
			t.Fatal(err)
		}
		s.holds("POST a language beside many variables", "POST", "languages", `{"lang_code": "fr", "name": "French"}`, 201)
	})
}
