package orders_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// A storefront computes the cost of a cart, places an order, and lists the orders of a
// customer. The back office sets the status; the goods of a cancelled order return to the
// stock.
func Example() {
	ctx := context.Background()
	s, err := shop.New(ctx, memory.New(), nil)
	check(err)
	mug, payment, shipping, customer := stock(ctx, s)

	cart := orders.Purchase{
		UserID: customer, PaymentID: payment, ShippingID: shipping,
		Lines: []orders.PurchaseLine{{Key: "mug", ProductID: mug, Amount: 3}},
	}
	quote, err := s.Orders.Quote(ctx, cart)
	check(err)
	fmt.Println("to pay:", quote.Order.Total, "with", quote.Order.ShippingCost, "for shipping")

	order, err := s.Orders.Place(ctx, cart)
	check(err)
	fmt.Println("order", order.OrderID, "of", order.FirstName, "has the status", order.Status)

	_, err = s.Orders.Place(ctx, cart)
	var refused *shopapi.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Fields["products[mug]"])
	}

	_, err = s.Orders.SetStatus(ctx, order.OrderID, orders.Cancelled, orders.Notify{User: true})
	check(err)
	second, err := s.Orders.Place(ctx, cart)
	check(err)
	_, err = s.Orders.SetStatus(ctx, second.OrderID, orders.Complete, orders.Notify{User: true})
	check(err)

	list, n, err := s.Orders.Find(ctx, orders.Filter{UserID: &customer})
	check(err)
	fmt.Println(n, "orders:")
	for _, o := range list {
		fmt.Println(o.OrderID, o.Status, o.Total)
	}
	// Output:
	// to pay: 42.50 with 5.00 for shipping
	// order 1 of Ana has the status O
	// asks for 3 of product 1 (Clay mug), of which there are 1 in stock
	// 2 orders:
	// 2 C 42.50
	// 1 I 42.50
}

// stock creates a product, a payment method, a shipping method and a customer.
func stock(ctx context.Context, s *shop.Shop) (product, payment, shipping, customer int64) {
	category, err := s.Categories.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Cups"}})
	check(err)
	mug := products.Product{}
	mug.Name, mug.Price, mug.Amount, mug.CategoryIDs = "Clay mug", decimal.MustParse("12.50"), 4, []int64{category.CategoryID}
	mug, err = s.Products.Create(ctx, mug)
	check(err)
	invoice, err := s.Payments.Create(ctx, payments.Payment{Name: "Invoice"})
	check(err)
	rates, err := shippings.RatesOf(shippings.Rate{DestinationID: 1, ByCost: []shippings.Step{{Value: decimal.MustParse("5")}}})
	check(err)
	post, err := s.Shippings.Create(ctx, shippings.Shipping{Summary: shippings.Summary{Name: "Post"}, Rates: rates})
	check(err)
	ana, err := s.Users.Create(ctx, users.User{Summary: users.Summary{Email: "ana@example.org", UserType: shopapi.Customer, FirstName: "Ana"}}, "")
	check(err)
	return mug.ProductID, invoice.PaymentID, post.ShippingID, ana.UserID
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
