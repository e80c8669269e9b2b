package docs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

func TestFiles_Export(t *testing.T) {
	st := memory.New()
	sh, err := shop.New(t.Context(), st, &shop.Options{
		Export: true,
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

func TestFiles_Jobs(t *testing.T) {
	st, dir := memory.New(), t.TempDir()
	sh, err := shop.New(t.Context(), st, &shop.Options{
		Jobs: files.JobOptions{Dir: dir},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := sh.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if err := users.EnsureRootKey(t.Context(), st, "ana@example.org", "0123456789abcdef0123456789abcdef"); err != nil {
		t.Fatal(err)
	}
	c := (&apitest.Client{T: t, Handler: sh}).As("ana@example.org", "0123456789abcdef0123456789abcdef")
	if a := c.Do("POST", "/api/2.0/jobs?import=taxes", "text/csv", "tax\nVAT\n"); a.Status != 202 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	for !strings.Contains(c.Get("/api/2.0/jobs/1").Body, `"completed"`) && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if a := c.Get("/api/2.0/taxes/1"); a.Status != 200 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}
