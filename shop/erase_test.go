package shop_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/store"
)

// TestUsers_Erase blanks one person's data everywhere and nobody else's; amounts stay
// (decisions §23).
func TestUsers_Erase(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := apitest.NewWithStore(t, st, nil)
		ctx := t.Context()
		post := func(address, body string) string {
			t.Helper()
			a := s.Post("/api/2.0/"+address, body)
			if a.Status != 201 {
				t.Fatalf("POST %s: %d %s", address, a.Status, a.Body)
			}
			return a.Body
		}
		post("categories", `{"category": "Cups"}`)
		post("products", `{"product": "Mug", "category_ids": [1], "price": "12.50"}`)
		// Zora will be erased; all her data contains this text.
		const secret = "zora"
		person := func(name string) string {
			return strings.ReplaceAll(`{"email": "NAME@example.org", "user_login": "NAME-1", "user_type": "C", "firstname": "NAME", "lastname": "NAME-2", "company": "NAME Ltd",
					"phone": "NAME 1", "fax": "NAME 2", "url": "https://NAME.example", "birthday": "1990-01-01", "b_city": "NAME", "s_address": "NAME", "s_phone": "NAME 3"}`, "NAME", name)
		}
		post("users", person("zora"))
		post("users", person("ida"))
		sell := func(user int64, name, email string) {
			t.Helper()
			var o orders.Order
			o.UserID, o.FirstName, o.Email, o.Phone, o.Notes, o.Details, o.IPAddress = user, name, email, name, name, name, name
			o.Billing, o.Shipping = orders.Address{City: name}, orders.Address{Street: name}
			o.Lines = orders.Lines{{ProductID: 1, Name: "Mug", Amount: 2, Price: decimal.MustParse("12.50")}}
			if _, err := s.Orders.Import(ctx, []orders.Order{o}); err != nil {
				t.Fatal(err)
			}
		}
		sell(2, "zora", "zora@example.org")
		sell(0, "zora", "ZORA@example.org")
		sell(3, "ida", "ida@example.org")
		for _, owner := range []carts.Owner{{ID: 2, IPAddress: "zora"}, {ID: carts.FirstGuest, FirstName: "zora", Email: "zora@example.org"}, {ID: 3, IPAddress: "ida"}} {
			if _, err := s.Carts.Put(ctx, owner, carts.Item{ProductID: 1, Amount: 3}); err != nil {
				t.Fatal(err)
			}
		}
		post("call_requests", `{"name": "zora", "email": "Zora@Example.org", "notes": "zora"}`)
		post("call_requests", `{"name": "zora", "phone": "ZORA 3"}`)
		post("call_requests", `{"name": "ida", "phone": "ida 1"}`)
		for _, author := range []shopapi.User{{ID: 2, Type: shopapi.Administrator, Root: true, Name: "zora"}, {ID: 3, Type: shopapi.Administrator, Root: true, Name: "ida"}} {
			asAuthor := shopapi.WithUser(ctx, &author)
			if _, err := s.Discussions.Create(asAuthor, discussions.Post{ObjectType: discussions.Product, ObjectID: 1, Name: author.Name, Message: "Holds heat", IPAddress: author.Name}); err != nil {
				t.Fatal(err)
			}
		}
		addresses := []string{
			"users/2", "users/3", "orders/1", "orders/2", "orders/3", "carts/2", "carts/2147483648", "carts/3",
			"call_requests/1", "call_requests/2", "call_requests/3", "discussions/1", "discussions/2", "users", "orders", "carts",
		}
		read := func() (all []string) {
			for _, address := range addresses {
				a := s.Get("/api/2.0/" + address)
				if a.Status != 200 {
					t.Fatalf("GET %s: %d %s", address, a.Status, a.Body)
				}
				all = append(all, a.Body)
			}
			return all
		}
		before := read()
		s.Events()
		if err := s.Users.Erase(ctx, 2); err != nil {
			t.Fatal(err)
		}
		events := map[string]int{}
		for _, e := range s.Events() {
			events[string(e.Operation)+" "+e.Entity]++
		}
		if diff := cmp.Diff(map[string]int{"update users": 1, "update orders": 2, "update carts": 2, "update call_requests": 2, "update discussions": 1}, events); diff != "" {
			t.Errorf("events: %s", diff)
		}
		after := read()
		for i, address := range addresses {
			if strings.Contains(strings.ToLower(after[i]), secret) || strings.Contains(after[i], "1990-01-01") && address == "users/2" {
				t.Errorf("GET %s tells %s", address, after[i])
			}
			others := strings.Contains(strings.ToLower(before[i]), "ida") && !strings.Contains(strings.ToLower(before[i]), secret)
			if others && before[i] != after[i] {
				t.Errorf("GET %s: %s became %s", address, before[i], after[i])
			}
		}
		for address, total := range map[string]string{"orders/1": "25.00", "orders/2": "25.00", "carts/2": "37.50"} {
			if got := s.Get("/api/2.0/" + address).Field("total"); got != total {
				t.Errorf("the total of %s is %s", address, got)
			}
		}
		if err := s.Users.Erase(ctx, 2); err != nil {
			t.Error(err)
		}
		if again := s.Events(); len(again) != 0 {
			t.Errorf("erasing again changes %v", again)
		}
		if _, err := s.Users.CheckPassword(ctx, "erased-2@erased.invalid", ""); err == nil {
			t.Error("an erased user signs in")
		}
		if err := s.Users.Erase(ctx, 9); !errors.Is(err, shopapi.ErrNotFound) {
			t.Errorf("erasing nobody: %v", err)
		}
	})
}
