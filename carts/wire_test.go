package carts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

// TestCarts_Fields compares a list and one cart whole: numbers are texts, except inside
// extra.
func TestCarts_Fields(t *testing.T) {
	suite.Each(t, func(s *shop) {
		cart, err := s.Carts.Put(t.Context(), carts.Owner{ID: guest, IPAddress: "192.0.2.10", FirstName: "Eve", Email: "eve@example.org"},
			carts.Item{ProductID: 1, Amount: 2, Options: map[int64]string{1: "2", 2: "For Eve"}})
		s.Must(err)
		list := fmt.Sprintf(`"user_id": "%d", "firstname": "Eve", "lastname": null, "date": "%d", "ip_address": "192.0.2.10", "company_id": "1",
			"cart_products": "2", "total": "28.00", "order_id": null, "user_data": []`, guest, shoptest.Now)
		shoptest.SameJSON(t, s.Call(200, "GET", "carts", ""), `{"carts": [{`+list+`}],
			"params": {"items_per_page": "10", "page": 1, "sort_order": "desc", "sort_by": "customer", "sort_order_rev": "asc", "total_items": "1", "company_id": "1"}}`)
		shoptest.SameJSON(t, s.Call(200, "GET", at(guest), ""), fmt.Sprintf(`{%s, "products": [{"item_id": "%d", "item_type": "P", "product_id": "1", "amount": "2",
			"price": "14.00", "product": "Mug", "extra": {"product_id": 1, "product_options": {"1": "2", "2": "For Eve"}, "amount": 2, "amount_total": 2,
			"price": 14, "base_price": 12.5, "display_price": 14, "modifiers_price": 1.5, "discount": 0, "product": "Mug", "product_code": "M-1",
			"company_id": "1", "options_type": "P", "exceptions_type": "F", "is_edp": "N", "edp_shipping": "N", "stored_price": "N",
			"stored_discount": "N", "promotions": [], "main_pair": [],
			"extra": {"product_options": {"1": "2", "2": "For Eve"}, "unlimited_download": "N"}}}]}`, list, cart.Products[0].ItemID))
	})
}

// TestCarts_UserData equals the user's GET response, in lists too.
func TestCarts_UserData(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(2, 1, 1)
		var user any
		shoptest.Decode(t, s.Call(200, "GET", "users/2", ""), &user)
		var list struct {
			Carts []struct {
				UserData any `json:"user_data"`
			}
		}
		shoptest.Decode(t, s.Call(200, "GET", "carts", ""), &list)
		if diff := cmp.Diff(user, list.Carts[0].UserData); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(user, s.Object(at(2))["user_data"]); diff != "" {
			t.Error(diff)
		}
	})
}

// TestCarts_Put creates the cart of a registered user, adds and changes lines, and
// removes lines with 0; an empty cart is removed.
func TestCarts_Put(t *testing.T) {
	suite.Each(t, func(s *shop) {
		for _, step := range []struct{ body, want string }{
			{`{"products": {"1": {"amount": 2, "product_options": {"1": "1"}}}}`, "2 x 1 1:1, 25.00"},
			{`{"products": {"2": {"amount": "1"}}}`, "2 x 1 1:1, 1 x 2, 33.00"},
			{`{"products": {"1": {"amount": 3}}}`, "3 x 1 1:1, 1 x 2, 45.50"},                                         // its only line
			{`{"products": {"1": {"amount": 1, "product_options": {"1": 2}}}}`, "3 x 1 1:1, 1 x 2, 1 x 1 1:2, 59.50"}, // other options
			{`{"products": {"x": {"product_id": "2", "amount": 4}}}`, "3 x 1 1:1, 4 x 2, 1 x 1 1:2, 83.50"},
			{`{"products": [{"product_id": 2, "amount": 0}]}`, "3 x 1 1:1, 1 x 1 1:2, 51.50"},
			{`{"products": {"1": {"amount": 0, "product_options": {"1": "1"}}}}`, "1 x 1 1:2, 14.00"},
			{`{"products": {}, "unknown": 1}`, "1 x 1 1:2, 14.00"},
			{`{"products": {"2": {"amount": 0}}}`, "1 x 1 1:2, 14.00"}, // no such line
		} {
			shoptest.SameJSON(t, s.Call(200, "PUT", at(2), step.body), `{"user_id": "2"}`)
			if got := s.lines(2); got != step.want {
				t.Errorf("after %s: %s, want %s", step.body, got, step.want)
			}
		}
		item := shopapi.FormatID(s.cart(2).Products[0].ItemID)
		s.Call(200, "PUT", at(2), `{"products": {"`+item+`": {"amount": 5}}}`)
		if got := s.lines(2); got != "5 x 1 1:2, 70.00" {
			t.Error(got)
		}
		s.Call(200, "PUT", at(2), `{"products": {"`+item+`": {"amount": 5, "product_options": {"1": "1"}}}}`) // becomes another line
		if got := s.lines(2); got != "5 x 1 1:1, 62.50" {
			t.Error(got)
		}
		s.put(2, 1, 1)
		s.Unchanged(func() {
			s.Call(200, "PUT", at(2), `{"products": {"1": {"amount": 5, "product_options": {"1": "1"}}}}`)
			s.Call(200, "PUT", at(2), s.Call(200, "GET", at(2), ""))
		})
		s.Call(200, "PUT", at(2), `{"products": {"1": {"amount": 0, "product_options": []}}}`)
		s.Call(200, "PUT", at(2), "products[1][amount]=0")
		s.Call(404, "GET", at(2), "")
		want := []string{"create carts 2"}
		for range 10 {
			want = append(want, "update carts 2")
		}
		if diff := cmp.Diff(append(want, "delete carts 2"), told(s, 0)); diff != "" {
			t.Error(diff)
		}
	})
}

// An entry without options names the only line of its product; of several it is a 400 that names
// their item ids, as in orders (decisions §19, §26).
func TestCarts_19_EntriesOfSeveralLinesNeedOptions(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(2, 1, 1, "1")
		s.put(2, 1, 2, "2")
		lines := s.cart(2).Products
		want := fmt.Sprintf("is required: several lines have the product 1 (%d, %d)", lines[0].ItemID, lines[1].ItemID)
		for _, products := range []string{`{"1": {"amount": 0}}`, `{"1": {"amount": 3}}`, `{"x": {"product_id": 1, "amount": 0}}`} {
			s.Unchanged(func() {
				problems := s.Refuses("PUT", at(2), `{"products": `+products+`}`, "products["+products[2:3]+"][product_options]")
				if diff := cmp.Diff(want, problems["products["+products[2:3]+"][product_options]"]); diff != "" {
					t.Errorf("%s: %s", products, diff)
				}
			})
		}
		s.Call(200, "PUT", at(2), fmt.Sprintf(`{"products": {"%d": {"amount": 0}}}`, lines[0].ItemID))
		if got := s.lines(2); got != "2 x 1 1:2, 28.00" {
			t.Error(got)
		}
	})
}

// Of two entries that name one line the later one counts, also where the first made the line
// (decisions §19).
func TestCarts_19_TheLaterEntryOfALineCounts(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(2, 1, 1, "1")
		const entry = `{"product_id": 1, "product_options": {"1": 2}, "amount": `
		for _, c := range []struct{ first, second, want string }{
			{"3", "0", "1 x 1 1:1, 12.50"},
			{"0", "3", "1 x 1 1:1, 3 x 1 1:2, 54.50"},
			{"3", "0", "1 x 1 1:1, 12.50"},
		} {
			s.Call(200, "PUT", at(2), `{"products": [`+entry+c.first+`}, `+entry+c.second+`}]}`)
			if got := s.lines(2); got != c.want {
				t.Errorf("%s and %s pieces: %s, want %s", c.first, c.second, got, c.want)
			}
		}
	})
}

// told returns the events that clients caused after the first had ones.
func told(s *shop, had int) (all []string) {
	for _, event := range s.Events()[had+s.made:] {
		all = append(all, strings.TrimSuffix(strings.TrimSuffix(event, " by 1"), " by the host"))
	}
	return all
}

// TestCarts_ResultsOfPut: a cart of a registered user with at least one line; only the
// storefront creates guests' carts (decisions §19).
func TestCarts_ResultsOfPut(t *testing.T) {
	suite.Each(t, func(s *shop) {
		const mug = `{"products": {"1": {"amount": 1}}}`
		s.Unchanged(func() {
			s.Call(404, "PUT", at(guest), mug)
			s.Call(404, "PUT", at(99), mug)
			s.Call(404, "PUT", "carts/x", mug)
			s.Call(404, "PUT", at(2), `{"products": {"1": {"amount": 0}}}`)
			s.Call(404, "PUT", at(2), `{"unknown": 1}`)
			s.Call(404, "DELETE", at(2), "")
			s.Call(405, "POST", "carts", mug)
			s.Call(405, "PUT", at(2), "{}")
		})
		s.put(guest, 2, 1)
		s.Call(200, "PUT", at(guest), mug)
		if got := s.lines(guest); got != "1 x 2, 1 x 1, 20.50" {
			t.Error(got)
		}
		s.Call(204, "DELETE", at(guest), "")
		s.Call(404, "GET", at(guest), "")
	})
}

// TestCarts_BadInput is refused, with all problems at once.
func TestCarts_BadInput(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(2, 2, 1)
		for _, c := range []struct {
			products string
			fields   []string
		}{
			{`"many"`, []string{"products"}}, {`7`, []string{"products"}},
			{`{"1": 2}`, []string{"products[1]"}}, {`{"1": {}}`, []string{"products[1][amount]"}},
			{`{"1": {"product_options": {"1": "1"}}}`, []string{"products[1][amount]"}},
			{`{"1": {"amount": -1}, "2": {"amount": 1000001}}`, []string{"products[1][amount]", "products[2][amount]"}},
			{`{"1": {"amount": 1.5}, "2": {"amount": "x"}}`, []string{"products[1][amount]", "products[2][amount]"}},
			{`{"1": {"amount": 1000000000000000000000}}`, []string{"products[1][amount]"}},
			{`{"99": {"amount": 1}, "x": {"amount": 1}, "-1": {"amount": 1}, "y": {"product_id": 98, "amount": 1}}`,
				[]string{"products[99]", "products[x]", "products[-1]", "products[y]"}},
			{`[{"amount": 1}]`, []string{"products[0]"}},
			{`{"1": {"amount": 1, "product_options": {"1": "9"}}, "2": {"amount": 1, "product_options": {"1": "1"}}}`,
				[]string{"products[1][product_options]", "products[2][product_options]"}},
			{`{"1": {"amount": 1, "product_options": "L"}}`, []string{"products[1][product_options]"}},
		} {
			s.Refuses("PUT", at(2), `{"products": `+c.products+`}`, c.fields...)
		}
		many := strings.Repeat(`{"product_id": 1, "amount": 1},`, carts.MaxLines)
		s.Refuses("PUT", at(2), `{"products": [`+many+`{"product_id": 1, "amount": 1}]}`, "products")
	})
}

// TestCarts_PricesAreTodays: a read computes the prices, and a line stays if its choice
// is deleted.
func TestCarts_PricesAreTodays(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(2, 1, 2, "2")
		s.Call(200, "PUT", "products/1", `{"price": "20.00", "product": "Big mug"}`)
		if got := s.lines(2); got != "2 x 1 1:2, 43.00" || s.List("carts", "total") != "43.00" || s.cart(2).Products[0].Product != "Big mug" {
			t.Error(got)
		}
		s.Call(204, "DELETE", "options/1", "")
		if got := s.lines(2); got != "2 x 1 1:2, 40.00" {
			t.Error(got)
		}
	})
}

// TestCarts_DeletedWithTheirOwners: a cart is deleted with its user, a line with its
// product.
func TestCarts_DeletedWithTheirOwners(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(2, 1, 1)
		s.put(3, 1, 1)
		s.put(3, 2, 1)
		s.put(guest, 2, 1)
		had := len(told(s, 0))
		s.Call(204, "DELETE", "products/1", "")
		if got := ids(s, "?sort_by=date"); got != "2147483655 3" || s.lines(3) != "1 x 2, 8.00" {
			t.Errorf("after the product: %s", got)
		}
		s.Call(204, "DELETE", "users/3", "")
		if got := ids(s, ""); got != "2147483655" {
			t.Errorf("after the user: %s", got)
		}
		want := []string{"update carts 3", "delete carts 2", "delete products 1", "delete carts 3", "delete users 3"}
		if diff := cmp.Diff(want, told(s, had)); diff != "" {
			t.Error(diff)
		}
	})
}

// TestCarts_AreNotForVendors at all (decisions §11).
func TestCarts_AreNotForVendors(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Edition: shopapi.MultiVendor})
		s.put(2, 1, 1)
		vendor := s.as("vendor2@example.com")
		for _, c := range []struct{ method, address, body string }{
			{"GET", "carts", ""}, {"GET", at(2), ""}, {"PUT", at(2), `{"products": {"1": {"amount": 2}}}`}, {"DELETE", at(2), ""},
		} {
			vendor.Forbids(c.method, c.address, c.body)
		}
	})
}

// TestCarts_Preconditions apply to existing carts.
func TestCarts_Preconditions(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(2, 1, 1)
		tag := s.Send("GET", at(2), "").Header.Get("Etag")
		for _, c := range []struct {
			match string
			want  int
		}{{`"x"`, 412}, {tag, 200}, {tag, 412}} {
			if got := s.Send("PUT", at(2), `{"products": {"1": {"amount": 3}}}`, "If-Match", c.match); got.Status != c.want {
				t.Errorf("PUT with If-Match %s is answered %d, want %d", c.match, got.Status, c.want)
			}
		}
		if got := s.Send("PUT", at(3), `{"products": {"1": {"amount": 3}}}`, "If-Match", tag); got.Status != 412 {
			t.Errorf("a PUT that needs a cart made one: %d", got.Status)
		}
	})
}

// A cart shows the names of its products in the language of the request (§15).
func TestCarts_Language(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(2, 1, 1)
		s.Call(200, "PUT", "products/1?sl=de", `{"product": "Tonbecher"}`)
		for address, want := range map[string]bool{at(2) + "?sl=de": true, at(2): false, at(2) + "?sl=fr": false} {
			if body := s.Send("GET", address, "").Body; strings.Contains(body, `"Tonbecher"`) != want {
				s.Errorf("GET %s shows the German name: %t, want %t: %s", address, !want, want, body)
			}
		}
	})
}
