package orders_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// Quote returns the cost of a cart, and all reasons for which a storefront must refuse
// it, by the keys of the lines (decisions §18). An administrator may order it
// nevertheless.
func TestOrders_Quote(t *testing.T) {
	eachStore(t, func(w *world) {
		q, err := w.Orders.Quote(t.Context(), orders.Purchase{
			PaymentID: 1, ShippingID: 1,
			Lines: []orders.PurchaseLine{{ProductID: 1, Amount: 2, Selection: options.Selection{1: "2", 2: "4"}}, {ProductID: 2, Amount: 1}},
		})
		if err != nil || q.Order.Total.String() != "66.35" {
			w.t.Fatalf("the quote is %v, %v", q.Order.Total, err)
		}
		w.wantStock("a quote", "10 5 5 3 2")
		if q, err = w.Orders.Quote(t.Context(), orders.Purchase{Lines: []orders.PurchaseLine{{ProductID: 2, Amount: 1}}}); err != nil || q.Order.Total.String() != "21.60" {
			w.t.Errorf("without methods the quote is %v, %v", q.Order.Total, err)
		}
		w.made("products", `{"product": "Free", "category_ids": [1], "amount": 9}`)
		w.Put("/api/2.0/products/1", `{"min_qty": 2}`)
		w.Put("/api/2.0/products/2", `{"status": "D"}`)
		w.Put("/api/2.0/products/3", `{"max_qty": 1}`)
		w.Put("/api/2.0/products/4", `{"qty_step": 5}`)
		cart := orders.Purchase{Customer: &orders.Customer{}, Lines: []orders.PurchaseLine{
			{Key: "mug", ProductID: 1, Amount: 1}, {Key: "bowl", ProductID: 2, Amount: 1}, {Key: "plate", ProductID: 3, Amount: 2, Selection: options.Selection{3: "5"}},
			{Key: "pattern", ProductID: 4, Amount: 3}, {Key: "free", ProductID: 5, Amount: 1}, {Key: "gone", ProductID: 99, Amount: 1}, {Key: "none", ProductID: 1},
		}}
		_, err = w.Orders.Quote(t.Context(), cart)
		want := []string{"products[bowl]", "products[free]", "products[gone]", "products[mug][amount]", "products[none][amount]", "products[pattern][amount]", "products[plate][amount]"}
		if diff := cmp.Diff(want, fieldsOf(err)); diff != "" {
			w.t.Error(diff)
		}
		if _, err := w.Orders.Create(t.Context(), orders.Purchase{UserID: w.userID(), PaymentID: 2, ShippingID: 1, Lines: []orders.PurchaseLine{{ProductID: 2, Amount: 1}}}); err != nil {
			w.t.Errorf("Create: %v", err)
		}
		if _, err := w.Orders.Place(t.Context(), orders.Purchase{UserID: w.userID(), PaymentID: 2, ShippingID: 1, Lines: []orders.PurchaseLine{{ProductID: 2, Amount: 1}}}); err == nil {
			w.t.Error("Place takes a product that is not on sale")
		}
	})
}

// userID is user as a number.
func (w *world) userID() int64 {
	w.t.Helper()
	id, err := shopapi.ParseID("user", w.user())
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// fieldsOf are the names of the fields that an error is about, sorted.
func fieldsOf(err error) []string {
	var told *shopapi.Error
	if !errors.As(err, &told) {
		return nil
	}
	return slices.Sorted(maps.Keys(told.Fields))
}

// Go code changes lines, methods and customer of an order by the same rules.
func TestOrders_GoUpdate(t *testing.T) {
	eachStore(t, func(w *world) {
		o, err := w.Orders.Create(t.Context(), orders.Purchase{UserID: w.userID(), PaymentID: 2, ShippingID: 1, Timestamp: 1_600_000_000, Lines: []orders.PurchaseLine{{ProductID: 2, Amount: 1}}})
		if err != nil || o.Timestamp != 1_600_000_000 || o.Total.String() != "27.10" {
			w.t.Fatalf("placed %+v, %v", o, err)
		}
		o, err = w.Orders.Update(t.Context(), o.OrderID, func(o *orders.Order) error {
			o.Lines[0].Amount = 99 // is not how lines are changed
			o.Change = &orders.Change{
				Lines: []orders.PurchaseLine{{ProductID: 2, Amount: 2}}, ShippingID: 2,
				Customer: func(c *orders.Customer) { c.FirstName = "Anna" },
			}
			return nil
		})
		if err != nil || o.Total.String() != "47.20" || o.FirstName != "Anna" || o.Lines[0].Amount != 2 {
			w.t.Errorf("changed %+v, %v", o, err)
		}
		w.wantStock("two bowls", "10 3 5 3 2")
		list, total, err := w.Orders.Find(t.Context(), orders.Filter{UserID: &o.UserID})
		if err != nil || total != 1 || list[0].OrderID != o.OrderID {
			w.t.Errorf("the orders of a customer are %v, %v", list, err)
		}
	})
}

// The observer receives the former and the new status, and whom to notify (decisions
// §18).
func TestOrders_EventsHaveStatuses(t *testing.T) {
	w := newWorld(t, memory.New(), shopapi.Options{})
	id := w.place(`{"2": {"amount": 1}}`)
	w.put(id, `{"status":"C","notify_user":true}`)
	w.put(id, `{"status":"I","notify_department":"Y","notify_vendor":"1"}`)
	w.put(id, `{"notify_user":"Y"}`)
	var got []any
	for _, e := range w.Events() {
		if e.Entity == "orders" {
			got = append(got, e.Detail)
		}
	}
	want := []any{
		orders.StatusChange{OrderID: 1, To: "O"},
		orders.StatusChange{OrderID: 1, From: "O", To: "C", Notify: orders.Notify{User: true}},
		orders.StatusChange{OrderID: 1, From: "C", To: "I", Notify: orders.Notify{Department: true, Vendor: true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	w.refuses("PUT", "orders/"+id, `{"notify_user": "perhaps"}`, "notify_user")
}

// Hooks run for orders and each part of one.
func TestOrders_Hooks(t *testing.T) {
	w := newWorld(t, memory.New(), shopapi.Options{})
	w.Orders.BeforeSave(func(_ context.Context, _ store.Tx, old, after *orders.Order) error {
		if old == nil && after.Total.String() == "27.10" {
			return shopapi.Invalid("products", "must not be bowls today")
		}
		return nil
	})
	w.refuses("POST", "orders", w.order(`{"2": {"amount": 1}}`), "products")
	w.place(`{"2": {"amount": 2}}`)
}

// A hook changes the customer and the lines of an order by Change, and its notes; amounts
// and stock follow.
func TestE13_BeforeSave_Orders(t *testing.T) {
	eachStore(t, func(w *world) {
		w.Orders.BeforeSave(func(_ context.Context, _ store.Tx, old, after *orders.Order) error {
			if old == nil && after.FirstName == "Ana" {
				after.Details = "total " + after.Total.String()
				after.Change = &orders.Change{Customer: func(c *orders.Customer) { c.FirstName = "Anna" }}
			}
			if after.Notes == "two" {
				after.Change = &orders.Change{Lines: []orders.PurchaseLine{{ProductID: 2, Amount: 2}}}
			}
			return nil
		})
		id := w.place(`{"2": {"amount": 1}}`)
		n, _ := shopapi.ParseID("order", id)
		o, err := w.Orders.Get(t.Context(), n)
		if err != nil || o.FirstName != "Anna" || o.Details != "total 27.10" || o.Lines[0].Amount != 1 {
			w.t.Errorf("placed %+v, %v", o, err)
		}
		w.wantStock("one bowl", "10 4 5 3 2")
		w.put(id, `{"notes": "two"}`)
		if o, err = w.Orders.Get(t.Context(), n); err != nil || o.Lines[0].Amount != 2 || o.Notes != "two" {
			w.t.Errorf("changed %+v, %v", o, err)
		}
		w.wantStock("two bowls", "10 3 5 3 2")
	})
}

// Hooks after a save get a parent order and each of its parts with their ids, also where a
// part changes only the sums of its parent.
func TestE13_AfterSave_OrdersOfSeveralVendors(t *testing.T) {
	w := newWorld(t, memory.New(), shopapi.Options{Edition: shopapi.MultiVendor})
	w.made("products", `{"product": "Vase", "category_ids": [1], "company_id": 2, "price": "40", "amount": 5, "is_edp": "Y"}`)
	var saved []string
	w.Orders.AfterSave(func(_ context.Context, _ store.Tx, old, after *orders.Order) error {
		saved = append(saved, fmt.Sprint(old == nil, after.OrderID, after.Subtotal))
		return nil
	})
	parent := w.place(`{"4": {"amount": 1}, "5": {"amount": 1}}`)
	if diff := cmp.Diff([]string{"true 2 5.00", "true 3 40.00", "true 1 45.00"}, saved); diff != "" {
		t.Errorf("order %s: %s", parent, diff)
	}
	saved = nil
	w.put("3", `{"products": {"5": {"amount": 2}}}`)
	if diff := cmp.Diff([]string{"false 1 85.00", "false 3 80.00"}, saved); diff != "" {
		t.Error(diff)
	}
}

// The setting order_required_fields says which fields of addresses the order of a guest
// needs; the e-mail address is always needed.
func TestOrders_27_RequiredFields(t *testing.T) {
	eachStore(t, func(w *world) {
		guest := func(data string) string {
			return `{"user_id": 0, "payment_id": 2, "shipping_id": 1, "products": {"2": {"amount": 1}}, "user_data": {` + data + `}}`
		}
		const short = `"email": "eve@example.org", "b_lastname": "Berg", "s_lastname": "Berg", "b_address": "Quay 1", "s_address": "Quay 1"`
		w.refuses("POST", "orders", guest(short), "user_data[b_city]", "user_data[b_country]", "user_data[b_firstname]", "user_data[b_zipcode]",
			"user_data[s_city]", "user_data[s_country]", "user_data[s_firstname]", "user_data[s_zipcode]")
		set := func(value string) error {
			return w.Settings.Set(t.Context(), 0, shopapi.SettingOrderRequiredFields, value)
		}
		for _, wrong := range []string{"b_city", "email", "lastname,,address", "Lastname"} {
			if fields := fieldsOf(set(wrong)); len(fields) != 1 || fields[0] != "value" {
				t.Errorf("the value %q is refused as %v", wrong, fields)
			}
		}
		if err := set("lastname, address"); err != nil {
			t.Fatal(err)
		}
		w.made("orders", guest(short))
		w.refuses("POST", "orders", guest(`"email": "eve@example.org", "b_lastname": "Berg", "s_lastname": "Berg", "b_address": "Quay 1"`), "user_data[s_address]")
		if err := set(""); err != nil {
			t.Fatal(err)
		}
		w.made("orders", guest(`"email": "eve@example.org"`))
		w.refuses("POST", "orders", guest(`"b_city": "Oslo"`), "user_data[email]")
	})
}

// A PUT does not empty the fields that the order of a guest needs; what the order lacks already it may
// lack, and a registered user's order needs none of them (decisions §27).
func TestOrders_27_RequiredFieldsOfChanges(t *testing.T) {
	eachStore(t, func(w *world) {
		order := func(data string) string {
			return w.made("orders", `{"user_id": 0, "payment_id": 2, "shipping_id": 1, "products": {"2": {"amount": 1}}, "user_data": `+data+`}`)
		}
		set := func(value string) {
			w.t.Helper()
			if err := w.Settings.Set(t.Context(), 0, shopapi.SettingOrderRequiredFields, value); err != nil {
				w.t.Fatal(err)
			}
		}
		id := order(guest)
		w.refuses("PUT", "orders/"+id, `{"user_data": {"email": "", "b_lastname": "", "s_zipcode": " ", "phone": "", "b_state": ""}}`,
			"user_data[email]", "user_data[b_lastname]", "user_data[s_zipcode]")
		w.put(id, `{"user_data": {"b_phone": "", "s_county": ""}}`)
		set("lastname")
		w.put(id, `{"user_data": {"s_zipcode": ""}}`)
		w.refuses("PUT", "orders/"+id, `{"user_data": {"s_lastname": ""}}`, "user_data[s_lastname]")
		set("lastname, zipcode")
		w.put(id, `{"user_data": {"s_zipcode": "", "s_city": "Moss"}, "status": "C"}`)
		if o := w.get(id); o.City != "Moss" || o.Status != "C" {
			w.t.Errorf("an order that lacks a field is %+v", o)
		}
		w.put(w.place(`{"2": {"amount": 1}}`), `{"user_data": {"s_lastname": "", "email": ""}}`)
	})
}

// Go code says in one field who orders: for a guest, for a user whose profile lacks
// something, and where the program has users of its own.
func TestPurchase_Customer(t *testing.T) {
	eachStore(t, func(w *world) {
		home := orders.Address{FirstName: "Eve", LastName: "Berg", Street: "Quay 1", City: "Oslo", Country: "NO", Zipcode: "0150"}
		eve := &orders.Customer{FirstName: "Eve", Email: "eve@example.org", Phone: "47", Billing: home, Shipping: home}
		for _, user := range []int64{0, w.userID()} {
			order, err := w.Orders.Place(t.Context(), orders.Purchase{
				UserID: user, Customer: eve, PaymentID: 2, ShippingID: 1, Lines: []orders.PurchaseLine{{ProductID: 2, Amount: 1}},
			})
			if err != nil || order.UserID != user || order.Email != "eve@example.org" || order.Phone != "47" || order.Billing != home || order.FirstName != "Eve" {
				t.Errorf("the order of user %d is %+v, %v", user, order, err)
			}
			if user != 0 && order.LastName != "Petrov" {
				t.Errorf("the last name is %q, want that of the profile", order.LastName)
			}
		}
	})
}

// A purchase of a user may bring addresses of its own, and an address of which nothing
// is known is that of the other (decisions §26).
func TestOrders_26_AddressesFromGo(t *testing.T) {
	eachStore(t, func(w *world) {
		home := orders.Address{FirstName: "Ana", Street: "Quay 1", City: "Oslo", Country: "NO", Zipcode: "0150"}
		p := orders.Purchase{
			UserID: w.userID(), PaymentID: 2, ShippingID: 1, Customer: &orders.Customer{Email: "other@example.org", Shipping: home},
			Lines: []orders.PurchaseLine{{ProductID: 2, Amount: 1}},
		}
		order, err := w.Orders.Place(t.Context(), p)
		if err != nil || order.Shipping != home || order.Billing.City != "Riga" || order.Email != "other@example.org" || order.FirstName != "Ana" {
			w.t.Errorf("the order is %+v, %v", order, err)
		}
		p.Customer.Shipping.Country = "Norway"
		if _, err := w.Orders.Place(t.Context(), p); err == nil {
			w.t.Error("a country that is no code is taken")
		}
		w.Put("/api/2.0/users/"+w.user(), `{"s_city": "", "s_country": "", "s_address": ""}`)
		p.Customer = nil
		order, err = w.Orders.Place(t.Context(), p)
		if err != nil || order.Shipping.City != "Riga" || order.Shipping != order.Billing {
			w.t.Errorf("without a shipping address the order is %+v, %v", order, err)
		}
	})
}

// A program with users of its own gives the profile with the order: the entity users of the
// host has what it has, and without one the request has all of it (decisions §18).
func TestPurchase_CustomerOfTheHost(t *testing.T) {
	t.Parallel()
	for name, host := range map[string]*shoptest.Host{
		"with an entity":    {Name: "users", Objects: map[string]any{"7": map[string]any{"user_id": "7", "firstname": "Ida", "lastname": "Moe", "email": "ida@example.org"}}},
		"without an entity": nil,
	} {
		t.Run(name, func(t *testing.T) {
			nobody := shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
				return nil, shopapi.ErrBadCredentials
			})
			s, err := shop.New(t.Context(), memory.New(), &shop.Options{Options: shopapi.Options{Authenticator: nobody}, Without: []string{"users"}})
			if err == nil && host != nil {
				err = s.Register(host)
			}
			if err != nil {
				t.Fatal(err)
			}
			var product products.Product
			product.Name, product.Price, product.IsEDP, product.Tracking = "Song", decimal.MustParse("5"), true, products.DoNotTrack
			category, err := s.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "Music", CompanyID: 1}})
			if err != nil {
				t.Fatal(err)
			}
			product.CategoryIDs = []int64{category.CategoryID}
			if product, err = s.Products.Create(t.Context(), product); err != nil {
				t.Fatal(err)
			}
			payment, err := s.Payments.Create(t.Context(), payments.Payment{Name: "Card"})
			if err != nil {
				t.Fatal(err)
			}
			home := orders.Address{FirstName: "Ida", City: "Oslo", Country: "NO"}
			buy := orders.Purchase{
				UserID: 7, Customer: &orders.Customer{FirstName: "Ida", Email: "ida.moe@example.org", Billing: home},
				PaymentID: payment.PaymentID, Lines: []orders.PurchaseLine{{ProductID: product.ProductID, Amount: 1}},
			}
			o, err := s.Orders.Place(t.Context(), buy)
			if err != nil || o.UserID != 7 || o.Email != "ida.moe@example.org" || o.Billing != home || o.Shipping != home {
				t.Fatalf("the order is %+v, %v", o, err)
			}
			if want := map[bool]string{true: "Moe"}[host != nil]; o.LastName != want {
				t.Errorf("the last name is %q, want %q", o.LastName, want)
			}
			buy.UserID = 8
			if _, err := s.Orders.Place(t.Context(), buy); (err != nil) != (host != nil) {
				t.Errorf("a user whom the host does not know: %v", err)
			}
		})
	}
}
