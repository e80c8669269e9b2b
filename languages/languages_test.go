package languages_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/languages"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// everyStore runs a test in a shop over each store.
func everyStore(t *testing.T, opts shopapi.Options, fn func(t *testing.T, s *apitest.Shop)) {
	t.Helper()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		fn(t, apitest.NewWithStore(t, st, &shop.Options{Options: opts}))
	})
}

func want(t *testing.T, a *apitest.Answer, status int, parts ...string) {
	t.Helper()
	if a.Status != status {
		t.Errorf("%d %s, want %d", a.Status, a.Body, status)
	}
	for _, part := range parts {
		if !strings.Contains(a.Body, part) {
			t.Errorf("%s lacks %s", a.Body, part)
		}
	}
}

// The list is an object by code, and English is in every new shop (decisions §14, §23).
func TestLanguages_Shapes(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		want(t, s.Get("/api/2.0/languages"), 200,
			`{"languages":{"en":{"lang_id":"1","lang_code":"en","name":"English","status":"A","country_code":"US","direction":"ltr"}},"params":{`)
		want(t, s.Post("/api/2.0/languages", `{"lang_code": "PT", "name": "Portuguese", "country_code": "pt"}`), 201, `{"lang_id":"2"}`)
		want(t, s.Get("/api/2.0/languages/2"), 200, `"lang_code":"pt"`, `"country_code":"PT"`)
		want(t, s.Get("/api/2.0/languages/9"), 404)
	})
}

// A code is unique; the base and the default language cannot be deleted or get another
// code, and the default one stays active (decisions §15, §23).
func TestLanguages_BadInput(t *testing.T) {
	everyStore(t, shopapi.Options{DefaultLanguage: "de"}, func(t *testing.T, s *apitest.Shop) {
		want(t, s.Post("/api/2.0/languages", `{"lang_code": "de", "name": "German"}`), 201)
		want(t, s.Post("/api/2.0/languages", `{"lang_code": "DE", "name": "German"}`), 400, `"errors":{"lang_code":`)
		for body, field := range map[string]string{
			`{"name": "X"}`:                                           "lang_code",
			`{"lang_code": "deu", "name": "X"}`:                       "lang_code",
			`{"lang_code": "fr"}`:                                     "name",
			`{"lang_code": "fr", "name": "X", "status": "Z"}`:         "status",
			`{"lang_code": "fr", "name": "X", "direction": "up"}`:     "direction",
			`{"lang_code": "fr", "name": "X", "country_code": "FRA"}`: "country_code",
		} {
			want(t, s.Post("/api/2.0/languages", body), 400, `"errors":{"`+field+`":`)
		}
		for _, id := range []string{"1", "2"} {
			want(t, s.Delete("/api/2.0/languages/"+id), 400, "cannot be deleted")
			want(t, s.Put("/api/2.0/languages/"+id, `{"lang_code": "xx"}`), 400, `"lang_code"`)
		}
		for _, status := range []string{"D", "H"} {
			want(t, s.Put("/api/2.0/languages/2", `{"status": "`+status+`"}`), 400, `"errors":{"status":`)
			want(t, s.Put("/api/2.0/languages/1", `{"status": "`+status+`"}`), 200)
		}
	})
}

// Deleting a language removes only its texts (decisions §15).
func TestLanguages_DeletedWithTheirTexts(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		s.Post("/api/2.0/languages", `{"lang_code": "de", "name": "German"}`)
		s.Post("/api/2.0/categories", `{"category": "Cups"}`)
		s.Put("/api/2.0/categories/1?sl=de", `{"category": "Tassen"}`)
		s.Put("/api/2.0/categories/1?sl=nb", `{"category": "Kopper"}`) // a language that the shop lacks
		want(t, s.Delete("/api/2.0/languages/2"), 204)
		want(t, s.Get("/api/2.0/categories/1?sl=de"), 200, `"category":"Cups"`)
		want(t, s.Get("/api/2.0/categories/1?sl=nb"), 200, `"category":"Kopper"`, `"lang_code":"nb"`)
	})
}

// A request does not delete a language with very many texts, of all entities together, because other
// writers would wait for it; the host's own code does.
func TestLanguages_DeletedWithFewTexts(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithStore(t, memory.New(), &shop.Options{})
	s.Post("/api/2.0/languages", `{"lang_code": "de", "name": "German"}`)
	german := shopapi.WithLanguage(t.Context(), "de")
	words := make([]languages.Variable, 7_500)
	for i := range words {
		words[i].Name, words[i].Value = fmt.Sprintf("word_%d", i), "Tasse"
	}
	if _, err := s.Shop.Langvars.CreateAll(german, words[1:]); err != nil {
		t.Fatal(err)
	}
	s.Post("/api/2.0/categories?sl=en", `{"category": "Cups"}`)
	want(t, s.Put("/api/2.0/categories/1?sl=de", `{"category": "Tassen"}`), 200)
	one := s.Post("/api/2.0/categories?sl=de", `{"category": "Teller"}`).Field("category_id")
	want(t, s.Delete("/api/2.0/languages/2"), 400, "The language de cannot be deleted", "more than 7500")
	want(t, s.Get("/api/2.0/categories/1?sl=de"), 200, `"category":"Tassen"`)
	want(t, s.Delete("/api/2.0/categories/"+one), 204)
	want(t, s.Delete("/api/2.0/languages/2"), 204)
	want(t, s.Get("/api/2.0/categories/1?sl=de"), 200, `"category":"Cups"`)
}

// If-Match names the object as GET on the same address shows it, whatever language the body names
// (decisions §25).
func TestPreconditions_LanguageOfTheBody(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		s.Post("/api/2.0/categories", `{"category": "Cups"}`)
		tag := s.Get("/api/2.0/categories/1").Header.Get("Etag")
		req := httptest.NewRequestWithContext(t.Context(), "PUT", "/api/2.0/categories/1", strings.NewReader(`{"category": "Tassen", "lang_code": "de"}`))
		req.SetBasicAuth(s.Email, s.Key)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("If-Match", tag)
		want(t, s.Send(req), 200)
		want(t, s.Get("/api/2.0/categories/1?sl=de"), 200, `"category":"Tassen"`)
	})
}

// A text missing in a language is read in the default one, then in the base one; without
// sl the default one is written, and POST also writes the base one (decisions §15).
func TestTexts_Fallback(t *testing.T) {
	everyStore(t, shopapi.Options{DefaultLanguage: "de"}, func(t *testing.T, s *apitest.Shop) {
		s.Post("/api/2.0/categories", `{"category": "Cups", "lang_code": "en"}`)
		s.Post("/api/2.0/categories", `{"category": "Teller"}`)
		s.Put("/api/2.0/categories/1", `{"category": "Tassen"}`)
		s.Put("/api/2.0/categories/1?sl=fr", `{"description": "en terre"}`)
		s.Put("/api/2.0/categories/2?sl=en", `{"category": "Plates", "description": "of clay"}`)
		for address, parts := range map[string][]string{
			"1":       {`"category":"Tassen"`, `"lang_code":"de"`},
			"1?sl=en": {`"category":"Cups"`, `"lang_code":"en"`},
			"1?sl=fr": {`"category":"Tassen"`, `"description":"en terre"`, `"lang_code":"fr"`},
			"2":       {`"category":"Teller"`, `"description":"of clay"`},
			"2?sl=en": {`"category":"Plates"`},
			"2?sl=fr": {`"category":"Teller"`, `"description":"of clay"`},
		} {
			want(t, s.Get("/api/2.0/categories/"+address), 200, parts...)
		}
		want(t, s.Get("/api/2.0/categories?sl=en"), 200, `"category":"Cups"`, `"category":"Plates"`)
		want(t, s.Get("/api/2.0/categories"), 200, `"category":"Tassen"`, `"category":"Teller"`)
	})
}

// lang_code of taxes, shipping methods and options is the language that the request names;
// answers to other requests do not have it, as the samples of their pages (decisions §15).
func TestTexts_LangCodeWhereItIsAskedFor(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		s.Post("/api/2.0/categories", `{"category": "All"}`)
		s.Post("/api/2.0/products", `{"product": "Cup", "category_ids": [1]}`)
		for entity, name := range map[string]string{"taxes": "tax", "shippings": "shipping", "options": "option_name"} {
			want(t, s.Post("/api/2.0/"+entity, `{"`+name+`": "English", "product_id": 1}`), 201)
			want(t, s.Put("/api/2.0/"+entity+"/1", `{"`+name+`": "Deutsch", "lang_code": "de"}`), 200)
			want(t, s.Get("/api/2.0/"+entity+"/1?sl=de"), 200, `"`+name+`":"Deutsch"`, `"lang_code":"de"`)
			want(t, s.Get("/api/2.0/"+entity+"/1?sl=fr"), 200, `"`+name+`":"English"`, `"lang_code":"fr"`)
			if got := s.Get("/api/2.0/" + entity + "/1"); got.Status != 200 || strings.Contains(got.Body, "lang_code") {
				t.Errorf("GET of one of %s without a language: %d %s", entity, got.Status, got.Body)
			}
		}
		for _, list := range []string{"taxes?sl=de", "options?product_id=1&sl=de"} { // their items have the fields of one
			want(t, s.Get("/api/2.0/"+list), 200, `"lang_code":"de"`)
		}
	})
}

// Filters and sorting by a translated field use the language of the request, with the
// fallback text where it has none (decisions §15).
func TestTexts_FilterAndSort(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		s.Post("/api/2.0/categories", `{"category": "All"}`)
		for _, name := range []string{"Apple", "Bowl", "Cup"} {
			s.Post("/api/2.0/products", `{"product": "`+name+`", "category_ids": [1]}`)
		}
		s.Put("/api/2.0/products/1?sl=de", `{"product": "Zapfen"}`)
		s.Put("/api/2.0/products/3?sl=de", `{"product": "Ärmel"}`)
		for query, names := range map[string]string{
			"":                              "Apple Bowl Cup",
			"sl=de":                         "Bowl Zapfen Ärmel",
			"sl=de&sort_order=desc":         "Ärmel Zapfen Bowl",
			"sl=de&items_per_page=1&page=2": "Zapfen",
			"sl=de&q=zapf":                  "Zapfen",
			"sl=de&q=apple":                 "",
			"sl=de&q=bowl":                  "Bowl",
			"sl=de&q=ärm":                   "Ärmel",
			"q=zapf":                        "",
			"sl=fr":                         "Apple Bowl Cup",
		} {
			var list struct {
				Products []struct{ Product string }
			}
			s.Get("/api/2.0/products?" + query).Decode(&list)
			var got []string
			for _, p := range list.Products {
				got = append(got, p.Product)
			}
			if joined := strings.Join(got, " "); joined != names {
				t.Errorf("%s: %q, want %q", query, joined, names)
			}
		}
		want(t, s.Get("/api/2.0/products?sl=de&items_per_page=1"), 200, `"total_items":"3"`)
	})
}

// From Go the context carries the language.
func TestTexts_FromGo(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		german := shopapi.WithLanguage(t.Context(), "de")
		c, err := s.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "Cups"}})
		if err != nil || c.LangCode != "en" {
			t.Fatalf("%+v, %v", c, err)
		}
		c, err = s.Categories.Update(german, c.CategoryID, func(c *categories.Category) error { c.Name = "Tassen"; return nil })
		if err != nil || c.Name != "Tassen" || c.LangCode != "de" {
			t.Errorf("Update: %+v, %v", c, err)
		}
		if c, err = s.Categories.Get(t.Context(), c.CategoryID); err != nil || c.Name != "Cups" {
			t.Errorf("Get: %+v, %v", c, err)
		}
		list, _, err := s.Categories.Find(german, categories.Filter{Name: "tass"})
		if err != nil || len(list) != 1 || list[0].Name != "Tassen" {
			t.Errorf("Find: %+v, %v", list, err)
		}
	})
}

// The base language of a database never changes.
func TestTexts_BaseLanguage(t *testing.T) {
	st := memory.New()
	open := func(base string) (*shop.Shop, error) {
		return shop.New(t.Context(), st, &shop.Options{Options: shopapi.Options{BaseLanguage: base}})
	}
	s, err := open("de")
	if err != nil {
		t.Fatal(err)
	}
	if c, err := s.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "Tassen"}}); err != nil || c.LangCode != "de" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := open(""); err != nil {
		t.Error(err)
	}
	if _, err := open("en"); err == nil {
		t.Error("the base language was changed")
	}
}
