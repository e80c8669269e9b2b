package orders_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// newShopOver is another shop over a store.
func newShopOver(t *testing.T, st store.Store) *apitest.Shop {
	t.Helper()
	return apitest.NewWithStore(t, st, nil)
}

// vendors is a stub of the entity vendors: 1, 2 and 3, of which 3 does not sell.
type vendors struct{}

func (vendors) Describe() shopapi.Description {
	return shopapi.Description{Name: "vendors", IDField: "company_id", Privileges: shopapi.Privileges{View: "view_vendors", Manage: "manage_vendors"}}
}

func (vendors) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	status, ok := map[string]string{"1": "A", "2": "A", "3": "D"}[id]
	if !ok {
		return nil, shopapi.NotFound("vendor", id)
	}
	return map[string]string{"company_id": id, "status": status}, nil
}

// addVendors makes the vendors 2, and 3, which does not sell.
func (w *world) addVendors() {
	w.t.Helper()
	if !w.Registered("vendors") {
		if err := w.Register(vendors{}); err != nil {
			w.t.Fatal(err)
		}
		return
	}
	const address = `"phone": "1", "address": "Road 1", "city": "Oslo", "country": "NO", "state": "03", "zipcode": "0150"`
	for _, payload := range []string{
		`{"company": "Two", "email": "two@example.org", "status": "A", ` + address + `}`,
		`{"company": "Three", "email": "three@example.org", "status": "D", ` + address + `}`,
	} {
		if a := w.Post("/api/2.0/vendors", payload); a.Status != 201 {
			w.t.Fatalf("POST vendors %s: %d %s", payload, a.Status, a.Body)
		}
	}
}

// split places an order of a product of company 1 and one of company 2, and
// returns its id and the ids of its parts.
func (w *world) split() (parent string, parts []string) {
	w.t.Helper()
	product := w.made("products", `{"product": "Basket", "category_ids": [1], "company_id": 2, "price": "4", "amount": 9, "tax_ids": "1"}`)
	parent = w.made("orders", fmt.Sprintf(`{"user_id": %s, "payment_id": 1, "shipping_id": {"1": 1, "2": "2"}, "products": {"2": {"amount": 1}, "%s": {"amount": 2}}}`, w.user(), product))
	var list struct {
		Orders []struct {
			ID string `json:"order_id"`
		}
	}
	w.Get("/api/2.0/orders?sort_by=order_id&sort_order=asc").Decode(&list)
	for _, o := range list.Orders {
		parts = append(parts, o.ID)
	}
	if len(parts) != 2 {
		w.t.Fatalf("the parts are %v", parts)
	}
	return parent, parts
}

// E7: a file of all orders has the parents of orders of several vendors, since their parts name them.
// A filter decides by itself.
func TestE7_ExportHasParentOrders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, memory.New(), shopapi.Options{Edition: shopapi.MultiVendor})
	parent, parts := w.split()
	want := func(filter url.Values, ids ...string) {
		t.Helper()
		var lines bytes.Buffer
		err := files.Export(t.Context(), &lines, w.API, "orders", &files.ExportOptions{
			ExportOptions: bulk.ExportOptions{Fields: []string{"order_id"}, Filter: filter},
		})
		text := ""
		for _, id := range ids {
			text += fmt.Sprintf(`{"order_id":"%s"}`+"\n", id)
		}
		if diff := gocmp.Diff(text, lines.String()); err != nil || diff != "" {
			t.Errorf("%v: %v, %s", filter, err, diff)
		}
	}
	want(nil, parent, parts[0], parts[1])
	want(url.Values{"status": {"O"}}, parts...)
}

// An order of products of several vendors is a parent that sums up one order of each,
// which prices its own shipping (decisions §18).
func TestOrders_SplitByVendors(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		parent, parts := w.split()
		first, second, sum := w.get(parts[0]), w.get(parts[1]), w.get(parent)
		// 18.00 + 5.50 + 3.60, 3 % of 23.50 = 0.71; 8.00 + 4.00 + 1.60, 3 % of 12.00 = 0.36.
		if first.Total != "27.81" || second.Total != "13.96" || sum.Total != "41.77" || sum.Shipping != "9.50" || len(sum.Products) != 2 {
			w.t.Errorf("the parts are %+v and %+v, the parent is %+v", first, second, sum)
		}
		if sum.IsParent != "Y" || first.IsParent != "N" || first.Parent != parent || second.Parent != parent || first.CompanyID != "1" || second.CompanyID != "2" {
			w.t.Errorf("the parts are %+v and %+v, the parent is %+v", first, second, sum)
		}
		if body := w.Get("/api/2.0/orders?include_parent_orders=Y").Body; !strings.Contains(body, `"total_items":"3"`) {
			w.t.Errorf("with parents: %s", body)
		}
		if groups := w.groups(parent); groups["1"].Name == "" || groups["2"].Name != "Two" || groups["2"].Chosen[0].GroupName != "Two" || len(groups["2"].Products) != 1 {
			w.t.Errorf("the groups of the parent are %+v", groups)
		}
		w.put(parts[0], `{"products": {"2": {"amount": 2}}}`)
		if got := w.get(parent).Subtotal.String(); got != "44" {
			w.t.Errorf("after a change of a part the subtotal of the parent is %s", got)
		}
		w.refuses("PUT", "orders/"+parent, `{"total": 1, "notes": "x", "products": {"2": {"amount": 1}}}`, "total", "notes", "products")
		w.refuses("PUT", "orders/"+parent, `{"subtotal_discount": "1.00"}`, "subtotal_discount")
		w.put(parent, w.Get("/api/2.0/orders/"+parent).Body)
		w.put(parent, `{"status": "I"}`)
		if w.get(parts[0]).Status != "I" || w.get(parts[1]).Status != "I" || w.get(parent).Status != "I" {
			w.t.Error("the status of a parent is not that of its parts")
		}
		w.wantStock("cancelled", "10 5 5 3 2")
		w.put(parent, `{"status": "O"}`)
		w.wantStock("open", "10 3 5 3 2")
		if a := w.Delete("/api/2.0/orders/" + parent); a.Status != 204 {
			w.t.Errorf("DELETE: %d %s", a.Status, a.Body)
		}
		w.wantStock("deleted", "10 5 5 3 2")
		if body := w.Get("/api/2.0/orders?include_parent_orders=Y").Body; !strings.Contains(body, `"total_items":"0"`) {
			w.t.Errorf("after DELETE: %s", body)
		}
	})
}

// A shownGroup is the lines of an order that one company ships.
type shownGroup struct {
	Name     string
	Products map[string]shownLine
	Chosen   []struct {
		GroupName string `json:"group_name"`
	} `json:"chosen_shippings"`
}

// groups are the groups of an order, by company.
func (w *world) groups(id string) map[string]shownGroup {
	w.t.Helper()
	var o struct {
		Groups []struct {
			shownGroup
			CompanyID json.Number `json:"company_id"`
		} `json:"product_groups"`
	}
	w.Get("/api/2.0/orders/" + id).Decode(&o)
	by := map[string]shownGroup{}
	for _, g := range o.Groups {
		by[g.CompanyID.String()] = g.shownGroup
	}
	return by
}

// Where one of several vendors has no shipping method, the order is refused (decisions
// §18); so are products of vendors that are not A.
func TestOrders_SplitBadInput(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		two := w.made("products", `{"product": "Basket", "category_ids": [1], "company_id": 2, "price": "4"}`)
		three := w.made("products", `{"product": "Bag", "category_ids": [1], "company_id": 3, "price": "4"}`)
		order := func(shipping, product string) string {
			return fmt.Sprintf(`{"user_id": %s, "payment_id": 2, "shipping_id": %s, "products": {"2": {"amount": 1}, "%s": {"amount": 1}}}`, w.user(), shipping, product)
		}
		w.refuses("POST", "orders", order(`{"1": 1}`, two), "shipping_id")
		w.refuses("POST", "orders", order(`{"x": 1}`, two), "shipping_id")
		w.refuses("POST", "orders", order(`1`, three), "products["+three+"]")
	})
}

// Vendors read their own orders, and change status and notes of the staff alone
// (decisions §11).
func TestOrders_Vendors(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		parent, parts := w.split()
		vendor := w.UserOf(2, "view_orders", "manage_orders")
		for _, c := range []struct {
			a    *apitest.Answer
			want int
		}{
			{vendor.Get("/api/2.0/orders/" + parts[1]), 200},
			{vendor.Get("/api/2.0/orders/" + parts[0]), 404},
			{vendor.Get("/api/2.0/orders/" + parent), 404},
			{vendor.Post("/api/2.0/orders", w.order(`{"2": {"amount": 1}}`)), 403},
			{vendor.Delete("/api/2.0/orders/" + parts[1]), 403},
			{vendor.Put("/api/2.0/orders/"+parts[1], `{"status": "P", "details": "Packed", "total": 1, "notes": "x"}`), 200},
			{vendor.Put("/api/2.0/orders/"+parts[0], `{"status": "P"}`), 404},
		} {
			if c.a.Status != c.want {
				w.t.Errorf("%d %s, want %d", c.a.Status, c.a.Body, c.want)
			}
		}
		if o := w.get(parts[1]); o.Status != "P" || o.Total != "13.96" {
			w.t.Errorf("the order is %+v", o)
		}
	})
}

// A parent goes with the last of its orders: its discussions and its history go too, and hooks see it
// (decisions §18, §10).
func TestOrders_ParentGoesWithItsLastOrder(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		var seen []string
		w.Orders.BeforeDelete(func(_ context.Context, _ store.Tx, old *orders.Order) error {
			seen = append(seen, shopapi.FormatID(old.OrderID))
			return nil
		})
		parent, parts := w.split()
		w.made("discussions", `{"object_type": "O", "object_id": `+parent+`, "message": "Where is it?"}`)
		w.Events()
		for _, id := range parts {
			if a := w.Do("DELETE", "/api/2.0/orders/"+id, "", ""); a.Status != 204 {
				w.t.Fatalf("DELETE of order %s: %d %s", id, a.Status, a.Body)
			}
		}
		if a := w.Get("/api/2.0/orders/" + parent); a.Status != 404 {
			w.t.Errorf("the parent: %d", a.Status)
		}
		if a := w.Get("/api/2.0/discussions?object_type=O"); strings.Contains(a.Body, "Where is it?") {
			w.t.Errorf("the discussion of the parent is still there: %s", a.Body)
		}
		if n, err := orders.CountHistory(w.t.Context(), w.st); n != 0 || err != nil {
			w.t.Errorf("%d entries of the history are still there, %v", n, err)
		}
		slices.Sort(seen)
		if want := slices.Sorted(slices.Values(append(parts, parent))); !slices.Equal(seen, want) {
			w.t.Errorf("hooks saw the orders %v, want %v", seen, want)
		}
		deleted := 0
		for _, e := range w.Events() {
			if e.Entity == "orders" && e.Operation == shopapi.OpDelete && e.ID == parent {
				deleted++
			}
		}
		if deleted != 1 {
			w.t.Errorf("%d events say that the parent is deleted, want 1", deleted)
		}
	})
}

// A parent may cost more than an order may, because its orders together do: its status can be set, and
// PUT of what GET answers changes nothing (decisions §5, §18).
func TestOrders_ParentMayCostMoreThanAnOrder(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		parent, parts := w.split()
		for _, id := range parts {
			w.put(id, `{"total": "9999999999.99"}`)
		}
		w.wantFields("the sum", parent, fields{"total": "19999999999.98"})
		before := w.Get("/api/2.0/orders/" + parent).Body
		w.put(parent, before)
		if after := w.Get("/api/2.0/orders/" + parent).Body; after != before {
			w.t.Errorf("PUT of what GET answered: %s", gocmp.Diff(before, after))
		}
		w.put(parent, `{"status": "C"}`)
		for _, id := range parts {
			w.wantFields("the status of the parent", id, fields{"status": "C", "total": "9999999999.99"})
		}
		w.refuses("PUT", "orders/"+parent, `{"total": "20000000000"}`, "total")
		w.refuses("PUT", "orders/"+parts[0], `{"total": "10000000000"}`, "total")
	})
}

// A parent shows the taxes of all of its orders: their rates, also where only one of the
// orders has one, and the sums of the taxes inside and beside prices (decisions §18, §26).
func TestOrders_26_ParentShowsTheTaxesOfItsOrders(t *testing.T) {
	w := newWorld(t, unclosed{shoptest.Memory(t)}, shopapi.Options{Edition: shopapi.MultiVendor})
	w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 20}, {"rate_value": 10, "apply_to": "S", "country": "NO"}]}`)
	w.Put("/api/2.0/shippings/2", `{"tax_ids": "1"}`)
	parent, parts := w.split()
	w.put(parts[1], `{"user_data": {"s_country": "NO"}}`)
	var shown struct {
		Included json.Number `json:"tax_included"`
		Taxes    map[string]struct {
			Rates []struct {
				To    string      `json:"apply_to"`
				Value string      `json:"rate_value"`
				Tax   json.Number `json:"tax_subtotal"`
			}
		}
	}
	w.Get("/api/2.0/orders/" + parent).Decode(&shown)
	if got := fmt.Sprint(shown.Taxes["1"].Rates); got != "[{P 20.000 5.2} {S 10.000 0.4}]" {
		t.Errorf("the rates of the parent are %s", got)
	}
	w.Put("/api/2.0/taxes/1", `{"price_includes_tax": "Y"}`)
	w.put(parts[1], `{"reprice": "Y"}`)
	part := w.Get("/api/2.0/orders/" + parts[1]).Field("tax_included")
	w.Get("/api/2.0/orders/" + parent).Decode(&shown)
	if part == "0" || shown.Included.String() != part {
		t.Errorf("tax_included is %s, and in the only order with included taxes %s", shown.Included, part)
	}
}
