package carts_test

import (
	"errors"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/store"
)

// TestCarts_BecomeOrders in one transaction: the order has the lines, and the cart is
// gone; if the order is refused, the cart stays.
func TestCarts_BecomeOrders(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := apitest.NewWithStore(t, st, nil)
		post := func(address, body string) {
			t.Helper()
			if a := s.Post("/api/2.0/"+address, body); a.Status != 201 {
				t.Fatalf("POST %s: %d %s", address, a.Status, a.Body)
			}
		}
		post("categories", `{"category": "Cups"}`)
		post("products", `{"product": "Mug", "category_ids": [1], "price": "12.50", "amount": 3}`)
		post("payments", `{"payment": "Card"}`)
		post("shippings", `{"shipping": "Parcel"}`)
		post("users", `{"email": "ana@example.org", "user_type": "C", "firstname": "Ana", "b_city": "Riga", "s_city": "Riga"}`)
		ctx, customer := t.Context(), int64(2)
		put := func(owner, amount int64) carts.Cart {
			t.Helper()
			cart, err := s.Carts.Put(ctx, carts.Owner{ID: owner, IPAddress: "192.0.2.1"}, carts.Item{ProductID: 1, Amount: amount})
			if err != nil {
				t.Fatal(err)
			}
			return cart
		}
		cart := put(customer, 5)
		_, err := s.Carts.Order(ctx, customer, carts.Checkout{PaymentID: 1, ShippingID: 9})
		var told *shopapi.Error
		if !errors.As(err, &told) || told.Fields["shipping_id"] == "" {
			t.Errorf("a method that there is not: %v", err)
		}
		_, err = s.Carts.Order(ctx, customer, carts.Checkout{PaymentID: 1, ShippingID: 1})
		if !errors.As(err, &told) || told.Fields["products["+shopapi.FormatID(cart.Products[0].ItemID)+"]"] == "" {
			t.Errorf("more than there is: %v", err)
		}
		if _, err := s.Carts.Change(ctx, customer, cart.Products[0].ItemID, 2); err != nil {
			t.Fatal("the cart is gone:", err)
		}
		order, err := s.Carts.Order(ctx, customer, carts.Checkout{PaymentID: 1, ShippingID: 1, Notes: "Ring twice"})
		if err != nil {
			t.Fatal(err)
		}
		if order.Total.String() != "25.00" || order.UserID != customer || order.Shipping.City != "Riga" || order.Notes != "Ring twice" || order.IPAddress != "192.0.2.1" {
			t.Errorf("the order is %+v", order)
		}
		if _, err := s.Carts.Get(ctx, customer); !errors.Is(err, shopapi.ErrNotFound) {
			t.Errorf("the cart is there still: %v", err)
		}
		if _, err := s.Carts.Order(ctx, customer, carts.Checkout{PaymentID: 1, ShippingID: 1}); !errors.Is(err, shopapi.ErrNotFound) {
			t.Errorf("an order of no cart: %v", err)
		}

		put(guest, 1)
		home := orders.Address{FirstName: "Eve", LastName: "Moreau", Street: "Quai 1", City: "Lyon", Country: "FR", Zipcode: "69001"}
		order, err = s.Carts.Order(ctx, guest, carts.Checkout{PaymentID: 1, ShippingID: 1, Customer: &orders.Customer{Email: "eve@example.org", Billing: home, Shipping: home}})
		if err != nil || order.UserID != 0 || order.FirstName != "Eve" || order.Total.String() != "12.50" {
			t.Errorf("a guest's order is %+v, %v", order, err)
		}
		if p, err := s.Products.Get(ctx, 1); err != nil || p.Amount != 0 {
			t.Errorf("%d are left, %v", p.Amount, err)
		}
	})
}
