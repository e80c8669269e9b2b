package pull_test

import (
	"net/http/httptest"
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
