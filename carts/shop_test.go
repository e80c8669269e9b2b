package carts_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/options"
)

// guest is an id of a guest.
const guest int64 = carts.FirstGuest + 7

// A shop is an API with carts and their products: 1 (12.50) and 2 (8.00), and the option
// 1 of the first with the variants 1 (S) and 2 (L, 1.50 and 10 % more). Its users are
// the root, 1, and the customers 2 (Ana Petrov) and 3 (Bo Adams).
type shop struct {
	*shoptest.Shop
	made int // events so far
}

var suite = shoptest.Suite[*shop]{
	Entities: []string{"categories", "users", "products", "options", "carts"},
	Users:    shoptest.Staff(shopapi.Privileges{View: "view_orders", Manage: "manage_orders"}),
	Wrap:     func(s *shoptest.Shop) *shop { return &shop{Shop: s} },
	Fill: func(s *shop) {
		s.Dump = s.dump
		s.Call(201, "POST", "categories", `{"category": "Cups", "company_id": 1}`)
		s.Call(201, "POST", "products", `{"product": "Mug", "product_code": "M-1", "category_ids": [1], "company_id": 1, "price": "12.50", "amount": 5}`)
		s.Call(201, "POST", "products", `{"product": "Bowl", "category_ids": [1], "company_id": 1, "price": "8.00"}`)
		s.Call(201, "POST", "options", `{"product_id": 1, "option_name": "Size", "variants": [{"variant_name": "S"}, {"variant_name": "L", "modifier": "1.5"}]}`)
		s.Call(201, "POST", "options", `{"product_id": 1, "option_name": "Text", "option_type": "I"}`)
		for _, body := range []string{
			`{"email": "root@example.org", "user_type": "A", "company_id": 1}`,
			`{"email": "ana@example.org", "user_type": "C", "firstname": "Ana", "lastname": "Petrov", "company_id": 1}`,
			`{"email": "bo@example.com", "user_type": "C", "firstname": "Bo", "lastname": "Adams", "company_id": 1}`,
		} {
			s.Call(201, "POST", "users", body)
		}
		s.made = len(s.Events())
	},
}

// as returns the shop, used as another user.
func (s *shop) as(email string) *shop {
	other := *s
	other.Shop = s.As(email)
	return &other
}

// dump returns all carts with their lines.
func (s *shop) dump() any {
	var all []carts.Cart
	for summary, err := range s.Carts.All(context.Background(), carts.Filter{}) {
		s.Must(err)
		cart, err := s.Carts.Get(context.Background(), summary.UserID)
		s.Must(err)
		all = append(all, cart)
	}
	return all
}

// put puts pieces of a product into a cart, from Go.
func (s *shop) put(owner, product, amount int64, chosen ...string) carts.Cart {
	s.Helper()
	item := carts.Item{ProductID: product, Amount: amount, Options: options.Selection{}}
	for i, value := range chosen {
		item.Options[int64(i+1)] = value
	}
	cart, err := s.Carts.Put(context.Background(), carts.Owner{ID: owner}, item)
	s.Must(err)
	return cart
}

// lines returns the lines of a cart as amount × product with the choices, and the total.
func (s *shop) lines(id int64) string {
	s.Helper()
	return linesOf(s.cart(id))
}

func (s *shop) cart(id int64) carts.Cart {
	s.Helper()
	cart, err := s.Carts.Get(context.Background(), id)
	s.Must(err)
	return cart
}

func linesOf(cart carts.Cart) string {
	var all []string
	for _, l := range cart.Products {
		text := fmt.Sprintf("%d x %d", l.Amount, l.ProductID)
		for option := range int64(3) {
			if chosen := l.Extra.ProductOptions[option]; chosen != "" {
				text += fmt.Sprintf(" %d:%s", option, chosen)
			}
		}
		all = append(all, text)
	}
	return strings.Join(append(all, cart.Total.String()), ", ")
}

func at(id int64) string { return "carts/" + shopapi.FormatID(id) }

func ids(s *shop, query string) string {
	s.Helper()
	return s.List("carts"+query, "user_id")
}
