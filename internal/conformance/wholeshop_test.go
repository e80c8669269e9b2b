package conformance

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
	"github.com/shopapi/shopapi/users"
)

// A wholeShop is a shop of one edition with its users, created over HTTP. The tables of
// the tests below have the rights of each user by §11 and §21.
type wholeShop struct {
	*apitest.Shop
	t       *testing.T
	store   store.Store
	ids     map[string]string // of objects, by the names that addresses of the tables use
	names   map[string]string // of objects, by entity/id
	columns []string          // names of users, in the order of the tables
	users   map[string]*apitest.Client
}

// eachWholeShop runs a test in a shop of an edition over memory, SQLite and PostgreSQL.
func eachWholeShop(t *testing.T, edition shopapi.Edition, test func(t *testing.T, w *wholeShop)) {
	t.Helper()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := apitest.NewWithStore(t, st, &shop.Options{
			Options: shopapi.Options{Edition: edition},
			Links:   users.LinkOptions{StorefrontURL: "https://shop.example.com/in", AdministrationURL: "https://admin.example.com/in"},
		})
		test(t, &wholeShop{Shop: s, t: t, store: st, ids: map[string]string{}, names: map[string]string{}, users: map[string]*apitest.Client{}})
	})
}

// make creates an object of an entity as root, and names it for the tables.
func (w *wholeShop) make(name, entity, payload string) {
	w.t.Helper()
	created := w.Post("/api/2.0/"+w.named(entity), w.named(payload))
	if created.Status != 201 {
		w.t.Fatalf("POST %s %s: %d %s", entity, payload, created.Status, created.Body)
	}
	for _, field := range []string{"store_id", "feature_id", "category_id", "product_id", "user_id", "usergroup_id", "page_id", "block_id", "payment_id",
		"shipping_id", "tax_id", "order_id", "shipment_id", "post_id", "request_id", "option_id"} {
		if strings.Contains(created.Body, `"`+field+`"`) {
			w.name(name, entity, created.Field(field))
			return
		}
	}
	w.t.Fatalf("POST %s answered no known id: %s", entity, created.Body)
}

// name gives an object a name in the tables.
func (w *wholeShop) name(name, entity, id string) {
	w.ids[name], w.names[listedAt(entity)+"/"+id] = id, name
}

// listedAt returns the entity of a list's address.
func listedAt(address string) string { return address[strings.LastIndex(address, "/")+1:] }

// named replaces the names in a text, {mug}, by ids.
func (w *wholeShop) named(text string) string {
	for name, id := range w.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// user adds a column to the tables.
func (w *wholeShop) user(name string, c *apitest.Client) {
	w.columns, w.users[name] = append(w.columns, name), c
}

// order returns the payload of an order with one piece of each product.
func order(lines ...string) string {
	for i, line := range lines {
		lines[i] = `"` + line + `": {"amount": 1}`
	}
	return `{"user_id": {anna}, "payment_id": {invoice}, "shipping_id": {post}, "products": {` + strings.Join(lines, ", ") + `}}`
}

// A try is a request that each user sends, with the expected statuses in the order of
// the columns. The objects that it names must exist. For DELETE, root creates a new
// object for each user.
type try struct {
	method, address string
	payload         string // PUT: one field, to whose text the column's name is appended; DELETE: payload of the object
	want            string
}

// tries runs a table. Root sees a change that is allowed, and a refused one changes
// nothing.
func (w *wholeShop) tries(table []try) {
	for _, x := range table {
		want := strings.Fields(x.want)
		if len(want) != len(w.columns) {
			w.t.Fatalf("%s %s has %d statuses for the columns %v", x.method, x.address, len(want), w.columns)
		}
		for i, column := range w.columns {
			w.try(x, column, want[i])
		}
	}
}

func (w *wholeShop) try(x try, column, want string) {
	w.t.Helper()
	address, payload := "/api/2.0/"+w.named(x.address), w.named(strings.ReplaceAll(x.payload, "{user}", column))
	if x.method == "DELETE" && payload != "" {
		w.make("spare", x.address, payload)
		address += "/" + w.ids["spare"]
	}
	before := w.Get(address)
	got := w.users[column].Do(x.method, address, "application/json", payload)
	if fmt.Sprint(got.Status) != want {
		w.t.Errorf("%s: %s %s %s answered %d %s, want %s", column, x.method, x.address, x.payload, got.Status, got.Body, want)
	}
	after := w.Get(address)
	switch {
	case got.Status >= 400 && after.Body != before.Body:
		w.t.Errorf("%s: %s %s was refused with %d, and %s became %s", column, x.method, x.address, got.Status, before.Body, after.Body)
	case x.method == "PUT" && got.Status == 200:
		var sent map[string]string
		if err := json.Unmarshal([]byte(payload), &sent); err != nil {
			w.t.Fatal(err)
		}
		for field, value := range sent {
			if after.Field(field) != value {
				w.t.Errorf("%s: PUT %s %s was answered with 200, and %s is %s", column, x.address, payload, field, after.Field(field))
			}
		}
	case x.method == "DELETE" && got.Status == 204 && after.Status != 404:
		w.t.Errorf("%s: DELETE %s was answered with 204, and the object with %d", column, x.address, after.Status)
	}
}

// sees compares the lists of each user: names of the shop's objects, - for none, or the
// status of a refusal.
func (w *wholeShop) sees(table map[string]map[string]string) {
	for address, want := range table {
		if missing := len(w.columns) - len(want); missing != 0 {
			w.t.Fatalf("%s: %d of the users %v have no answer in the table", address, missing, w.columns)
		}
		for _, column := range w.columns {
			if got := w.found(w.users[column], address); got != want[column] {
				w.t.Errorf("%s finds %s in %s, want %s", column, got, address, want[column])
			}
		}
	}
}

// found returns the objects of a list by the names of the tables, sorted.
func (w *wholeShop) found(c *apitest.Client, address string) string {
	a := c.Get("/api/2.0/" + w.named(address))
	if a.Status != 200 {
		return fmt.Sprint(a.Status)
	}
	entity := listedAt(address)
	key, idField := entity, map[string]string{
		"products": "product_id", "master_products": "product_id", "categories": "category_id", "orders": "order_id", "features": "feature_id",
		"users": "user_id", "vendors": "company_id", "stores": "company_id", "discussions": "post_id", "pages": "page_id",
		"call_requests": "request_id", "shipments": "shipment_id", "shippings": "shipping_id",
	}[entity]
	switch entity {
	case "categories":
		key = ""
	case "master_products":
		key = "products"
	}
	hasOthers := entity == "users" || entity == "vendors" || entity == "stores" // it has objects that no table names
	var list []string
	for _, item := range items(w.t, a, key) {
		id := strings.Trim(string(item[idField]), `"`)
		switch name := w.names[entity+"/"+id]; {
		case name != "":
			list = append(list, name)
		case !hasOthers:
			list = append(list, "#"+id)
		}
	}
	slices.Sort(list)
	if len(list) == 0 {
		return "-"
	}
	return strings.Join(list, " ")
}
