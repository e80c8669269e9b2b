package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/doccheck"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// demoShop returns a shop with the demo at a fixed time, and a reader with the rights of
// its root administrator.
func demoShop(t *testing.T, options ...func(*shop.Options)) (*shop.Shop, reader) {
	t.Helper()
	now := time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)
	o := &shop.Options{Options: shopapi.Options{Clock: func() time.Time { return now }}}
	for _, set := range options {
		set(o)
	}
	sh, err := shop.New(t.Context(), memory.New(), o)
	if err != nil {
		t.Fatal(err)
	}
	const email, key = "root@example.com", "a-key-of-some-length-1"
	if err := users.EnsureRootKey(t.Context(), sh.Store, email, key); err != nil {
		t.Fatal(err)
	}
	if err := sh.Store.Migrate(t.Context(), demos.Schema()); err != nil {
		t.Fatal(err)
	}
	f := newFiller(t.Context(), sh)
	if err := f.fill(t.Context(), sizeOf(1, 25), io.Discard); err != nil {
		t.Fatal(err)
	}
	return sh, reader{t, email, key}
}

var update = flag.Bool("update", false, "write the examples of package apidoc anew")

// TestDemo_Examples: the examples in the OpenAPI document are objects of the demo.
func TestDemo_Examples(t *testing.T) {
	sh, r := demoShop(t)
	h := doccheck.Handler(t, sh.API) // checks responses against the document
	objects := map[string]json.RawMessage{}
	for _, d := range sh.Descriptions() {
		if !slices.Contains(d.Operations, shopapi.OpList) || !slices.Contains(d.Operations, shopapi.OpGet) || d.Name == "users" {
			continue // its timestamp is the time of the test
		}
		status, list := r.get(h, "/"+d.Name)
		if status != 200 { // only below one product
			_, list = r.get(h, "/"+d.Name+"?product_id=1")
		}
		if ids := idsIn(list, d.IDField); len(ids) > 0 {
			_, body := r.get(h, "/"+d.Name+"/"+ids[0])
			objects[d.Name] = json.RawMessage(body)
		}
	}
	_, body := r.get(h, "/users/4")
	objects["users"] = json.RawMessage(body)

	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(objects); err != nil {
		t.Fatal(err)
	}
	const file = "../../apidoc/examples.json"
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("the demo has other objects: go test ./examples/shop -run TestDemo_Examples -update writes them (-demo +file):\n%s", diff)
	}
}
