package orders_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// A world is a shop with what orders are made of:
//
//	products    1 Clay mug 12.50, 0.5 kg, 10 in stock, in the options 1 Engraving (1 none, 2 1.50 more) and 2 Size (3 S, 4 L 10 % more)
//	            2 Bowl 18.00, 0.8 kg, 5 in stock; 3 Plate 8.00 with stock by the option 3 Glaze (5 Blue: 3, 6 Green: 2)
//	            4 Pattern 5.00, a download without stock
//	tax 1       20 % on products 1 and 2; payment 1 costs 3 %, payment 2 nothing and payment 3 is disabled
//	shipping    1 5.00 and 0.50 for each piece; 2 up to 2 kg, 4.00; 3 to destination 7 alone; 4 is disabled
//	users       1 Ana Petrov of Riga
type world struct {
	*apitest.Shop
	t  *testing.T
	st store.Store
}

const guest = `{"email": "bo@example.org", "b_firstname": "Bo", "b_lastname": "Adams", "b_address": "Road 1", "b_city": "Oslo", "b_country": "NO", "b_zipcode": "0150",
	"s_firstname": "Bo", "s_lastname": "Adams", "s_address": "Road 1", "s_city": "Oslo", "s_country": "NO", "s_zipcode": "0150"}`

func newWorld(t *testing.T, st store.Store, o shopapi.Options) *world {
	t.Helper()
	w := &world{apitest.NewWithStore(t, st, &shop.Options{Options: o}), t, st}
	if o.Edition == shopapi.MultiVendor {
		w.addVendors()
	}
	w.made("categories", `{"category": "Clay", "company_id": 1}`)
	w.made("taxes", `{"tax": "VAT", "regnumber": "VAT-7", "rates": [{"rate_value": 20}]}`)
	w.made("products", `{"product": "Clay mug", "product_code": "M-1", "category_ids": [1], "company_id": 1, "price": "12.50", "weight": "0.5", "amount": 10, "tax_ids": "1"}`)
	w.made("products", `{"product": "Bowl", "product_code": "B-1", "category_ids": [1], "company_id": 1, "price": "18", "weight": "0.8", "amount": 5, "tax_ids": "1"}`)
	w.made("products", `{"product": "Plate", "category_ids": [1], "company_id": 1, "price": "8", "tracking": "O"}`)
	w.made("products", `{"product": "Pattern", "category_ids": [1], "company_id": 1, "price": "5", "is_edp": "Y", "tracking": "D"}`)
	w.made("options", `{"product_id": 1, "option_name": "Engraving", "inventory": "N", "variants": [{"variant_name": "none"}, {"variant_name": "text", "modifier": "1.50"}]}`)
	w.made("options", `{"product_id": 1, "option_name": "Size", "inventory": "N", "variants": [{"variant_name": "S"}, {"variant_name": "L", "modifier": "10", "modifier_type": "P"}]}`)
	w.made("options", `{"product_id": 3, "option_name": "Glaze", "variants": [{"variant_name": "Blue"}, {"variant_name": "Green"}]}`)
	w.made("combinations", `{"product_id": 3, "combination": {"3": 5}, "amount": 3}`)
	w.made("combinations", `{"product_id": 3, "combination": {"3": 6}, "amount": 2}`)
	w.made("payments", `{"payment": "Card", "p_surcharge": 3, "processor_params": {"key": "secret"}, "company_id": 1}`)
	w.made("payments", `{"payment": "Cash", "company_id": 1}`)
	w.made("payments", `{"payment": "Cheque", "status": "D", "company_id": 1}`)
	w.made("shippings", `{"shipping": "Post", "delivery_time": "2 days", "rates": {"rate_value": {"C": {"0": {"value": 5}}, "I": {"0": {"value": 0.5, "per_unit": "Y"}}}}}`)
	w.made("shippings", `{"shipping": "Bike", "max_weight": 2, "rates": {"rate_value": {"C": {"0": {"value": 4}}}}}`)
	w.made("shippings", `{"shipping": "Ship", "rates": {"destination_id": 7, "rate_value": {"C": {"0": {"value": 9}}}}}`)
	w.made("shippings", `{"shipping": "Pigeon", "status": "D"}`)
	w.made("users", `{"email": "ana@example.org", "user_type": "C", "company_id": 1, "firstname": "Ana", "lastname": "Petrov", "phone": "371",
		"b_city": "Riga", "b_country": "LV", "s_city": "Riga", "s_country": "LV", "s_address": "Street 5"}`)
	w.Events()
	return w
}

// eachStore runs a test in a world over each store.
func eachStore(t *testing.T, test func(w *world)) {
	eachStoreWith(t, shopapi.Options{}, test)
}

// newMemoryWorld is a world over the memory store.
func newMemoryWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	return newWorld(t, unclosed{shoptest.Memory(t)}, shopapi.Options{})
}

func eachStoreWith(t *testing.T, o shopapi.Options, test func(w *world)) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) { test(newWorld(t, unclosed{st}, o)) })
}

// unclosed is a store that somebody else closes.
type unclosed struct{ store.Store }

func (unclosed) Close() error { return nil }

// made makes an object and returns its id.
func (w *world) made(entity, payload string) string {
	w.t.Helper()
	a := w.Post("/api/2.0/"+entity, payload)
	if a.Status != 201 {
		w.t.Fatalf("POST %s %s: %d %s", entity, payload, a.Status, a.Body)
	}
	var reply map[string]any
	a.Decode(&reply)
	for name, id := range reply {
		if strings.HasSuffix(name, "_id") {
			return fmt.Sprint(id)
		}
	}
	return ""
}

// place places an order of the user 1 by Cash and Post, and returns its id.
func (w *world) place(products string) string {
	w.t.Helper()
	return w.made("orders", w.order(products))
}

func (w *world) order(products string) string {
	return fmt.Sprintf(`{"user_id": %s, "payment_id": 2, "shipping_id": 1, "products": %s}`, w.user(), products)
}

// user is the id of Ana.
func (w *world) user() string {
	w.t.Helper()
	var list struct {
		Users []struct {
			ID string `json:"user_id"`
		}
	}
	w.Get("/api/2.0/users?email=ana@").Decode(&list)
	return list.Users[0].ID
}

// put changes an order.
func (w *world) put(id, payload string) {
	w.t.Helper()
	if a := w.Put("/api/2.0/orders/"+id, payload); a.Status != 200 || a.Body != `{"order_id":"`+id+`"}` {
		w.t.Fatalf("PUT %s: %d %s", payload, a.Status, a.Body)
	}
}

// A shown has the fields of an order that tests check.
type shown struct {
	Status     string
	Total      string
	Subtotal   json.Number
	Discount   string          `json:"discount"`
	OffOrder   string          `json:"subtotal_discount"`
	Tax        json.Number     `json:"tax_subtotal"`
	Surcharge  string          `json:"payment_surcharge"`
	Shipping   string          `json:"shipping_cost"`
	ShippedBy  json.RawMessage `json:"shipment_ids"`
	Products   map[string]shownLine
	FirstName  string `json:"firstname"`
	City       string `json:"s_city"`
	CompanyID  string `json:"company_id"`
	Parent     string `json:"parent_order_id"`
	IsParent   string `json:"is_parent_order"`
	PaymentID  string `json:"payment_id"`
	ShippingID string `json:"shipping_ids"`
}

type shownLine struct {
	ItemID    string `json:"item_id"`
	ProductID string `json:"product_id"`
	Amount    string
	Price     string
	Discount  json.Number
	Subtotal  json.Number
	Tax       json.Number `json:"tax_value"`
	Name      string      `json:"product"`
	Gone      bool        `json:"deleted_product"`
	Shipped   int64       `json:"shipped_amount"`
	Left      string      `json:"shipment_amount"`
}

func (w *world) get(id string) shown {
	w.t.Helper()
	var o shown
	a := w.Get("/api/2.0/orders/" + id)
	if a.Status != 200 {
		w.t.Fatalf("GET of order %s: %d %s", id, a.Status, a.Body)
	}
	a.Decode(&o)
	return o
}

// line is the line of a product in an order.
func (w *world) line(id, product string) shownLine {
	w.t.Helper()
	for _, l := range w.get(id).Products {
		if l.ProductID == product {
			return l
		}
	}
	w.t.Fatalf("order %s has no line of product %s", id, product)
	return shownLine{}
}

// stock is how many there are of the products 1, 2 and 3, and of the two combinations.
func (w *world) stock() string {
	w.t.Helper()
	var list []string
	for _, id := range []string{"1", "2", "3"} {
		list = append(list, w.Get("/api/2.0/products/"+id).Field("amount"))
	}
	var all []struct{ Amount string }
	w.Get("/api/2.0/combinations?product_id=3").Decode(&all)
	for _, c := range all {
		list = append(list, c.Amount)
	}
	return strings.Join(list, " ")
}

func (w *world) wantStock(when, want string) {
	w.t.Helper()
	if got := w.stock(); got != want {
		w.t.Errorf("%s: the stock is %s, want %s", when, got, want)
	}
}

// refuses checks that a request is a 400 about exactly the fields, and that nothing
// changes.
func (w *world) refuses(method, address, payload string, fields ...string) {
	w.t.Helper()
	before := w.everything()
	a := w.Do(method, "/api/2.0/"+address, "application/json", payload)
	var e struct{ Errors map[string]string }
	a.Decode(&e)
	var named []string
	for field := range e.Errors {
		named = append(named, field)
	}
	slices.Sort(named)
	slices.Sort(fields)
	if a.Status != 400 || !slices.Equal(named, fields) {
		w.t.Errorf("%s %s %s: %d %s, want a 400 about %s", method, address, payload, a.Status, a.Body, strings.Join(fields, ", "))
	}
	if after := w.everything(); after != before {
		w.t.Errorf("%s %s %s changed something", method, address, payload)
	}
}

func (w *world) everything() string {
	return w.Get("/api/2.0/orders?include_parent_orders=Y&items_per_page=100").Body + w.Get("/api/2.0/shipments").Body + w.Get("/api/2.0/statuses?items_per_page=100").Body + w.stock()
}
