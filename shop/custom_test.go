package shop_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/storecopy"
)

// takeNone are the entities without rows of their own that requests write.
var takeNone = []string{"auth", "carts", "settings"}

// Every entity with objects of its own takes custom fields: they are stored, and objects
// and lists show them.
func TestE13_FieldsOfEveryEntity(t *testing.T) {
	fields := []shopapi.CustomField{
		{Name: "x_note", Type: shopapi.CustomText, Filters: true, Sorts: true},
		{Name: "x_grade", Type: shopapi.CustomNumber},
	}
	for edition, names := range map[shopapi.Edition][]string{
		shopapi.MultiVendor:     nil,
		shopapi.MultiStorefront: {"stores"},
	} {
		st := openFixture(t, fixtures[len(fixtures)-1]+".db.gz")
		o := fixtureOptions()
		o.Edition = edition
		plain, err := shop.New(t.Context(), st, o)
		if err != nil {
			t.Fatal(err)
		}
		o.CustomFields = map[string][]shopapi.CustomField{}
		for _, d := range plain.Descriptions() {
			if !slices.Contains(takeNone, d.Name) && (names == nil || slices.Contains(names, d.Name)) {
				o.CustomFields[d.Name] = fields
			}
		}
		s, err := shop.New(t.Context(), st, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		c := (&apitest.Client{T: t, Handler: s}).As(fixtureEmail, fixtureKey)
		c.Post("/api/2.0/langvars", `{"name": "greeting", "value": "Hello"}`)
		for entity := range o.CustomFields {
			t.Run(entity, func(t *testing.T) { checkCustom(t, c, entity) })
		}
	}
}

// Copies of a store have the custom fields, which the store itself knows.
func TestE13_CopiesHaveTheFields(t *testing.T) {
	st := openFixture(t, fixtures[len(fixtures)-1]+".db.gz")
	o := fixtureOptions()
	o.CustomFields = map[string][]shopapi.CustomField{"products": {
		{Name: "x_note", Type: shopapi.CustomText, Translated: true},
		{Name: "x_deposit", Type: shopapi.CustomAmount, Amount: &shopapi.Amount{Scale: 3}},
		{Name: "x_season", Type: shopapi.CustomOneOf, OneOf: []string{"summer", "winter"}},
	}}
	o.CustomFields["orders"] = []shopapi.CustomField{{Name: "x_gift", Type: shopapi.CustomText}}
	o.CustomerFields = []shopapi.CustomField{{Name: "b_district", Type: shopapi.CustomText}}
	s, err := shop.New(t.Context(), st, o)
	if err != nil {
		t.Fatal(err)
	}
	c := (&apitest.Client{T: t, Handler: s}).As(fixtureEmail, fixtureKey)
	c.Put("/api/2.0/products/1", `{"x_note": "Fragile", "x_deposit": "1.125", "x_season": "winter"}`)
	c.Put("/api/2.0/products/1?sl=nb", `{"x_note": "Skjør"}`)
	c.Put("/api/2.0/users/2", `{"b_district": "Old town"}`)
	schemas, err := shop.SchemasOf(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	for i, plain := range shop.Schemas() {
		if diff := cmp.Diff(plain.Former, schemas[i].Former); diff != "" || len(plain.Indexes) > len(schemas[i].Indexes) {
			t.Errorf("%s has other indexes with the fields; former ones (-want +got):\n%s", plain.Name, diff)
		}
	}
	to := memory.New()
	if _, err := storecopy.Copy(t.Context(), to, st, schemas, nil); err != nil {
		t.Fatal(err)
	}
	o = fixtureOptions()
	if o.CustomFields, o.CustomerFields, err = resource.DeclaredFields(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	if s, err = shop.New(t.Context(), to, o); err != nil {
		t.Fatal(err)
	}
	c.Handler = s
	if got := c.Get("/api/2.0/users/2").Body; !strings.Contains(got, `"b_district":"Old town"`) {
		t.Errorf("the user has lost the field of the address: %s", got)
	}
	for query, want := range map[string]string{
		"":       `{"product_id":"1","x_note":"Fragile","x_deposit":"1.125","x_season":"winter"}`,
		"&sl=nb": `{"product_id":"1","x_note":"Skjør","x_deposit":"1.125","x_season":"winter"}`,
	} {
		if got := c.Get("/api/2.0/products/1?fields=x_note,x_deposit,x_season" + query); got.Body != want {
			t.Errorf("%s: %s", query, got.Body)
		}
	}
}

// Users.Erase sets personal fields to null wherever the customer is named.
func TestE13_EraseBlanksPersonalFields(t *testing.T) {
	st := openFixture(t, fixtures[len(fixtures)-1]+".db.gz")
	fields := []shopapi.CustomField{
		{Name: "x_birthday", Type: shopapi.CustomText, Personal: true},
		{Name: "x_grade", Type: shopapi.CustomNumber},
	}
	o := fixtureOptions()
	o.CustomFields = map[string][]shopapi.CustomField{"users": fields, "orders": fields}
	s, err := shop.New(t.Context(), st, o)
	if err != nil {
		t.Fatal(err)
	}
	c := (&apitest.Client{T: t, Handler: s}).As(fixtureEmail, fixtureKey)
	addresses := []string{"/api/2.0/users/2", "/api/2.0/orders/1"}
	for _, address := range addresses {
		if put := c.Put(address, `{"x_birthday": "1 May", "x_grade": 3}`); put.Status != http.StatusOK {
			t.Fatal(put.Body)
		}
	}
	if err := s.Users.Erase(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		if got := c.Get(address); !strings.Contains(got.Body, `"x_birthday":null,"x_grade":"3"`) {
			t.Errorf("%s: %s", address, got.Body)
		}
	}
}

// below are the addresses of entities that are reached below others.
var below = map[string]string{"master_product_offers": "master_products/4/master_product_offers"}

func checkCustom(t *testing.T, c *apitest.Client, entity string) {
	address := "/api/2.0/" + entity
	if nested, ok := below[entity]; ok {
		address = "/api/2.0/" + nested
	}
	query := map[string]string{"exceptions": "?product_id=1", "combinations": "?product_id=1", "options": "?product_id=1", "discussions": "?object_type=P&object_id=1"}[entity]
	list := c.Get(address + query)
	if list.Status != http.StatusOK {
		t.Fatalf("GET %s: %d %s", address, list.Status, list.Body)
	}
	if !strings.Contains(list.Body, `"x_note":null`) {
		t.Fatalf("items lack the fields: %s", list.Body)
	}
	ids := idsIn(t, list.Body)
	if entity == "langvars" {
		ids = []string{"greeting"}
	}
	if len(ids) == 0 {
		t.Fatal("the fixture has no object")
	}
	put := c.Put(address+"/"+ids[0], `{"x_note": "Aged", "x_grade": 3}`)
	if put.Status != http.StatusOK {
		t.Fatalf("PUT: %d %s", put.Status, put.Body)
	}
	for _, from := range []string{address + "/" + ids[0], address + query} {
		if got := c.Get(from); !strings.Contains(got.Body, `"x_note":"Aged","x_grade":"3"`) {
			t.Errorf("GET %s: %s", from, got.Body)
		}
	}
}

// idsIn returns the values of the first member of each object of a list.
func idsIn(t *testing.T, body string) (ids []string) {
	t.Helper()
	var walk func(v json.RawMessage, depth int)
	walk = func(v json.RawMessage, depth int) {
		var list []json.RawMessage
		var object map[string]json.RawMessage
		switch {
		case json.Unmarshal(v, &list) == nil:
			for _, item := range list {
				walk(item, depth+1)
			}
		case json.Unmarshal(v, &object) == nil && object["x_note"] != nil:
			d := json.NewDecoder(strings.NewReader(string(v)))
			_, _ = d.Token()
			_, _ = d.Token()
			id, _ := d.Token()
			switch id := id.(type) {
			case string:
				ids = append(ids, id)
			case float64:
				ids = append(ids, shopapi.FormatID(int64(id)))
			}
		default:
			for name, item := range object {
				if name != "params" {
					walk(item, depth+1)
				}
			}
		}
	}
	walk(json.RawMessage(body), 0)
	return ids
}

// Customer fields follow their address from the profile to the order, which keeps them.
func TestE13_CustomerFields(t *testing.T) {
	st := openFixture(t, fixtures[len(fixtures)-1]+".db.gz")
	o := fixtureOptions()
	o.CustomerFields = []shopapi.CustomField{
		{Name: "b_district", Type: shopapi.CustomText, Length: 20},
		{Name: "s_district", Type: shopapi.CustomText, Length: 20},
	}
	s, err := shop.New(t.Context(), st, o)
	if err != nil {
		t.Fatal(err)
	}
	c := (&apitest.Client{T: t, Handler: s}).As(fixtureEmail, fixtureKey)
	shows := func(address, fields string) {
		t.Helper()
		if got := c.Get("/api/2.0/" + address); !strings.Contains(got.Body, `"fields":`+fields) {
			t.Errorf("%s: want fields %s in %s", address, fields, got.Body)
		}
	}
	shows("users/2", "[]")
	shows("orders/1", "[]")
	if put := c.Put("/api/2.0/users/2", `{"b_district": "North", "s_district": "South"}`); put.Status != http.StatusOK {
		t.Fatal(put.Body)
	}
	shows("users/2", `{"b_district":"North","s_district":"South"}`)
	for _, bad := range []string{`{"b_district": "` + strings.Repeat("a", 2000) + `"}`, `{"b_district": ["a"]}`} {
		if put := c.Put("/api/2.0/users/2", bad); put.Status != http.StatusBadRequest || !strings.Contains(put.Body, `"b_district"`) {
			t.Errorf("%.40s: %d %s", bad, put.Status, put.Body)
		}
	}
	c.Put("/api/2.0/products/1", `{"amount": 5, "tracking": "D"}`)
	placed := c.Post("/api/2.0/orders", `{"user_id": 2, "payment_id": 1, "shipping_id": 1, "products": {"1": {"product_id": 1, "amount": 1}}}`)
	if placed.Status != http.StatusCreated {
		t.Fatal(placed.Body)
	}
	var made struct {
		ID string `json:"order_id"`
	}
	if err := json.Unmarshal([]byte(placed.Body), &made); err != nil {
		t.Fatal(err)
	}
	order := "orders/" + made.ID
	shows(order, `{"b_district":"North","s_district":"South"}`)
	c.Put("/api/2.0/users/2", `{"b_district": "East"}`)
	shows(order, `{"b_district":"North","s_district":"South"}`)
	if put := c.Put("/api/2.0/"+order, `{"user_data": {"s_district": "West"}}`); put.Status != http.StatusOK {
		t.Fatal(put.Body)
	}
	for _, chosen := range []string{order, order + "?fields=fields", "orders?fields=fields&order_id=" + made.ID} {
		shows(chosen, `{"b_district":"North","s_district":"West"}`)
	}
	if put := c.Put("/api/2.0/"+order, `{"user_data": {"s_district": "`+strings.Repeat("a", 21)+`"}}`); put.Status != http.StatusBadRequest {
		t.Errorf("a long field: %d %s", put.Status, put.Body)
	}
	if err := s.Users.Erase(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	shows("users/2", "[]")
	shows(order, "[]")
	for _, name := range []string{"district", "b_city", "x_district"} {
		o := fixtureOptions()
		o.CustomerFields = []shopapi.CustomField{{Name: name, Type: shopapi.CustomText}}
		if _, err := shop.New(t.Context(), st, o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// 401 does not open a browser's password dialog for scripts and images.
func TestE12_NoDialogForScripts(t *testing.T) {
	s, err := shop.New(t.Context(), memory.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for dest, want := range map[string]bool{"": true, "document": true, "image": false, "empty": false} {
		c := &apitest.Client{T: t, Handler: s}
		req := httptest.NewRequestWithContext(t.Context(), "GET", "/api/2.0/products", nil)
		if dest != "" {
			req.Header.Set("Sec-Fetch-Dest", dest)
		}
		got := c.Send(req)
		if asks := got.Header.Get("Www-Authenticate") != ""; got.Status != http.StatusUnauthorized || asks != want {
			t.Errorf("Sec-Fetch-Dest %q: %d, asks for a password: %v", dest, got.Status, asks)
		}
	}
}
