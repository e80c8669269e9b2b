package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
)

// secondStorefront makes the storefront 2 with a product, methods and a customer of its
// own, and returns a function that makes payloads of orders there.
func (w *world) secondStorefront() (product string, order func(product string) string) {
	w.t.Helper()
	w.made("stores", `{"company": "Pottery Shop", "storefront": "pottery.example.org", "email": "shop@example.org"}`)
	category := w.made("stores/2/categories", `{"category": "Stone"}`)
	product = w.made("stores/2/products", `{"product": "Jug", "category_ids": [`+category+`], "price": "7", "amount": 4}`)
	payment := w.made("payments", `{"payment": "Invoice", "company_id": 2}`)
	shipping := w.made("stores/2/shippings", `{"shipping": "Tram"}`)
	user := w.made("stores/2/users", `{"email": "eve@example.org", "user_type": "C", "firstname": "Eve"}`)
	return product, func(product string) string {
		return fmt.Sprintf(`{"user_id": %s, "payment_id": %s, "shipping_id": %s, "products": {"%s": {"amount": 1}}}`, user, payment, shipping, product)
	}
}

// In the edition with several storefronts an order is of one of them, and so are its
// products and methods (decisions §11); stores/<id>/orders is where it is placed,
// listed, read, changed and deleted.
func TestOrders_Storefronts(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(w *world) {
		first := w.order(`{"2": {"amount": 1}}`)
		w.refuses("POST", "orders", first, "company_id")
		one := w.made("stores/1/orders", first)
		jug, order := w.secondStorefront()
		two := w.made("stores/2/orders", order(jug))
		three := w.made("orders", order(jug)[:len(order(jug))-1]+`, "company_id": 2}`)
		for id, company := range map[string]string{one: "1", two: "2", three: "2"} {
			if got := w.get(id).CompanyID; got != company {
				w.t.Errorf("order %s is of company %s, want %s", id, got, company)
			}
		}
		for address, want := range map[string]string{
			"stores/1/orders": one, "stores/2/orders": three + " " + two, "stores/2/orders?sort_by=order_id&sort_order=asc": two + " " + three,
			"stores/2/orders?status=C": "", "stores/1/orders?company_id=2": "", "orders": three + " " + two + " " + one,
		} {
			if got := w.listed(address); got != want {
				w.t.Errorf("%s: orders %q, want %q", address, got, want)
			}
		}
		w.refuses("POST", "stores/2/orders", order("2"), "products[2]")
		w.refuses("POST", "stores/1/orders", order(jug), "products["+jug+"]", "payment_id", "user_id")
		w.refuses("POST", "stores/1/orders", strings.Replace(first, `"shipping_id": 1`, `"shipping_id": 5`, 1), "shipping_id")
		if a := w.Get("/api/2.0/stores/2/orders/" + two); a.Status != 200 || a.Body != w.Get("/api/2.0/orders/"+two).Body {
			w.t.Errorf("under its storefront the order is %d %s", a.Status, a.Body)
		}
		root, own, other := w.Client, w.UserOf(2, "view_orders", "manage_orders", "view_stores"), w.UserOf(1, "view_orders", "manage_orders", "view_stores")
		for _, c := range []struct {
			what string
			got  int
			want int
		}{
			{"an order of another storefront", root.Get("/api/2.0/stores/1/orders/" + two).Status, 404},
			{"a storefront that there is not", root.Post("/api/2.0/stores/9/orders", order(jug)).Status, 404},
			{"a change under the storefront", root.Put("/api/2.0/stores/2/orders/"+two, `{"status": "P"}`).Status, 200},
			{"an own order without a company", own.Post("/api/2.0/orders", order(jug)).Status, 201},
			{"an own order under the storefront", own.Post("/api/2.0/stores/2/orders", order(jug)).Status, 201},
			{"an order under another storefront", other.Post("/api/2.0/stores/2/orders", order(jug)).Status, 404},
			{"a change under another storefront", other.Put("/api/2.0/stores/2/orders/"+two, `{"status": "C"}`).Status, 404},
			{"a change of another's order", other.Put("/api/2.0/orders/"+two, `{"status": "C"}`).Status, 404},
			{"a deletion of another's order", other.Delete("/api/2.0/orders/" + two).Status, 404},
			{"a deletion under the storefront", own.Delete("/api/2.0/stores/2/orders/" + three).Status, 204},
		} {
			if c.got != c.want {
				w.t.Errorf("%s: %d, want %d", c.what, c.got, c.want)
			}
		}
		if got := w.get(two); got.Status != "P" {
			w.t.Errorf("the order has the status %s", got.Status)
		}
		if got := w.Get("/api/2.0/products/" + jug).Field("amount"); got != "1" {
			w.t.Errorf("there are %s jugs, want 1: three of four are ordered", got)
		}
		if a := w.Delete("/api/2.0/stores/2"); a.Status != 400 {
			w.t.Errorf("DELETE of a storefront with orders: %d %s", a.Status, a.Body)
		}
	})
}

// listed are the ids of a list of orders.
func (w *world) listed(address string) (ids string) {
	w.t.Helper()
	var list struct {
		Orders []struct {
			ID string `json:"order_id"`
		}
	}
	a := w.Get("/api/2.0/" + address)
	if a.Status != 200 {
		w.t.Fatalf("GET %s: %d %s", address, a.Status, a.Body)
	}
	a.Decode(&list)
	for i, o := range list.Orders {
		if i > 0 {
			ids += " "
		}
		ids += o.ID
	}
	return ids
}

// A storefront has its own texts of a status; the properties of the status, and the
// orders with it, are the shop's (decisions §21).
func TestStatuses_OfAStorefront(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(w *world) {
		jug, order := w.secondStorefront()
		status := w.made("statuses", `{"description": "Fired", "email_subj": "is fired", "params": {"inventory": "I"}}`)
		letter := w.Get("/api/2.0/statuses/" + status).Field("status")
		own := "/api/2.0/stores/2/statuses/" + status
		if a := w.Put(own, `{"email_subj": "left the kiln", "description": "x", "params": {"inventory": "D"}, "is_default": "Y"}`); a.Status != 200 {
			w.t.Fatalf("PUT: %d %s", a.Status, a.Body)
		}
		if a := w.Get(own); a.Field("email_subj") != "left the kiln" || a.Field("description") != "Fired" || a.Field("is_default") != "N" {
			w.t.Errorf("the storefront has %s", a.Body)
		}
		if a := w.Get("/api/2.0/stores/1/statuses/" + status); a.Field("email_subj") != "is fired" {
			w.t.Errorf("the other storefront has %s", a.Body)
		}
		id := w.made("stores/2/orders", order(jug))
		w.put(id, `{"status": "`+letter+`"}`)
		if got := w.Get("/api/2.0/products/" + jug).Field("amount"); got != "4" {
			w.t.Errorf("there are %s jugs, want 4: the status takes no stock", got)
		}
		if a := w.Delete("/api/2.0/statuses/" + status); a.Status != 400 {
			w.t.Errorf("DELETE of a status that an order of a storefront has: %d %s", a.Status, a.Body)
		}
		w.put(id, `{"status": "O"}`)
		if a := w.Delete("/api/2.0/statuses/" + status); a.Status != 204 {
			w.t.Errorf("DELETE: %d %s", a.Status, a.Body)
		}
		if a := w.Get(own); a.Status != 404 {
			w.t.Errorf("under the storefront it is still there: %d %s", a.Status, a.Body)
		}
	})
}

// Each storefront says by its own setting whether more may be ordered than there is (decisions §18).
func TestOrders_AllowNegativeAmountOfStorefronts(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(w *world) {
		jug, order := w.secondStorefront()
		many := strings.Replace(order(jug), `"amount": 1`, `"amount": 9`, 1)
		w.refuses("POST", "stores/2/orders", many, "products["+jug+"]")
		if err := w.Settings.Set(w.t.Context(), 1, shopapi.SettingAllowNegativeAmount, "Y"); err != nil {
			w.t.Fatal(err)
		}
		w.refuses("POST", "stores/2/orders", many, "products["+jug+"]")
		if err := w.Settings.Set(w.t.Context(), 2, shopapi.SettingAllowNegativeAmount, "Y"); err != nil {
			w.t.Fatal(err)
		}
		w.made("stores/2/orders", many)
	})
}
