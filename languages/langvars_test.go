package languages_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/languages"
	"github.com/shopapi/shopapi/shop"
)

// Variables are listed by name, and the name is the id (decisions §14, §23).
func TestLangvars_Shapes(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		want(t, s.Post("/api/2.0/langvars", `{"name": "gift_note", "value": "Add a gift note"}`), 201, `{"name":"gift_note"}`)
		want(t, s.Post("/api/2.0/langvars", `{"name": "buy"}`), 201, `{"name":"buy"}`)
		want(t, s.Get("/api/2.0/langvars/gift_note"), 200, `"lang_code":"en"`, `"name":"gift_note"`, `"value":"Add a gift note"`)
		want(t, s.Get("/api/2.0/langvars"), 200, `{"langvars":[{"value":"","name":"buy"},{"value":"Add a gift note","name":"gift_note"}],"params":{`,
			`"total_items":"2"`)
		want(t, s.Put("/api/2.0/langvars/buy", `{"value": "Buy", "name": "sell"}`), 200, `{"name":"buy"}`)
		want(t, s.Get("/api/2.0/langvars/buy"), 200, `"value":"Buy"`)
		want(t, s.Delete("/api/2.0/langvars/buy"), 204)
		want(t, s.Get("/api/2.0/langvars/buy"), 404)
		want(t, s.Delete("/api/2.0/langvars/buy"), 404)
	})
}

// PUT creates a missing variable, unless If-Match requires it to exist; POST of an
// existing one and invalid names are refused (decisions §23).
func TestLangvars_PutCreates(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		want(t, s.Put("/api/2.0/langvars/buy?sl=de", `{"value": "Kaufen"}`), 200, `{"name":"buy"}`)
		want(t, s.Get("/api/2.0/langvars/buy"), 200, `"value":"Kaufen"`) // the base language too
		want(t, s.Post("/api/2.0/langvars", `{"name": "buy", "value": "Buy"}`), 400, `"errors":{"name":`)
		for _, name := range []string{"Buy", "buy-now", "b%20y", "k%C3%B6pa", strings.Repeat("n", 256)} {
			want(t, s.Put("/api/2.0/langvars/"+name, `{"value": "Buy"}`), 404)
		}
		for _, body := range []string{`{"value": "Buy"}`, `{"name": "Buy"}`, `{"name": "kö"}`, `{"name": " "}`} {
			want(t, s.Post("/api/2.0/langvars", body), 400, `"errors":{"name":`)
		}
		want(t, s.Put("/api/2.0/langvars/new", `{"value": {}}`), 400, `"errors":{"value":`)
		want(t, s.Put("/api/2.0/langvars/new", `{"value": "New", "lang_code": "deu"}`), 400, `"errors":{"lang_code":`)
		want(t, s.Get("/api/2.0/langvars/new"), 404)
		put := func(name, header string) *apitest.Answer {
			req := httptest.NewRequestWithContext(t.Context(), "PUT", "/api/2.0/langvars/"+name, strings.NewReader(`{"value": "X"}`))
			req.SetBasicAuth(s.Email, s.Key)
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set(header, "*")
			return s.Send(req)
		}
		want(t, put("new", "If-Match"), http.StatusPreconditionFailed)
		want(t, put("new", "If-None-Match"), 200)
		want(t, put("new", "If-None-Match"), http.StatusPreconditionFailed)
		s.Events()
		want(t, s.Put("/api/2.0/langvars/new", `{"value": "X"}`), 200)
		if events := s.Events(); len(events) > 0 {
			t.Errorf("a value that a variable has is reported as a change: %v", events)
		}
	})
}

// ?sl= selects the language, as does the language in the address; deletion removes a
// variable from all languages (decisions §15, §23).
func TestLangvars_InLanguages(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		s.Post("/api/2.0/languages", `{"lang_code": "de", "name": "German"}`)
		s.Post("/api/2.0/langvars", `{"name": "buy", "value": "Buy"}`)
		want(t, s.Put("/api/2.0/languages/2/langvars/buy", `{"value": "Kaufen"}`), 200, `{"name":"buy"}`)
		want(t, s.Post("/api/2.0/languages/2/langvars", `{"name": "cart", "value": "Korb"}`), 201, `{"name":"cart"}`)
		want(t, s.Put("/api/2.0/langvars/cart", `{"value": "Cart"}`), 200)
		for address, parts := range map[string][]string{
			"langvars/buy":                   {`"value":"Buy"`, `"lang_code":"en"`},
			"langvars/buy?sl=de":             {`"value":"Kaufen"`, `"lang_code":"de"`},
			"langvars/buy?sl=fr":             {`"value":"Buy"`, `"lang_code":"fr"`},
			"languages/2/langvars/buy":       {`"value":"Kaufen"`, `"lang_code":"de"`},
			"languages/1/langvars/buy?sl=de": {`"value":"Buy"`, `"lang_code":"en"`},
			"languages/2/langvars":           {`[{"value":"Kaufen","name":"buy"},{"value":"Korb","name":"cart"}]`},
			"langvars?sl=de":                 {`[{"value":"Kaufen","name":"buy"},{"value":"Korb","name":"cart"}]`},
			"langvars":                       {`[{"value":"Buy","name":"buy"},{"value":"Cart","name":"cart"}]`},
		} {
			want(t, s.Get("/api/2.0/"+address), 200, parts...)
		}
		want(t, s.Put("/api/2.0/languages/2/langvars/buy", `{"value": "Acheter", "lang_code": "fr"}`), 400, `"lang_code"`)
		want(t, s.Get("/api/2.0/languages/9/langvars"), 404)
		if got := s.Delete("/api/2.0/languages/2/langvars/buy"); got.Status != 405 || got.Header.Get("Allow") != "GET, HEAD, PUT" {
			t.Errorf("DELETE below a language: %d, Allow %s", got.Status, got.Header.Get("Allow"))
		}
		want(t, s.Delete("/api/2.0/languages/2"), 204)
		want(t, s.Get("/api/2.0/langvars/buy?sl=de"), 200, `"value":"Buy"`)
	})
}

// A new language copies the variables of the language that it names, or else of the
// request's language (decisions §23).
func TestLanguages_CopyVariables(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		s.Post("/api/2.0/languages", `{"lang_code": "de", "name": "German"}`)
		s.Post("/api/2.0/langvars", `{"name": "buy", "value": "Buy"}`)
		s.Post("/api/2.0/langvars", `{"name": "cart", "value": "Cart"}`)
		s.Put("/api/2.0/langvars/buy?sl=de", `{"value": "Kaufen"}`)
		s.Put("/api/2.0/langvars/buy?sl=lb", `{"value": "Kafen"}`)
		want(t, s.Post("/api/2.0/languages", `{"lang_code": "at", "name": "Austrian", "from_lang_code": "DE"}`), 201)
		want(t, s.Post("/api/2.0/languages", `{"lang_code": "lb", "name": "Luxembourgish", "from_lang_code": "de"}`), 201)
		want(t, s.Post("/api/2.0/languages?sl=de", `{"lang_code": "li", "name": "Limburgish"}`), 201)
		want(t, s.Post("/api/2.0/languages", `{"lang_code": "us", "name": "American"}`), 201)
		want(t, s.Put("/api/2.0/languages/3", `{"from_lang_code": "fr"}`), 200)
		for _, code := range []string{"fr", "deu"} {
			want(t, s.Post("/api/2.0/languages", `{"lang_code": "xx", "name": "X", "from_lang_code": "`+code+`"}`), 400, `"errors":{"from_lang_code":`)
		}
		s.Put("/api/2.0/langvars/buy", `{"value": "Order"}`)
		s.Put("/api/2.0/langvars/buy?sl=de", `{"value": "Bestellen"}`)
		for code, value := range map[string]string{"at": "Kaufen", "lb": "Kafen", "li": "Kaufen", "us": "Buy", "de": "Bestellen"} {
			want(t, s.Get("/api/2.0/langvars/buy?sl="+code), 200, `"value":"`+value+`"`)
		}
		if body := s.Get("/api/2.0/languages/3").Body; strings.Contains(body, "from_lang_code") {
			t.Errorf("from_lang_code is answered: %s", body)
		}
	})
}

// From Go a variable is set in the language of the context.
func TestLangvars_FromGo(t *testing.T) {
	s := apitest.New(t, nil)
	german := shopapi.WithLanguage(t.Context(), "de")
	for _, set := range []struct {
		in    context.Context
		value string
	}{{t.Context(), "Buy"}, {german, "Kaufen"}} {
		if v, err := s.Langvars.Set(set.in, "buy", set.value); err != nil || v.Value != set.value {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	if v, err := s.Langvars.Get(t.Context(), "buy"); err != nil || v.Value != "Buy" {
		t.Errorf("%+v, %v", v, err)
	}
	list, n, err := s.Langvars.Find(german, languages.VariableFilter{})
	if err != nil || n != 1 || list[0].Value != "Kaufen" {
		t.Errorf("%+v, %d, %v", list, n, err)
	}
	if err := s.Langvars.Delete(t.Context(), "buy"); err != nil {
		t.Error(err)
	}
	if err := s.Langvars.Delete(t.Context(), "buy"); !strings.Contains(err.Error(), "buy") {
		t.Error(err)
	}
}

// The default language of a storefront stays too, as long as the storefront has it
// (decisions §15, §23).
func TestLanguages_DefaultOfAStorefrontStays(t *testing.T) {
	everyStore(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *apitest.Shop) {
		s.Post("/api/2.0/stores", `{"company": "B", "storefront": "b.example.com"}`)
		s.Post("/api/2.0/languages", `{"lang_code": "fr", "name": "French"}`)
		setting := defaultLanguage(s) + "?company_id=2"
		want(t, s.Put(setting, `{"value": "fr"}`), 200)
		for body, field := range map[string]string{`{"status": "D"}`: "status", `{"lang_code": "it"}`: "lang_code"} {
			want(t, s.Put("/api/2.0/languages/2", body), 400, `"errors":{"`+field+`":`, "default language of the storefront 2")
		}
		want(t, s.Delete("/api/2.0/languages/2"), 400, "default language of the storefront 2")
		want(t, s.Put("/api/2.0/languages/2", `{"name": "Français"}`), 200)
		want(t, s.Put(setting, `{"value": "en"}`), 200)
		want(t, s.Put("/api/2.0/languages/2", `{"status": "D"}`), 200)
		want(t, s.Delete("/api/2.0/languages/2"), 204)
	})
}

// The default language must be an active language of the shop (decisions §15).
func TestLanguages_DefaultIsActive(t *testing.T) {
	s := apitest.New(t, &shop.Options{})
	s.Post("/api/2.0/languages", `{"lang_code": "de", "name": "German"}`)
	s.Post("/api/2.0/languages", `{"lang_code": "fr", "name": "French", "status": "D"}`)
	address := defaultLanguage(s)
	for code, status := range map[string]int{"fr": 400, "nb": 400, "deu": 400} {
		want(t, s.Put(address, `{"value": "`+code+`"}`), status, `"errors":{"value":`)
	}
	want(t, s.Put(address, `{"value": "de"}`), 200)
	want(t, s.Delete("/api/2.0/languages/2"), 400, "default language")
}

// defaultLanguage is the address of the setting.
func defaultLanguage(s *apitest.Shop) string {
	var list struct {
		Settings []struct{ Object_ID, Name string }
	}
	s.Get("/api/2.0/settings?items_per_page=100").Decode(&list)
	i := slices.IndexFunc(list.Settings, func(setting struct{ Object_ID, Name string }) bool {
		return setting.Name == "default_language"
	})
	return "/api/2.0/settings/" + list.Settings[i].Object_ID
}
