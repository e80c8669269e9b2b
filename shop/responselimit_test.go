package shop_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
)

// A fixed entity of the host has one object.
type fixed struct{ object any }

func (fixed) Describe() shopapi.Description {
	return shopapi.Description{Name: "fixed", Privileges: shopapi.Privileges{View: "view_fixed"}}
}

func (f fixed) Get(context.Context, *shopapi.Request, string) (any, error) { return f.object, nil }

// Pairs repeat the path of their value: 64 KB of JSON would be 480 MB as text/plain, and
// 400 KB would be 20 GB. Such a response is refused before it is encoded.
func TestResponseLimit_LongPaths(t *testing.T) {
	views := func(key, items int) string {
		return `{"` + strings.Repeat("k", key) + `":[1` + strings.Repeat(",1", items-1) + `]}`
	}
	s := apitest.New(t, nil)
	if err := s.Register(fixed{shopapi.Map{{Name: "selected_views", Value: shopapi.JSON(views(200_000, 100_000))}}}); err != nil {
		t.Fatal(err)
	}
	if r := s.Post("/api/2.0/categories", `{"category":"Cups","selected_views":`+views(40_000, 12_000)+`}`); r.Status != 201 {
		t.Fatal(r.Status, r.Body)
	}
	for _, address := range []string{"/api/2.0/categories/1", "/api/2.0/fixed/1"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := s.Accepting("text/plain").Get(address)
		runtime.ReadMemStats(&after)
		if r.Status != 406 || !strings.Contains(r.Body, "application%2Fjson") || !strings.Contains(r.Body, "16777216") {
			t.Errorf("%s is answered %d %.300s", address, r.Status, r.Body)
		}
		if allocated, most := after.TotalAlloc-before.TotalAlloc, uint64(64<<20); allocated > most {
			t.Errorf("%s: %d bytes were allocated, want at most %d", address, allocated, most)
		}
		if r := s.Get(address); r.Status != 200 || !strings.Contains(r.Body, `"kkk`) {
			t.Errorf("%s is answered %d as JSON", address, r.Status)
		}
	}
}

// A hundred objects of a quarter of a megabyte, the maximum of their documents, must be
// requested in parts.
func TestResponseLimit_LongLists(t *testing.T) {
	s := apitest.New(t, &shop.Options{Without: []string{"features"}}) // so that their values are documents
	if r := s.Post("/api/2.0/categories", `{"category":"Cups"}`); r.Status != 201 {
		t.Fatal(r.Status, r.Body)
	}
	long := strings.Repeat("x", 256<<10-100)
	for range 100 {
		p := products.Product{Summary: products.Summary{
			Name: "Mug", CategoryIDs: []int64{1}, Features: products.Features{{FeatureID: 1, Value: long}},
		}}
		if _, err := s.Products.Create(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	r := s.Get("/api/2.0/products?items_per_page=100")
	if r.Status != 400 || !strings.Contains(r.Body, "items_per_page and page") {
		t.Errorf("answered %d %.300s", r.Status, r.Body)
	}
	if r := s.Get("/api/2.0/products?items_per_page=45&page=2"); r.Status != 200 || len(r.Body) < 10_000_000 {
		t.Errorf("forty-five of them are answered %d with %d bytes", r.Status, len(r.Body))
	}
}

// The limit is an option. It bounds the encoded results of reads; confirmations of
// committed changes and errors are always sent.
func TestResponseLimit_Option(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Limits: shopapi.Limits{Response: 3000, CacheBytes: -1}}})
	plain := s.Accepting("text/plain")
	create := func(description string) {
		t.Helper()
		if r := s.Post("/api/2.0/categories", `{"category":"Cups","description":"`+description+`"}`); r.Status != 201 {
			t.Fatal(r.Status, r.Body)
		}
	}
	create("short")
	create(strings.Repeat("ü", 1000)) // 2,000 bytes, and 6,000 as text/plain
	create(strings.Repeat("x", 4000))
	for range 20 { // of about 150 bytes each in lists
		create("")
	}
	for _, test := range []struct {
		name   string
		answer *apitest.Answer
		status int
		told   string
	}{
		{"an object", s.Get("/api/2.0/categories/1"), 200, "short"},
		{"as text/plain", plain.Get("/api/2.0/categories/1"), 200, "short"},
		{"a longer object", s.Get("/api/2.0/categories/2"), 200, "ü"},
		{"as text/plain", plain.Get("/api/2.0/categories/2"), 406, "message=As%20text%2Fplain%20the%20object%20would%20be%20larger%20than%20the%203000%20bytes%20that%20are%20allowed.%20Ask%20for%20application%2Fjson."},
		{"an object too long", s.Get("/api/2.0/categories/3"), 400, "The object is larger than the 3000 bytes that a response may have."},
		{"as text/plain", plain.Get("/api/2.0/categories/3"), 406, "application%2Fjson"},
		{"HEAD", s.Do("HEAD", "/api/2.0/categories/3", "", ""), 400, ""},
		{"a list", s.Get("/api/2.0/categories?items_per_page=1&page=1"), 200, "Cups"},
		{"a list too long", s.Get("/api/2.0/categories"), 400, "The response would be larger than the 3000 bytes that are allowed. Ask for fewer items at once with items_per_page and page."},
		{"as text/plain", plain.Get("/api/2.0/categories"), 400, "items_per_page%20and%20page%2C%20or%20for%20application%2Fjson."},
		{"a change", s.Put("/api/2.0/categories/3", `{"description":"`+strings.Repeat("y", 4000)+`"}`), 200, "3"},
	} {
		if test.answer.Status != test.status || !strings.Contains(test.answer.Body, test.told) {
			t.Errorf("%s is answered %d %.300s, want %d %s", test.name, test.answer.Status, test.answer.Body, test.status, test.told)
		}
	}
	none := apitest.New(t, &shop.Options{Options: shopapi.Options{Limits: shopapi.Limits{Response: 1}}})
	if r := none.Post("/api/2.0/categories", `{"category":"Cups"}`); r.Status != 201 {
		t.Errorf("a change is answered %d %s", r.Status, r.Body)
	}
	if r := none.Get("/api/2.0/categories/9"); r.Status != 404 {
		t.Errorf("an error is answered %d %s", r.Status, r.Body)
	}
}
