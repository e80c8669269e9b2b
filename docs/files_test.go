package docs_test

import (
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

func TestFiles_Export(t *testing.T) {
	st := memory.New()
	sh, err := shop.New(t.Context(), st, &shop.Options{
		Options: shopapi.Options{Export: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := users.EnsureRootKey(t.Context(), st, "ana@example.org", "0123456789abcdef0123456789abcdef"); err != nil {
		t.Fatal(err)
	}
	c := (&apitest.Client{T: t, Handler: sh}).As("ana@example.org", "0123456789abcdef0123456789abcdef").Accepting("text/csv")
	if body := c.Get("/api/2.0/languages?fields=lang_code").Body; body != "lang_id,lang_code\r\n1,en\r\n" {
		t.Errorf("got %q", body)
	}
}
