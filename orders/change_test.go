package orders_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An order keeps what it shows: later changes of product, payment, shipping or tax do not
// alter it; only deleted_product shows the current state (decisions §18).
func TestOrders_KeepShownValues(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"2": {"amount": 2}}`)
		before := w.Get("/api/2.0/orders/" + id).Body
		w.Put("/api/2.0/products/2", `{"product": "Dish", "price": 99, "status": "D"}`)
		w.Put("/api/2.0/payments/2", `{"payment": "Coins", "a_surcharge": 5}`)
		w.Put("/api/2.0/shippings/1", `{"shipping": "Mail"}`)
		w.Put("/api/2.0/taxes/1", `{"tax": "Duty"}`)
		w.Delete("/api/2.0/taxes/1")
		w.Delete("/api/2.0/payments/2")
		w.Delete("/api/2.0/shippings/1")
		w.Delete("/api/2.0/users/" + w.user())
		if diff := cmp.Diff(before, w.Get("/api/2.0/orders/"+id).Body); diff != "" {
			w.t.Error(diff)
		}
		w.Delete("/api/2.0/products/2")
		if l := w.line(id, "2"); !l.Gone || l.Name != "Bowl" {
			w.t.Errorf("the line of a deleted product is %+v", l)
		}
	})
}

// PUT of a GET response is 200 and changes nothing, also if a total was written
// (decisions §5, §18).
func TestOrders_PutOfGet(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 2, "product_options": {"2": 4}}, "3": {"amount": 1, "product_options": {"3": 5}}}`)
		w.put(id, `{"total": "5.55", "notes": "x"}`)
		w.Events()
		before := w.Get("/api/2.0/orders/" + id).Body
		w.put(id, before)
		if diff := cmp.Diff(before, w.Get("/api/2.0/orders/"+id).Body); diff != "" || len(w.Events()) > 0 {
			w.t.Errorf("PUT of what GET answers changed the order:\n%s", diff)
		}
	})
}

// The amounts are computed again when lines, methods or discounts change; a written total
// is kept until then (decisions §18).
func TestOrders_WrittenTotal(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"4": {"amount": 2}}`)
		for _, c := range []struct{ put, total string }{
			{`{"total": 7.5}`, "7.50"},
			{`{"status": "C"}`, "7.50"},
			{`{"user_data": {"s_city": "Bergen"}}`, "7.50"},
			{`{"notes": "x"}`, "7.50"},
			{`{"payment_id": 1}`, "10.30"},
			{`{"subtotal_discount": "1.00"}`, "9.27"},
			{`{"subtotal_discount": "2.00", "total": "1.11"}`, "1.11"},
			{`{"products": {"4": {"amount": 3}}}`, "13.39"},
			{`{"products": {"4": {"amount": 3, "discount": "3"}}}`, "10.30"},
			{`{"products": {"4": {"amount": 3, "price": "4.00"}}}`, "7.21"},
		} {
			w.put(id, c.put)
			if got := w.get(id).Total; got != c.total {
				w.t.Errorf("PUT %s: the total is %s, want %s", c.put, got, c.total)
			}
		}
		w.refuses("PUT", "orders/"+id, `{"total": -1}`, "total")
		w.refuses("PUT", "orders/"+id, `{"total": "10000000000"}`, "total")
		w.refuses("PUT", "orders/"+id, `{"total": "1.005"}`, "total")
		w.refuses("PUT", "orders/"+id, `{"subtotal_discount": "9.01"}`, "subtotal_discount")
		w.refuses("PUT", "orders/"+id, `{"products": {"4": {"amount": 3, "discount": "12.01"}}}`, "products[4][discount]")
		w.refuses("PUT", "orders/"+id, `{"status": "?"}`, "status")
		w.refuses("PUT", "orders/"+id, `{"user_id": 99, "payment_id": 3, "shipping_id": 4}`, "user_id", "payment_id", "shipping_id")
	})
}

// A computation uses the tables of taxes and methods that the order keeps (decisions §26).
func TestOrders_26_TablesOfTheOrder(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`)
		w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 50}]}`)
		w.Put("/api/2.0/shippings/1", `{"rates": {"rate_value": {"C": {"0": {"value": 7}}}}}`)
		w.put(id, `{"subtotal_discount": 8}`) // 10.00, shipping 5.50, 20 % tax
		if o := w.get(id); o.Total != "17.50" || o.Shipping != "5.50" {
			w.t.Errorf("after a discount the order is %+v", o)
		}
		w.put(id, `{"products": {"2": {"amount": 2}}}`) // 28.00, shipping 5.00 and 0.50 a piece, 20 % tax
		if o := w.get(id); o.Total != "39.60" || o.Shipping != "6.00" {
			w.t.Errorf("after another line the order is %+v", o)
		}
	})
}

// The products of a PUT are the full list: keys are line ids, or products of which one
// line has the same options; others are new lines at the current price, or at the given
// price (decisions §18, §26).
func TestOrders_ProductsAreTheFullList(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 1}, "2": {"amount": 1}}`)
		w.Put("/api/2.0/products/1", `{"price": 20}`)
		mug := w.line(id, "1")
		lines := func(put string) map[string]string {
			w.t.Helper()
			w.put(id, put)
			got := map[string]string{}
			for _, l := range w.get(id).Products {
				got[l.ProductID+" at "+l.Price] = l.Amount
			}
			return got
		}
		for _, c := range []struct {
			put  string
			want map[string]string
		}{
			{`{"products": {"` + mug.ItemID + `": {"amount": 2}, "2": {"amount": 1}}}`, map[string]string{"1 at 12.50": "2", "2 at 18.00": "1"}},
			{`{"products": {"1": {"product_id": "1", "amount": "3", "product_options": {}}}}`, map[string]string{"1 at 12.50": "3"}},
			{`{"products": {"1": {"amount": 3}, "x": {"product_id": 1, "amount": 1, "product_options": {"2": 4}}}}`, map[string]string{"1 at 12.50": "3", "1 at 22.00": "1"}},
			{`{"products": {"x": {"product_id": 1, "amount": 2, "product_options": {"2": "4"}}}}`, map[string]string{"1 at 22.00": "2"}},
			{`{"products": {"1": {"amount": 2, "price": 15}}}`, map[string]string{"1 at 15.00": "2"}},
			{`{"products": {"2": {"amount": 1, "price": 1}}}`, map[string]string{"2 at 1.00": "1"}},
		} {
			if diff := cmp.Diff(c.want, lines(c.put)); diff != "" {
				w.t.Errorf("PUT %s:\n%s", c.put, diff)
			}
		}
		w.refuses("PUT", "orders/"+id, `{"products": {}}`, "products")
		w.refuses("PUT", "orders/"+id, `{"products": {"99": {"amount": 1}}}`, "products[99]")
		w.refuses("PUT", "orders/"+id, `{"products": {"2": {"amount": 0}}}`, "products[2][amount]")
		w.wantStock("one bowl is ordered", "10 4 5 3 2")
	})
}

// A key that is an item id names its line: a product_id beside it that is another product is 400, and
// the line stays (decisions §18, §26).
func TestOrders_26_ItemIDsAsKeysComeFirst(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 1}}`)
		mug := w.line(id, "1").ItemID
		w.refuses("PUT", "orders/"+id, `{"products": {"`+mug+`": {"amount": 2, "product_id": "2"}}}`, "products["+mug+"][product_id]")
		if l := w.line(id, "1"); l.ItemID != mug || l.Amount != "1" {
			w.t.Errorf("the line is %+v", l)
		}
		w.put(id, `{"products": {"`+mug+`": {"amount": 2, "product_id": "1"}, "x": {"product_id": "2", "amount": 1}}}`)
		if l := w.line(id, "1"); l.ItemID != mug || l.Amount != "2" {
			w.t.Errorf("the line is %+v", l)
		}
	})
}

// The keys of an array are only numbers: an entry without a product_id does not name the product
// with this number as its id (decisions §18).
func TestOrders_IndexOfAnArrayNamesNoProduct(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	w.refuses("PUT", "orders/"+id, `{"products": [{"product_id": 2, "amount": 1}, {"amount": 3}]}`, "products[1][product_id]")
	w.put(id, `{"products": [{"product_id": 2, "amount": 1}, {"product_id": 4, "amount": 3}]}`)
	if l := w.line(id, "4"); l.Amount != "3" {
		t.Errorf("the new line is %+v", l)
	}
}

// PUT of user_data changes the order's copy alone (decisions §18).
func TestOrders_UserDataIsACopy(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"4": {"amount": 1}}`)
		w.put(id, `{"user_data": {"firstname": "Anna", "s_city": "Cesis", "nothing": "x"}}`)
		if o := w.get(id); o.FirstName != "Anna" || o.City != "Cesis" {
			w.t.Errorf("the order is %+v", o)
		}
		if user := w.Get("/api/2.0/users/" + w.user()); user.Field("firstname") != "Ana" || user.Field("s_city") != "Riga" {
			w.t.Errorf("the user is %s", user.Body)
		}
		w.refuses("PUT", "orders/"+id, `{"user_data": {"email": "x", "b_country": "Latvia"}}`, "user_data[email]", "user_data[b_country]")
	})
}

// Two orders for the last piece at the same moment: one gets it (decisions §18).
func TestOrders_LastPiece(t *testing.T) {
	eachStore(t, func(w *world) {
		w.place(`{"2": {"amount": 4}}`)
		payload := w.order(`{"2": {"amount": 1}}`)
		statuses := make(chan int)
		for range 8 {
			go func() { statuses <- w.Post("/api/2.0/orders", payload).Status }()
		}
		got := map[int]int{}
		for range 8 {
			got[<-statuses]++
		}
		if diff := cmp.Diff(map[int]int{201: 1, 400: 7}, got); diff != "" {
			w.t.Error(diff)
		}
		w.wantStock("all bowls are sold", "10 0 5 3 2")
	})
}

// Entering a status that takes stock takes it, leaving the status returns it, changes
// within the status move the difference, and deleting an order returns its stock
// (decisions §18).
func TestOrders_StockFollowsStatus(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 2}, "3": {"amount": 1, "product_options": {"3": 5}}, "4": {"amount": 7}}`)
		w.wantStock("placed", "8 5 4 2 2")
		for _, c := range []struct{ put, stock string }{
			{`{"status": "C"}`, "8 5 4 2 2"},
			{`{"status": "I"}`, "10 5 5 3 2"},
			{`{"status": "F"}`, "10 5 5 3 2"},
			{`{"products": {"1": {"amount": 9}, "3": {"amount": 1}}}`, "10 5 5 3 2"},
			{`{"status": "P", "products": {"1": {"amount": 3}, "3": {"amount": 2}}}`, "7 5 3 1 2"},
			{`{"products": {"1": {"amount": 1}, "3": {"amount": 3}, "2": {"amount": 5}}}`, "9 0 2 0 2"},
			{`{"products": {"3": {"amount": 2, "product_options": {"3": 6}}}}`, "10 5 3 3 0"},
		} {
			w.put(id, c.put)
			w.wantStock(c.put, c.stock)
		}
		w.refuses("PUT", "orders/"+id, `{"products": {"3": {"amount": 3}}}`, "products[3]")
		other := w.place(`{"1": {"amount": 10}}`)
		w.put(id, `{"status": "D", "products": {"1": {"amount": 1}}}`)
		w.wantStock("declined", "0 5 5 3 2")
		w.refuses("PUT", "orders/"+id, `{"status": "O"}`, "status")
		w.Delete("/api/2.0/orders/" + other)
		w.wantStock("deleted", "10 5 5 3 2")
	})
}

// Editing a status, the tracking of a product or a combination moves nothing; what no
// longer exists gets nothing back (decisions §18).
func TestOrders_ChangesWithoutStockMoves(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 2}, "2": {"amount": 1}, "3": {"amount": 1, "product_options": {"3": 5}}}`)
		w.Put("/api/2.0/statuses/3", `{"params": {"inventory": "I"}}`)
		w.Put("/api/2.0/products/1", `{"tracking": "D"}`)
		w.wantStock("edited", "8 4 4 2 2")
		w.Put("/api/2.0/statuses/3", `{"params": {"inventory": "D"}}`)
		w.Delete("/api/2.0/products/2")
		w.Delete("/api/2.0/combinations/" + w.combination())
		w.put(id, `{"status": "I"}`)
		var amounts []string
		for _, product := range []string{"1", "3"} {
			amounts = append(amounts, w.Get("/api/2.0/products/"+product).Field("amount"))
		}
		if diff := cmp.Diff([]string{"10", "2"}, amounts); diff != "" {
			w.t.Errorf("given back: %s", diff)
		}
	})
}

// combination is the hash of the first combination of product 3.
func (w *world) combination() string {
	var all []struct {
		Hash string `json:"combination_hash"`
	}
	w.Get("/api/2.0/combinations?product_id=3").Decode(&all)
	return all[0].Hash
}

// More may be ordered than there is where the setting allow_negative_amount says so
// (decisions §18).
func TestOrders_AllowNegativeAmount(t *testing.T) {
	eachStore(t, func(w *world) {
		w.refuses("PUT", "products/2", `{"amount": -1}`, "amount")
		w.FixSetting("General.allow_negative_amount", "Y")
		w.place(`{"2": {"amount": 7}}`)
		w.wantStock("oversold", "10 -2 5 3 2")
		if a := w.Put("/api/2.0/products/2", `{"amount": -5}`); a.Status != 200 {
			w.t.Errorf("PUT of a negative amount: %d %s", a.Status, a.Body)
		}
	})
}

// products of what the bench and clients list: filters, sorts and periods (decisions
// §6, §10, §18).
func TestOrders_Lists(t *testing.T) {
	eachStore(t, func(w *world) {
		w.place(`{"4": {"amount": 3}}`)
		w.Clock.Advance(24 * 3600e9)
		second := w.made("orders", `{"payment_id": 2, "products": {"4": {"amount": 1}}, "user_data": `+guest+`}`)
		w.put(second, `{"status": "C", "invoice_id": "I-7", "credit_memo_id": "M-7"}`)
		for query, want := range map[string]string{
			"":                                "2 1",
			"sort_by=date&sort_order=asc":     "1 2",
			"sort_by=total":                   "1 2",
			"sort_by=order_id":                "2 1",
			"sort_by=customer&sort_order=asc": "2 1",
			"sort_by=email&sort_order=asc":    "1 2",
			"sort_by=status&sort_order=asc":   "2 1",
			"status=C":                        "2",
			"status=P":                        "",
			"user_id=" + w.user():             "1",
			"user_id=0":                       "2",
			"email=bo@example.org":            "2",
			"invoice_id=I-7":                  "2",
			"credit_memo_id=M-7":              "2",
			"company_id=1":                    "2 1",
			"company=1":                       "2 1",
			"company_id=2":                    "",
			"period=A":                        "2 1",
			"period=D":                        "2",
			"period=W":                        "2 1",
			"period=C&time_from=2024-01-02":   "2",
			"time_from=1704110401&time_to=1804110401": "2",
			"updated_at_from=2024-01-02":              "2",
			"updated_at_to=1704110400":                "1",
			"page=2&items_per_page=1":                 "1",
			"nothing=x&include_incompleted=true":      "2 1",
		} {
			if got := w.listed("orders?" + query); got != want {
				w.t.Errorf("%s: orders %s, want %s", query, got, want)
			}
		}
		for query, field := range map[string]string{"status=?": "status", "sort_by=x": "sort_by", "period=X": "period", "updated_at_from=x": "updated_at_from", "user_id=x": "user_id"} {
			w.refuses("GET", "orders?"+query, "", field)
		}
	})
}

// Entries of products that mean one line add up, and a price counts on new lines as on
// kept ones; options left out must not leave several lines to choose from (decisions
// §26).
func TestOrders_26_EntriesOfOneLineAddUp(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 2}, "2": {"amount": 1}}`)
		mug := w.line(id, "1").ItemID
		w.put(id, `{"products": {"`+mug+`": {"amount": 2, "discount": "0.50", "price": "11.00"}, "1": {"amount": 3, "discount": "0.25"}, "2": {"amount": 1}}}`)
		if l := w.line(id, "1"); l.Amount != "5" || l.Price != "11.00" || l.Discount.String() != "0.75" || l.Subtotal.String() != "54.25" {
			w.t.Errorf("the line is %+v", l)
		}
		w.wantStock("five of them", "5 4 5 3 2")
		w.refuses("PUT", "orders/"+id, `{"products": {"`+mug+`": {"amount": 2, "price": "11.00"}, "1": {"amount": 3, "price": 12}}}`, "products[1][price]")
		w.put(id, `{"products": {"2": {"amount": 1}, "a": {"product_id": 4, "amount": 1, "discount": 1}, "b": {"product_id": 4, "amount": 2, "price": "3.00", "discount": 0.5}}}`)
		if l := w.line(id, "4"); l.Amount != "3" || l.Price != "3.00" || l.Discount.String() != "1.5" {
			w.t.Errorf("the new line is %+v", l)
		}
		w.put(id, `{"products": {"a": {"product_id": 1, "amount": 1, "product_options": {"2": 3}}, "b": {"product_id": 1, "amount": 1, "product_options": {"2": 4}}}}`)
		w.refuses("PUT", "orders/"+id, `{"products": {"1": {"amount": 1}}}`, "products[1][product_options]")
		refused := w.Put("/api/2.0/orders/"+id, `{"products": {"1": {"amount": 1}}}`).Body
		for _, l := range w.get(id).Products {
			if !strings.Contains(refused, l.ItemID) {
				w.t.Errorf("the 400 does not name the line %s: %s", l.ItemID, refused)
			}
		}
		w.put(id, w.Get("/api/2.0/orders/"+id).Body)
	})
}

// A change of address that alters no computed amount causes no computation: amounts that
// recalculate=N kept stay, and so do the taxes (decisions §26).
func TestOrders_26_AddressThatAltersNothingKeepsTaxes(t *testing.T) {
	w := newMemoryWorld(t)
	w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 20}, {"rate_value": 0, "apply_to": "S"}]}`)
	w.Put("/api/2.0/shippings/1", `{"tax_ids": "1"}`)
	id := w.place(`{"2": {"amount": 1}}`)
	w.put(id, `{"recalculate": "N", "shipping_cost": "9.00"}`)
	taxes := func() string {
		var shown struct{ Taxes json.RawMessage }
		w.Get("/api/2.0/orders/" + id).Decode(&shown)
		return string(shown.Taxes)
	}
	before := taxes()
	w.put(id, `{"user_data": {"b_country": "EE"}}`)
	if after := taxes(); after != before {
		t.Errorf("the taxes were %s, and are %s", before, after)
	}
	w.wantFields("addressed", id, fields{"shipping_cost": "9.00", "total": "27.10", "total_adjustment": "-3.50"})
}

// A written shipping cost needs no weight that fits; a computed one does, also when it
// takes the place of the written one (decisions §20, §26).
func TestOrders_26_ComputedShippingCostNeedsAWeightThatFits(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.made("orders", orderBy(w.user(), "2", "2"))
	w.put(id, `{"shipping_cost": "1.00", "products": {"2": {"amount": 4}}}`)
	w.refuses("PUT", "orders/"+id, `{"shipping_cost": ""}`, "shipping_id")
	w.put(id, `{"shipping_cost": "", "products": {"2": {"amount": 1}}}`)
	w.wantFields("light again", id, fields{"shipping_cost": "4.00", "shipping_cost_set": "N"})
}
