package orders_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
)

// The worked examples of package pricing, as orders: an order with options, shipping
// by piece, a tax and a surcharge (decisions §18).
func TestOrders_WorkedExample(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.made("orders", fmt.Sprintf(`{"user_id": %s, "payment_id": 1, "shipping_id": 1, "products": {
			"1": {"amount": 2, "product_options": {"1": 2, "2": 4}}, "2": {"amount": "1"}}}`, w.user()))
		o := w.get(id)
		// 12.50 + 1.50 + 10 % of 12.50 = 15.25; 2 × 15.25 + 18.00 = 48.50; shipping 5.00 + 3 × 0.50;
		// tax 20 % of 30.50 and of 18.00; surcharge 3 % of 48.50 + 6.50.
		want := map[string]string{"subtotal": "48.5", "shipping": "6.50", "tax": "9.7", "surcharge": "1.65", "total": "66.35", "mug": "15.25", "mug tax": "6.1"}
		mug := w.line(id, "1")
		got := map[string]string{"subtotal": o.Subtotal.String(), "shipping": o.Shipping, "tax": o.Tax.String(), "surcharge": o.Surcharge, "total": o.Total, "mug": mug.Price, "mug tax": mug.Tax.String()}
		if diff := cmp.Diff(want, got); diff != "" {
			w.t.Error(diff)
		}
	})
}

// Two taxes of different priority, and an included tax (decisions §20).
func TestOrders_WorkedExampleOfTaxes(t *testing.T) {
	eachStore(t, func(w *world) {
		included := w.made("taxes", `{"tax": "Included", "price_includes_tax": "Y", "rates": [{"rate_value": 20}, {"rate_value": 20, "apply_to": "S"}]}`)
		added := w.made("taxes", `{"tax": "Added", "priority": 1, "rates": [{"rate_value": 5}]}`)
		product := w.made("products", `{"product": "Vase", "category_ids": [1], "price": 24, "amount": 9, "tax_ids": "`+included+`,`+added+`"}`)
		shipping := w.made("shippings", `{"shipping": "Van", "tax_ids": [`+included+`], "rates": {"rate_value": {"C": {"0": {"value": 6}}}}}`)
		id := w.made("orders", fmt.Sprintf(`{"user_id": %s, "payment_id": 2, "shipping_id": %s, "products": {"%s": {"amount": 1}}}`, w.user(), shipping, product))
		o := w.get(id)
		// 24.00 / 1.20 = 20.00; 5 % of 20.00 + 4.00 = 1.20; the tax in 6.00 is 1.00.
		if o.Total != "31.20" || o.Tax.String() != "1.2" || o.Shipping != "6.00" {
			w.t.Errorf("got %+v", o)
		}
		var taxes struct {
			Taxes map[string]struct {
				TaxSubtotal float64 `json:"tax_subtotal"`
				Applies     struct{ P, S float64 }
			}
		}
		w.Get("/api/2.0/orders/" + id).Decode(&taxes)
		if in := taxes.Taxes[included]; in.TaxSubtotal != 5 || in.Applies.P != 4 || in.Applies.S != 1 {
			w.t.Errorf("the included tax is %+v", in)
		}
	})
}

// POST takes a registered user, whose profile has the addresses, or a guest (decisions
// §18).
func TestOrders_RegisteredUsersAndGuests(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.made("orders", fmt.Sprintf(`{"user_id": "%s", "payment_id": "2", "shipping_id": "1", "user_data": %s,
			"products": {"1": {"product_id": "1", "amount": "1", "product_options": {}}}}`, w.user(), guest))
		if o := w.get(id); o.FirstName != "Ana" || o.City != "Riga" || o.Status != "O" {
			w.t.Errorf("the order of Ana is %+v", o)
		}
		id = w.made("orders", `{"user_id": 0, "payment_id": 2, "shipping_id": 1, "status": "C", "products": {"2": {"amount": 1}}, "user_data": `+guest+`}`)
		if o := w.get(id); o.FirstName != "Bo" || o.City != "Oslo" || o.Status != "O" {
			w.t.Errorf("the order of Bo is %+v", o)
		}
		missing := []string{"user_data[email]"}
		for _, name := range []string{"firstname", "lastname", "address", "city", "country", "zipcode"} {
			missing = append(missing, "user_data[b_"+name+"]", "user_data[s_"+name+"]")
		}
		w.refuses("POST", "orders", `{"payment_id": 2, "shipping_id": 1, "products": {"2": {"amount": 1}}, "user_data": {"phone": "1"}}`, missing...)
		w.refuses("POST", "orders", `{"payment_id": 2, "shipping_id": 1, "products": {"2": {"amount": 1}}}`, "user_id")
	})
}

// In the live dialect, missing fields of one address of a guest are copied from the other
// (decisions §18).
func TestOrders_LiveGuestsGiveOneAddress(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Dialect: shopapi.DialectLive}, func(w *world) {
		id := w.made("orders", `{"payment_id": 2, "shipping_id": 1, "products": {"2": {"amount": 1}}, "user_data": {"email": "bo@example.org",
			"b_firstname": "Bo", "b_lastname": "Adams", "b_address": "Road 1", "b_city": "Oslo", "b_country": "NO", "b_zipcode": "0150"}}`)
		if o := w.get(id); o.City != "Oslo" {
			w.t.Errorf("got %+v", o)
		}
	})
}

// The same product and options are one line; other options are another (decisions
// §18).
func TestOrders_LinesOfOneProduct(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"a": {"product_id": 1, "amount": 1}, "b": {"product_id": 1, "amount": 2, "product_options": []}, "c": {"product_id": 1, "amount": 3, "product_options": {"2": "4"}}}`)
		amounts := map[string]bool{}
		for key, l := range w.get(id).Products {
			amounts[l.Amount] = true
			if key != l.ItemID {
				w.t.Errorf("the line %s stands under %s", l.ItemID, key)
			}
		}
		if diff := cmp.Diff(map[string]bool{"3": true}, amounts); diff != "" || len(w.get(id).Products) != 2 {
			w.t.Errorf("the amounts are %v", amounts)
		}
		w.wantStock("six mugs", "4 5 5 3 2")
	})
}

// A product that cannot be ordered is a 400 that names the line and the allowed values,
// and changes nothing (decisions §18).
func TestOrders_BadInput(t *testing.T) {
	eachStore(t, func(w *world) {
		w.made("exceptions", `{"product_id": 1, "combination": {"1": 2, "2": 3}}`)
		w.made("options", `{"product_id": 2, "option_name": "Lid", "required": "Y", "variants": [{"variant_name": "wood"}]}`)
		user := w.user()
		order := func(rest string) string {
			return `{"user_id": ` + user + `, "payment_id": 2, "shipping_id": 1, ` + rest + `}`
		}
		line := func(rest string) string { return order(`"products": {"1": {` + rest + `}}`) }
		for _, c := range []struct {
			payload string
			fields  []string
		}{
			{`{"user_id": -5, "payment_id": 2, "shipping_id": 1, "products": {"1": {"amount": 1}}}`, []string{"user_id"}}, // no guest
			{order(`"notes": "x"`), []string{"products"}},
			{order(`"products": {}`), []string{"products"}},
			{order(`"products": []`), []string{"products"}},
			{order(`"products": "1"`), []string{"products"}},
			{order(`"products": {"1": 2}`), []string{"products"}},
			{order(`"products": {"99": {"amount": 1}}`), []string{"products[99]"}},
			{order(`"products": {"x": {"amount": 1}}`), []string{"products[x][product_id]"}},
			{order(`"products": [{"amount": 1}]`), []string{"products[0][product_id]"}},
			{line(`"product_options": {}`), []string{"products[1][amount]"}},
			{line(`"amount": 0`), []string{"products[1][amount]"}},
			{line(`"amount": -1`), []string{"products[1][amount]"}},
			{line(`"amount": 1.5`), []string{"products[1][amount]"}},
			{line(`"amount": "many"`), []string{"products[1][amount]"}},
			{line(`"amount": 1000000000`), []string{"products[1][amount]"}},
			{line(`"amount": 11`), []string{"products[1]"}},
			{line(`"amount": 1, "product_options": "x"`), []string{"products[1][product_options]"}},
			{line(`"amount": 1, "product_options": {"9": 1}`), []string{"products[1][product_options]"}},
			{line(`"amount": 1, "product_options": {"1": 3}`), []string{"products[1][product_options]"}},
			{line(`"amount": 1, "product_options": {"1": 2, "2": 3}`), []string{"products[1][product_options]"}},
			{order(`"products": {"2": {"amount": 1}}`), []string{"products[2][product_options]"}},
			{order(`"products": {"3": {"amount": 1}}`), []string{"products[3]"}},
			{order(`"products": {"3": {"amount": 4, "product_options": {"3": 5}}}`), []string{"products[3]"}},
			{order(`"products": {"4": {"amount": 999999999}}, "subtotal_discount": 1`), nil},
			{order(`"products": {"1": {"amount": 1}}, "subtotal_discount": "12.51"`), []string{"subtotal_discount"}},
			{order(`"products": {"1": {"amount": 1}}, "subtotal_discount": "-1"`), []string{"subtotal_discount"}},
			{order(`"products": {"1": {"amount": 1}}, "subtotal_discount": "1.001"`), []string{"subtotal_discount"}},
			{`{"user_id": 99, "payment_id": 99, "shipping_id": 99, "products": {"1": {"amount": 1}}}`, []string{"user_id", "payment_id", "shipping_id"}},
			{`{"user_id": "x", "payment_id": "x", "shipping_id": "x", "products": {"1": {"amount": 1}}, "user_data": ` + guest + `}`, []string{"user_id", "payment_id", "shipping_id"}},
			{`{"user_id": ` + user + `, "products": {"1": {"amount": 1}}}`, []string{"payment_id", "shipping_id"}},
			{`{"user_id": ` + user + `, "payment_id": 3, "shipping_id": 4, "products": {"1": {"amount": 1}}}`, []string{"payment_id", "shipping_id"}},
			{`{"user_id": ` + user + `, "payment_id": 2, "shipping_id": 2, "products": {"1": {"amount": 5}}}`, []string{"shipping_id"}},
			{`{"user_id": ` + user + `, "payment_id": 2, "shipping_id": 3, "products": {"1": {"amount": 5}}}`, []string{"shipping_id"}},
			{`{"user_id": ` + user + `, "payment_id": 2, "shipping_id": [1, 2], "products": {"1": {"amount": 5}}}`, nil},
		} {
			if c.fields == nil {
				if a := w.Post("/api/2.0/orders", c.payload); a.Status != 400 && a.Status != 201 {
					w.t.Errorf("%s: %d %s", c.payload, a.Status, a.Body)
				}
				continue
			}
			w.refuses("POST", "orders", c.payload, c.fields...)
		}
	})
}

// An order whose total no column holds is a 400 (decisions §18).
func TestOrders_AmountsBeyondTheMaximum(t *testing.T) {
	eachStore(t, func(w *world) {
		dear := w.made("products", `{"product": "Jewel", "category_ids": [1], "price": "99999999", "tracking": "D"}`)
		w.refuses("POST", "orders", w.order(`{"`+dear+`": {"amount": 999999999}}`), "products")
	})
}
