package pull_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// requests are the answers of an old shop with callback requests.
func requests(ids ...int) map[string]string {
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf(`{"request_id":"%d","company_id":"1","status":"new","phone":"1"}`, id))
	}
	return map[string]string{"categories": `[]`, "call_requests": "[" + strings.Join(list, ",") + "]"}
}

// Where more than 10 objects and more than 10 % of an entity are gone, they stay without
// DeleteAll.
func TestE8_DeleteOfMany(t *testing.T) {
	t.Parallel()
	var all []int
	for id := range 30 {
		all = append(all, id+1)
	}
	sh := newShop(t, memory.New())
	first := php(t, requests(all...))
	run(t, sh, from(first))
	for _, step := range []struct {
		left     int
		all      bool
		problems int
		here     int64
	}{{20, false, 0, 20}, {5, false, 1, 20}, {5, true, 0, 5}} {
		url := php(t, requests(all[:step.left]...))
		moveSource(t, sh.Store, url)
		o := from(url)
		o.Delete, o.DeleteAll = true, step.all
		report := run(t, sh, o)
		if n := report.Counts["call_requests"].Here; n != step.here || len(report.Problems) != step.problems {
			t.Errorf("%+v: %d requests are here, problems %+v", step, n, report.Problems)
		}
	}
}

// An object that is gone there stays if a row of this shop names it.
func TestE8_DeleteOfNamedRows(t *testing.T) {
	t.Parallel()
	const one = `{"category_id":"1","parent_id":"0","category":"Mugs","status":"A","company_id":"1"}`
	sh := newShop(t, memory.New())
	run(t, sh, from(php(t, map[string]string{"categories": "[" + one + "]", "categories/1": one})))
	if _, err := sh.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "Small", ParentID: 1, CompanyID: 1}}); err != nil {
		t.Fatal(err)
	}
	url := php(t, map[string]string{"categories": `[]`})
	moveSource(t, sh.Store, url)
	o := from(url)
	o.Delete = true
	report := run(t, sh, o)
	if _, err := sh.Categories.Get(t.Context(), 1); err != nil {
		t.Errorf("the category: %v, problems %+v", err, report.Problems)
	}
	if got := problem(report, "categories", "1", ""); !strings.Contains(got, "stays") {
		t.Errorf("problems %+v", report.Problems)
	}
}

// An object that was deleted here stays deleted, and is reported where it changed there. A row
// of this shop under an id that is pulled stays too.
func TestE8_WhatIsHereStays(t *testing.T) {
	t.Parallel()
	sh := newShop(t, memory.New())
	run(t, sh, from(php(t, requests(1))))
	if err := sh.CallRequests.Delete(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	s := sh.CallRequests
	own := s.Defaults(t.Context())
	own.Phone = "2"
	made, err := s.Create(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	answers := requests(1, int(made.RequestID))
	answers["call_requests"] = strings.ReplaceAll(answers["call_requests"], `"phone":"1"`, `"phone":"3"`)
	url := php(t, answers)
	moveSource(t, sh.Store, url)
	report := run(t, sh, from(url))
	if got := problem(report, "call_requests", "1", ""); !strings.Contains(got, "deleted here") {
		t.Errorf("the deleted one: %+v", report.Problems)
	}
	if got := problem(report, "call_requests", fmt.Sprint(made.RequestID), ""); !strings.Contains(got, "row of its own") {
		t.Errorf("the own one: %+v", report.Problems)
	}
	if got, err := s.Get(t.Context(), made.RequestID); err != nil || got.Phone != "2" {
		t.Errorf("the own request is %+v, %v", got, err)
	}
	if _, err := s.Get(t.Context(), 1); err == nil {
		t.Error("the deleted request is here again")
	}
}

// A certificate of an authority that CA names is accepted.
func TestE8_OwnAuthority(t *testing.T) {
	t.Parallel()
	encrypted := httptest.NewTLSServer(phpHandler(requests(1)))
	defer encrypted.Close()
	o := from(encrypted.URL + "/api")
	o.Insecure = false
	o.CA = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: encrypted.Certificate().Raw})
	if report := run(t, newShop(t, memory.New()), o); report.Counts["call_requests"].Here != 1 {
		t.Errorf("%+v", report.Counts["call_requests"])
	}
}

// An answer of more than 64 MiB is not read whole, and is reported.
func TestE8_AnswersAreBounded(t *testing.T) {
	t.Parallel()
	spaces := bytes.Repeat([]byte(" "), 1<<20)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/call_requests") {
			phpHandler(requests()).ServeHTTP(w, r)
			return
		}
		for range 66 {
			if _, err := w.Write(spaces); err != nil {
				return
			}
		}
		w.Write([]byte("[]"))
	}))
	defer server.Close()
	report := run(t, newShop(t, memory.New()), from(server.URL+"/api"))
	if got := problem(report, "call_requests", "", ""); !strings.Contains(got, "64 MiB") {
		t.Errorf("problems %+v", report.Problems)
	}
}

// Images that are no images, too large ones, and ones whose redirect leads into the own network
// keep their address, and are reported.
func TestE8_ImagesThatAreRefused(t *testing.T) {
	t.Parallel()
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the own network was asked") }))
	defer inside.Close()
	inner := strings.Replace(inside.URL, "127.0.0.1", "127.0.0.2", 1)
	answers := map[string]string{"categories": `[]`, "products": `[{"product_id":"1"},{"product_id":"2"},{"product_id":"3"},{"product_id":"4"}]`}
	for id, name := range map[int]string{1: "page.png", 2: "large.png", 3: "away.png", 4: "missing.png"} {
		answers[fmt.Sprintf("products/%d", id)] = fmt.Sprintf(`{"product_id":"%d","product":"A","status":"A","main_pair":{"pair_id":"%d","detailed":{"image_path":"/pictures/%s"}}}`, id, id, name)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/pictures/page.png":
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte("<html>"))
		case "/pictures/large.png":
			w.Header().Set("Content-Type", "image/png")
			block := make([]byte, 1<<20)
			for range 33 {
				w.Write(block)
			}
		case "/pictures/away.png":
			http.Redirect(w, r, inner+"/a.png", http.StatusFound)
		default:
			phpHandler(answers).ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	st := memory.New()
	o := from(server.URL + "/api")
	o.Images = filepath.Join(t.TempDir(), "images")
	report := run(t, newShop(t, st), o)
	for id, want := range map[int64]string{1: "no image", 2: "32 MiB", 3: "not a public address", 4: "404"} {
		if got := problem(report, "products", fmt.Sprint(id), "main_pair"); !strings.Contains(got, want) {
			t.Errorf("product %d: %q, want %q", id, got, want)
		}
		if path := cell(t, st, "products", "main_pair", id).Text(); !strings.Contains(path, "/pictures/") {
			t.Errorf("product %d has the image %s", id, path)
		}
	}
}

// A part of an object that conflicts with another row is taken by a later run, once the other row is
// gone. Until then it does not count as a change of this shop.
func TestE8_PartsAfterAConflict(t *testing.T) {
	t.Parallel()
	groups := func(first, second string) map[string]string {
		return map[string]string{
			"categories": `[]`,
			"product_variations_groups": `{"groups":[{"id":"1","code":"A","products":[` + first + `],"features":[]},` +
				`{"id":"2","code":"B","products":[` + second + `],"features":[]}]}`,
		}
	}
	const one, two, three = `{"product_id":"11"}`, `{"product_id":"12"}`, `{"product_id":"13"}`
	sh := newShop(t, memory.New())
	for n, step := range []struct {
		answers  map[string]string
		problems int
		inFirst  int64
	}{
		{groups(one, two+","+three), 0, 1},
		{groups(one+","+two, three), 1, 1}, // the second group still has it when the first is written
		{groups(one+","+two, three), 0, 2},
		{groups(one, three), 0, 1},
	} {
		url := php(t, step.answers)
		if n > 0 {
			moveSource(t, sh.Store, url)
		}
		report := run(t, sh, from(url))
		if len(report.Problems) != step.problems {
			t.Errorf("run %d: problems %+v, want %d", n+1, report.Problems, step.problems)
		}
		var got int64
		err := sh.Store.View(t.Context(), func(_ context.Context, tx store.Tx) (err error) {
			i := slices.IndexFunc(shop.Schemas(), func(s *store.Schema) bool { return s.Name == "product_variation_group_products" })
			got, err = tx.Count(shop.Schemas()[i], []store.Cond{store.Equal("group_id", store.Int(1))})
			return err
		})
		if err != nil || got != step.inFirst {
			t.Errorf("run %d: the first group has %d products, want %d: %v", n+1, got, step.inFirst, err)
		}
	}
}
