package carts_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// TestCarts_Storefront puts, changes and drops lines in Go.
func TestCarts_Storefront(t *testing.T) {
	suite.Each(t, func(s *shop) {
		ctx := t.Context()
		s.put(2, 1, 2, "1")
		s.put(2, 1, 1, "1", "") // the same line
		s.put(2, 1, 1, "2")
		cart := s.put(2, 2, 3)
		if got := linesOf(cart); got != "3 x 1 1:1, 1 x 1 1:2, 3 x 2, 75.50" || s.lines(2) != got {
			t.Errorf("put: %s", got)
		}
		cart, err := s.Carts.Change(ctx, 2, cart.Products[0].ItemID, 1)
		s.Must(err)
		if got := linesOf(cart); got != "1 x 1 1:1, 1 x 1 1:2, 3 x 2, 50.50" {
			t.Errorf("change: %s", got)
		}
		cart, err = s.Carts.Drop(ctx, 2, cart.Products[0].ItemID, cart.Products[2].ItemID)
		s.Must(err)
		if got := linesOf(cart); got != "1 x 1 1:2, 14.00" {
			t.Errorf("drop: %s", got)
		}
		if cart.FirstName == nil || *cart.FirstName != "Ana" || cart.CartProducts != 1 || cart.CompanyID != 1 {
			t.Errorf("the cart is %+v", cart.Summary)
		}
		for name, err := range map[string]error{
			"Change":       failed(s.Carts.Change(ctx, 2, 7, 1)),
			"Change of 3":  failed(s.Carts.Change(ctx, 3, cart.Products[0].ItemID, 1)),
			"Drop":         failed(s.Carts.Drop(ctx, 2, cart.Products[0].ItemID, 7)),
			"Put":          failed(s.Carts.Put(ctx, carts.Owner{ID: 99}, carts.Item{ProductID: 1, Amount: 1})),
			"Get":          failed(s.Carts.Get(ctx, 3)),
			"Delete":       s.Carts.Delete(ctx, 3),
			"Claim by 3":   failed(s.Carts.Claim(ctx, guest, 3)),
			"Put of none":  failed(s.Carts.Put(ctx, carts.Owner{ID: 3})),
			"Put of a key": failed(s.Carts.Put(ctx, carts.Owner{ID: 0}, carts.Item{ProductID: 1, Amount: 1})),
		} {
			want := 404
			if name == "Put of a key" {
				want = 400
			}
			shoptest.WantStatus(t, name, err, want)
		}
		empty, err := s.Carts.Change(ctx, 2, cart.Products[0].ItemID, 0)
		s.Must(err)
		if empty.UserID != 0 || !errors.Is(failed(s.Carts.Get(ctx, 2)), shopapi.ErrNotFound) {
			t.Errorf("an empty cart stays: %+v", empty)
		}
	})
}

func failed[T any](_ T, err error) error { return err }

// TestCarts_PutRefuses invalid items, names all of them at once, and changes nothing.
func TestCarts_PutRefuses(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(2, 1, 1)
		s.Unchanged(func() {
			_, err := s.Carts.Put(t.Context(), carts.Owner{ID: 2},
				carts.Item{ProductID: 1, Amount: 0}, carts.Item{ProductID: 9, Amount: 1}, carts.Item{ProductID: 1, Amount: 1, Options: map[int64]string{1: "9"}})
			var told *shopapi.Error
			if !errors.As(err, &told) || len(told.Fields) != 3 || told.Fields["products[0][amount]"] == "" || told.Fields["products[1]"] == "" || told.Fields["products[2][product_options]"] == "" {
				t.Errorf("%v %v", err, told.Fields)
			}
			shoptest.WantStatus(t, "too many pieces", failed(s.Carts.Put(t.Context(), carts.Owner{ID: 2}, carts.Item{ProductID: 1, Amount: carts.MaxAmount})), 400)
			shoptest.WantStatus(t, "a long name", failed(s.Carts.Put(t.Context(), carts.Owner{ID: guest, FirstName: strings.Repeat("x", 256)}, carts.Item{ProductID: 1, Amount: 1})), 400)
		})
	})
}

// TestCarts_Claim moves a guest's lines into the cart of the user who signs in.
func TestCarts_Claim(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(guest, 1, 1, "1")
		s.put(guest, 1, 2, "2")
		s.put(2, 1, 1, "1")
		cart, err := s.Carts.Claim(t.Context(), guest, 2)
		s.Must(err)
		if got := linesOf(cart); got != "2 x 1 1:1, 2 x 1 1:2, 53.00" {
			t.Error(got)
		}
		if got := ids(s, ""); got != "2" {
			t.Errorf("carts %s", got)
		}
	})
}

// TestCarts_ClaimDrops lines that the user's cart cannot have: beyond the limit of pieces, of
// lines, or with a choice that was removed.
func TestCarts_ClaimDrops(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(guest, 1, 7, "1")
		s.put(guest, 1, carts.MaxAmount, "2")
		s.put(guest, 2, 3)
		s.put(2, 1, 5, "2")
		s.Call(200, "PUT", "options/1", `{"variants": [{"variant_id": 2}]}`)
		cart, err := s.Carts.Claim(t.Context(), guest, 2)
		s.Must(err)
		if got := linesOf(cart); !strings.HasPrefix(got, "3 x 2 , 5 x 1 1:2") && !strings.HasPrefix(got, "5 x 1 1:2, 3 x 2") {
			t.Error(got)
		}
	})
}

// TestCarts_NamesFollowTheUser in carts, and in their filter and sort order.
func TestCarts_NamesFollowTheUser(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(2, 1, 1)
		s.put(3, 1, 1)
		if got := ids(s, "?sort_by=customer&sort_order=asc"); got != "3 2" {
			t.Error(got)
		}
		s.Call(200, "PUT", "users/3", `{"lastname": "Zorn", "email": "zorn@example.org", "phone": "1"}`)
		if got := ids(s, "?cname=zorn&email=ZORN@"); got != "3" {
			t.Error(got)
		}
		if got := ids(s, "?sort_order=asc"); got != "2 3" || s.Object(at(3))["lastname"] != "Zorn" {
			t.Error(got)
		}
	})
}

// TestCarts_Filters by each of the documented parameters.
func TestCarts_Filters(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.put(2, 1, 2)                                                                                                                // 25.00
		s.put(3, 2, 1)                                                                                                                // 8.00
		_, err := s.Carts.Put(t.Context(), carts.Owner{ID: guest, FirstName: "Eve", Phone: "1"}, carts.Item{ProductID: 2, Amount: 5}) // 40.00
		s.Must(err)
		s.put(guest+1, 1, 1) // 12.50
		const g, h = "2147483655", "2147483656"
		for _, c := range []struct{ query, want string }{
			{"", "2 3 " + g + " " + h}, {"cname=PETROV", "2"}, {"cname=eve", g}, {"email=example.com", "3"}, {"user_id=3", "3"}, {"user_id=9", ""},
			{"with_info_only=true", "2 3 " + g}, {"with_info_only=false", "2 3 " + g + " " + h}, {"users_type=R", "2 3"}, {"users_type=G", g + " " + h}, {"users_type=R,G", "2 3 " + g + " " + h},
			{"total_from=12.50", "2 " + g + " " + h}, {"total_from=12.51&total_to=25", "2"}, {"total_to=8", "3"}, {"total_to=7.99", ""}, {"total_from=8&total_to=8.00", "3"},
			{"product_type_c=true", "2 3 " + g + " " + h}, {"product_type_w=true", ""}, {"product_type_w=Y&product_type_c=Y", "2 3 " + g + " " + h},
			{"p_ids=2", "3 " + g}, {"p_ids[]=1&p_ids[]=2", "2 3 " + g + " " + h}, {"p_ids=99", ""}, {"company_id=1", "2 3 " + g + " " + h}, {"company_id=2", ""},
			{"period=D", "2 3 " + g + " " + h}, {"period=LD", ""}, {"period=C&time_from=1&time_to=2", ""}, {"view_id=5", ""}, {"view_id=", "2 3 " + g + " " + h},
			{"total_from=1&users_type=R&items_per_page=1", "2"}, {"total_from=1&users_type=R&items_per_page=1&page=2", "3"},
			{"total_from=1&users_type=R&items_per_page=1&page=3", ""},
		} {
			query := "?sort_by=date&sort_order=asc&" + c.query
			if got := ids(s, query); got != c.want {
				t.Errorf("%s: carts %q, want %q", query, got, c.want)
			}
		}
		for query, field := range map[string]string{
			"users_type=X": "users_type", "total_from=x": "total_from", "total_from=5&total_to=2": "total_from", "user_id=x": "user_id", "p_ids=x": "p_ids", "period=Q": "period",
			"with_info_only=perhaps": "with_info_only", "sort_by=total": "sort_by", "p_ids=1" + strings.Repeat(",1", 1000): "p_ids",
		} {
			s.Refuses("GET", "carts?"+query, "", field)
		}
	})
}

// TestCarts_FewReads: a list of many carts takes as many reads as a list of one.
func TestCarts_FewReads(t *testing.T) {
	counted := &shoptest.CountingStore{Store: shoptest.Memory(t)}
	s := suite.Open(t, counted, shopapi.Options{})
	fill := func(from, to int64) {
		for id := from; id < to; id++ {
			u, err := s.Users.Create(t.Context(), users.User{Summary: users.Summary{Email: shopapi.FormatID(id) + "@example.net", UserType: shopapi.Customer}}, "")
			s.Must(err)
			s.put(u.UserID, 1, 1, "2")
			s.put(u.UserID, 2, 1)
			s.put(guest+id, 2, 1)
		}
	}
	count := func() int64 {
		return counted.In(func() {
			_, _, err := s.Carts.Find(t.Context(), carts.Filter{})
			s.Must(err)
		})
	}
	fill(0, 1)
	few := count()
	fill(1, 30)
	if many := count(); many != few || few > 7 {
		t.Errorf("a list takes %d reads of one cart or two, and %d of 60", few, many)
	}
	if n := counted.In(func() { s.cart(4) }); n > 7 {
		t.Errorf("one cart takes %d reads", n)
	}
}

// TestCarts_OfAStorefront are the only ones that its administrators see and change; a
// customer's cart belongs to the customer's storefront.
func TestCarts_OfAStorefront(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Edition: shopapi.MultiStorefront})
		s.Call(201, "POST", "users", `{"email": "eve@example.org", "user_type": "C", "company_id": 2}`)
		s.put(4, 1, 1)
		if got := s.cart(4).CompanyID; got != 2 {
			t.Errorf("the cart is of company %d", got)
		}
		_, err := s.Carts.Put(t.Context(), carts.Owner{ID: guest, CompanyID: 2}, carts.Item{ProductID: 1, Amount: 1})
		s.Must(err)
		s.put(2, 1, 1)
		if got := ids(s, "?company_id=2&sort_by=date"); got != "2147483655 4" {
			t.Errorf("carts %s", got)
		}
	})
}

// TestCarts_OfAStorefrontHoldNoOthersGoods: an administrator of a storefront cannot add
// another storefront's product to a cart, and reads neither its name nor its price where
// a cart holds it already (decisions §11).
func TestCarts_OfAStorefrontHoldNoOthersGoods(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Edition: shopapi.MultiStorefront})
		s.Call(201, "POST", "users", `{"email": "eve@example.org", "user_type": "C", "company_id": 2}`)
		admin := shopapi.WithUser(t.Context(), &shopapi.User{ID: 9, Type: shopapi.Administrator, CompanyID: 2, Privileges: map[string]bool{"view_orders": true, "manage_orders": true}})
		_, err := s.Carts.Put(s.API.Confine(admin), carts.Owner{ID: 4}, carts.Item{ProductID: 1, Amount: 1, Options: map[int64]string{1: "2"}})
		shoptest.WantStatus(t, "another storefront's product", err, 400)
		s.put(4, 1, 1, "2") // the program may
		cart, err := s.Carts.Get(s.API.Confine(admin), 4)
		if err != nil || len(cart.Products) != 1 {
			t.Fatal(cart, err)
		}
		if l := cart.Products[0]; l.Product != "" || l.Extra.ProductCode != "" || !l.Price.IsZero() || !cart.Total.IsZero() {
			t.Errorf("the line is %+v", l)
		}
	})
}

// TestCarts_OfAHostsUsersAndProducts are written and read through the host's entities.
func TestCarts_OfAHostsUsersAndProducts(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := shoptest.New(t, st, shopapi.Options{})
		s.Register(
			&shoptest.Host{Name: "products", Objects: map[string]any{"5": map[string]any{"product_id": "5", "product": "Kiln", "price": "99.50"}}},
			&shoptest.Host{Name: "users", Objects: map[string]any{"7": map[string]any{"user_id": "7", "firstname": "Ida", "email": "ida@example.org"}}})
		c, err := carts.Register(t.Context(), s.API, st, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		cart, err := c.Put(t.Context(), carts.Owner{ID: 7}, carts.Item{ProductID: 5, Amount: 2, Options: map[int64]string{1: "x"}})
		if err != nil || linesOf(cart) != "2 x 5 1:x, 199.00" || *cart.FirstName != "Ida" || cart.Products[0].Product != "Kiln" {
			t.Errorf("%+v, %v", cart, err)
		}
		shoptest.WantStatus(t, "another product", failed(c.Put(t.Context(), carts.Owner{ID: 7}, carts.Item{ProductID: 6, Amount: 1})), 400)
		shoptest.WantStatus(t, "another user", failed(c.Put(t.Context(), carts.Owner{ID: 8}, carts.Item{ProductID: 5, Amount: 1})), 404)
	})
}

func TestNewGuest(t *testing.T) {
	if a, b := carts.NewGuest(), carts.NewGuest(); a == b || !carts.IsGuest(a) || a >= 1<<53 || carts.IsGuest(carts.FirstGuest-1) {
		t.Errorf("%d and %d", a, b)
	}
}
