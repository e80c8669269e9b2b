package pull_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

// E8: a storefront's texts about statuses are taken in each language: a text that the storefront does
// not have of its own stays the shop's, or follows the one in the base language.
func TestE8_StatusTextsOfStorefronts(t *testing.T) {
	t.Parallel()
	old := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiStorefront}})
	for _, row := range [][2]string{
		{"languages", `{"lang_code": "de", "name": "Deutsch"}`},
		{"stores", `{"company": "Pottery", "email": "a@example.com", "storefront": "pottery.example.com"}`},
	} {
		if a := old.Post("/api/2.0/"+row[0], row[1]); a.Status != 201 {
			t.Fatalf("%s: %d %s", row[0], a.Status, a.Body)
		}
	}
	for _, row := range [][2]string{
		{"statuses/1", `{"email_header": "Danke", "lang_code": "de"}`},
		{"stores/2/statuses/1", `{"email_subj": "In our kiln"}`},
		{"stores/2/statuses/2", `{"email_subj": "In our shop", "email_header": "Hello"}`},
		{"stores/2/statuses/2", `{"email_subj": "Im Laden", "lang_code": "de"}`},
		{"stores/2/statuses/3", `{"email_header": "Hallo", "lang_code": "de"}`},
	} {
		if a := old.Put("/api/2.0/"+row[0], row[1]); a.Status != 200 {
			t.Fatalf("%s: %d %s", row[0], a.Status, a.Body)
		}
	}
	server := httptest.NewServer(old.Shop)
	t.Cleanup(server.Close)
	made, o := memory.New(), pull.Options{From: server.URL + "/api", Email: old.Email, Key: old.Key, Insecure: true, Pause: time.Millisecond}
	for _, later := range []string{"", "Am Kai"} {
		if later != "" {
			old.Put("/api/2.0/stores/2/statuses/2", `{"email_subj": "`+later+`", "lang_code": "de"}`)
		}
		if report := run(t, newShop(t, made), o); len(report.Problems) > 0 {
			t.Errorf("problems %+v", report.Problems)
		}
		want, got := tables(t, old.Store), tables(t, made)
		for _, table := range []string{"store_status_texts", "store_status_translations"} {
			if diff := gocmp.Diff(want[table], got[table]); diff != "" || len(got[table]) != 2 {
				t.Errorf("%s: %s", table, diff)
			}
		}
	}
}

// E8: texts that a later run may not read stay as an earlier run took them, and are reported; a run
// that may read them again takes what changed.
func TestE8_RefusedTextsStay(t *testing.T) {
	t.Parallel()
	old := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiStorefront}})
	for _, row := range [][2]string{
		{"languages", `{"lang_code": "de", "name": "Deutsch"}`},
		{"languages", `{"lang_code": "fr", "name": "Français"}`},
		{"langvars", `{"name": "hello", "value": "Hello"}`},
		{"stores", `{"company": "Pottery", "email": "a@example.com", "storefront": "pottery.example.com"}`},
	} {
		if a := old.Post("/api/2.0/"+row[0], row[1]); a.Status != 201 {
			t.Fatalf("%s: %d %s", row[0], a.Status, a.Body)
		}
	}
	put := func(path, body string) {
		t.Helper()
		if a := old.Put("/api/2.0/"+path, body); a.Status != 200 {
			t.Fatalf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	put("statuses/1", `{"email_header": "Danke", "lang_code": "de"}`)
	put("statuses/1", `{"email_header": "Merci", "lang_code": "fr"}`)
	put("langvars/hello", `{"value": "Hallo", "lang_code": "de"}`)
	put("stores/2/statuses/2", `{"email_subj": "In our shop", "email_header": "Hello"}`)
	put("stores/2/statuses/2", `{"email_subj": "Im Laden", "lang_code": "de"}`)
	refused := func(string) bool { return false }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refused(strings.TrimPrefix(r.URL.Path, "/api/2.0/") + " " + r.URL.Query().Get("sl")) {
			http.Error(w, `{"message": "no", "status": 403}`, http.StatusForbidden)
			return
		}
		old.Shop.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	made := memory.New()
	pulled := func() []pull.Problem {
		t.Helper()
		o := pull.Options{From: server.URL + "/api", Email: old.Email, Key: old.Key, Insecure: true, Pause: time.Millisecond}
		return run(t, newShop(t, made), o).Problems
	}
	names := []string{"statuses", "statuses_texts", "store_status_texts", "store_status_translations"}
	agree := func(when string) {
		t.Helper()
		want, got := tables(t, old.Store), tables(t, made)
		for _, name := range names {
			if want[name] == nil {
				t.Errorf("%s: no table %s", when, name)
			}
			if diff := gocmp.Diff(want[name], got[name]); diff != "" {
				t.Errorf("%s: %s: %s", when, name, diff)
			}
		}
		ctx := shopapi.WithLanguage(t.Context(), "de")
		theirs, err := old.Shop.Langvars.Get(ctx, "hello")
		if err != nil {
			t.Fatal(err)
		}
		if ours, err := newShop(t, made).Langvars.Get(ctx, "hello"); err != nil || ours.Value != theirs.Value {
			t.Errorf("%s: the German text is %q, want %q, %v", when, ours.Value, theirs.Value, err)
		}
	}
	if problems := pulled(); len(problems) > 0 {
		t.Errorf("problems %+v", problems)
	}
	agree("the first run")
	for _, tc := range []struct{ refused, entity, reason string }{
		{"stores/2/statuses ", "stores", "403"},
		{"stores/2/statuses de", "stores", "language de"},
		{"statuses de", "statuses", "language de"},
		{"langvars de", "langvars", "language de"},
	} {
		refused = func(address string) bool { return address == tc.refused }
		for range 2 {
			problems := pulled()
			i := slices.IndexFunc(problems, func(p pull.Problem) bool { return p.Entity == tc.entity })
			if i < 0 || !strings.Contains(problems[i].Reason, tc.reason) || !strings.Contains(problems[i].Reason, "what was taken before stays") {
				t.Errorf("%s: problems %+v", tc.refused, problems)
			}
			agree(tc.refused)
		}
	}
	refused = func(string) bool { return false }
	put("stores/2/statuses/2", `{"email_subj": "Am Kai", "lang_code": "de"}`)
	put("statuses/1", `{"email_header": "Vielen Dank", "lang_code": "de"}`)
	put("langvars/hello", `{"value": "Moin", "lang_code": "de"}`)
	if problems := pulled(); len(problems) > 0 {
		t.Errorf("problems %+v", problems)
	}
	agree("the last run")
}
