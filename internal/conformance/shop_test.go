package conformance

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/doccheck"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// newShop returns a shop with category 1 Cups and in it product 1 Clay mug, both of
// company 1. The mug comes in nine glazes, the variants 1 to 9 of option 1.
func newShop(t *testing.T, o shopapi.Options) *apitest.Shop {
	t.Helper()
	s := documented(t, apitest.New(t, &shop.Options{Options: o}))
	stock(t, s)
	glaze(t, s)
	return s
}

// documented compares every request and response of a shop with its OpenAPI document.
// The shop has the companies 2 and 3.
func documented(t *testing.T, s *apitest.Shop) *apitest.Shop {
	t.Helper()
	found(t, s)
	s.Handler = doccheck.Handler(t, s.API)
	return s
}

// found creates the companies 2 and 3 if the edition has companies.
func found(t *testing.T, s *apitest.Shop) {
	t.Helper()
	for id := int64(2); id <= 3 && s.Companies != nil; id++ {
		if err := s.Companies.Ensure(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
}

func glaze(t *testing.T, s *apitest.Shop) {
	t.Helper()
	status(t, s.Post("/api/2.0/options", `{"product_id": 1, "option_name": "Glaze", "variants": [`+
		strings.Repeat(`{"variant_name": "Blue"}, `, 8)+`{"variant_name": "Green"}]}`), 201)
}

func stock(t *testing.T, s *apitest.Shop) {
	t.Helper()
	status(t, s.Post("/api/2.0/categories", `{"category": "Cups", "company_id": 1}`), 201)
	status(t, s.Post("/api/2.0/products", `{"product": "Clay mug", "category_ids": [1], "price": "9.50", "company_id": 1}`), 201)
}

// overStores runs a test over each store without a server.
func overStores(t *testing.T, o shopapi.Options, test func(t *testing.T, s *apitest.Shop)) {
	t.Run("memory", func(t *testing.T) {
		test(t, documented(t, apitest.NewWithStore(t, memory.New(), &shop.Options{Options: o})))
	})
	t.Run("sqlite", func(t *testing.T) {
		test(t, documented(t, apitest.NewWithStore(t, shoptest.SQLite(t), &shop.Options{Options: o})))
	})
}

// eachStore runs a test in a shop over memory, SQLite and PostgreSQL.
func eachStore(t *testing.T, o *shop.Options, test func(t *testing.T, s *apitest.Shop, st store.Store)) {
	t.Helper()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		own := *o
		test(t, documented(t, apitest.NewWithStore(t, st, &own)), st)
	})
}

// vendor returns a client for a new user of a vendor with all privileges.
func vendor(s *apitest.Shop, company int64) *apitest.Client {
	var all []string
	for _, d := range s.Descriptions() {
		all = append(all, d.Privileges.View, d.Privileges.Manage)
	}
	return s.UserOf(company, all...)
}

// status checks the status of a response. An error must have a message.
func status(t *testing.T, a *apitest.Answer, want int) {
	t.Helper()
	if a.Status != want {
		t.Errorf("answered %d %s, want %d", a.Status, a.Body, want)
		return
	}
	if want == 204 && a.Body != "" {
		t.Errorf("204 came with the body %q", a.Body)
	}
	if want >= 400 {
		var e struct {
			Message string
			Status  int
		}
		if a.Decode(&e); e.Message == "" || e.Status != want {
			t.Errorf("the error is %s, want a message and the status", a.Body)
		}
	}
}

// body checks the status and body of a response.
func body(t *testing.T, a *apitest.Answer, wantStatus int, want string) {
	t.Helper()
	if a.Status != wantStatus || a.Body != want {
		t.Errorf("answered %d %s, want %d %s", a.Status, a.Body, wantStatus, want)
	}
}

// refused expects a 400 that names the field, if one is given.
func refused(t *testing.T, a *apitest.Answer, field string) {
	t.Helper()
	status(t, a, 400)
	var e struct{ Errors map[string]string }
	if a.Decode(&e); field != "" && e.Errors[field] == "" {
		t.Errorf("answered %s, want an error about %s", a.Body, field)
	}
}

// names returns the member names of a JSON object, sorted.
func names(t *testing.T, object json.RawMessage) []string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(object, &m); err != nil {
		t.Fatalf("%s is no object: %v", object, err)
	}
	var list []string
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// items returns the objects of a list, under the key or, without one, of a bare array; *
// means an object by id.
func items(t *testing.T, a *apitest.Answer, key string) []map[string]json.RawMessage {
	t.Helper()
	if a.Status != 200 {
		t.Fatalf("answered %d %s, want a list", a.Status, a.Body)
	}
	var list []map[string]json.RawMessage
	if key == "*" { // by id
		var byID map[string]map[string]json.RawMessage
		a.Decode(&byID)
		return slices.Collect(maps.Values(byID))
	}
	if key == "" {
		a.Decode(&list)
		return list
	}
	var envelope map[string]json.RawMessage
	a.Decode(&envelope)
	if err := json.Unmarshal(envelope[key], &list); err != nil {
		t.Fatalf("answered %s, want objects under %s: %v", a.Body, key, err)
	}
	return list
}

// ids returns the ids of a list in order, joined by spaces.
func ids(t *testing.T, a *apitest.Answer, key, id string) string {
	t.Helper()
	var list []string
	for _, item := range items(t, a, key) {
		list = append(list, strings.Trim(string(item[id]), `"`))
	}
	return strings.Join(list, " ")
}

// same compares two values.
func same[T any](t *testing.T, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// liveOptions returns the options of a shop with the live dialect.
func liveOptions() *shop.Options {
	return &shop.Options{Options: shopapi.Options{Dialect: shopapi.DialectLive}}
}
