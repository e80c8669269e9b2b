package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/shop/shopcheck"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/store/storecopy"
	"github.com/shopapi/shopapi/users"
)

// TestDemo_RoundTrip copies the demo of a shop with vendors from SQLite to PostgreSQL
// and back: each copy has the same responses, and no rows contradict each other.
func TestDemo_RoundTrip(t *testing.T) {
	t.Parallel()
	const email, key = "root@example.com", "a-key-of-some-length-1"
	now := time.Now().Truncate(time.Second)
	opened := func(st store.Store, err error) (store.Store, *shop.Shop) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := st.Close(); err != nil {
				t.Error(err)
			}
		})
		sh, err := shop.New(t.Context(), st, &shop.Options{Options: shopapi.Options{
			Edition: shopapi.MultiVendor, Clock: func() time.Time { return now },
		}})
		if err != nil {
			t.Fatal(err)
		}
		return st, sh
	}
	file := func(name string) (store.Store, error) {
		return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), name), nil)
	}

	from, sh := opened(file("shop.db"))
	if err := users.EnsureRootKey(t.Context(), from, email, key); err != nil {
		t.Fatal(err)
	}
	if err := from.Migrate(t.Context(), demos.Schema()); err != nil {
		t.Fatal(err)
	}
	f := newFiller(t.Context(), sh)
	if err := f.fill(t.Context(), sizeOf(1, 25), io.Discard); err != nil {
		t.Fatal(err)
	}
	agrees := func(st store.Store) {
		t.Helper()
		if err := shopcheck.Check(t.Context(), st, func(v shopcheck.Violation) { t.Errorf("%T: %v", st, v) }); err != nil {
			t.Error(err)
		}
	}
	agrees(from)
	r := reader{t, email, key}
	want := r.everything(sh)
	for _, address := range []string{
		"/products/240", "/orders?page=1&items_per_page=100", "/orders/100", "/users/1/usergroups", "/vendors/2", "/discussions/500",
	} {
		if !strings.HasPrefix(want[address], "200 ") {
			t.Errorf("%s answers %.200s", address, want[address])
		}
	}
	for _, next := range []func() (store.Store, error){
		func() (store.Store, error) { return postgres.Open(t.Context(), pgtest.DSN(t)) },
		func() (store.Store, error) { return file("back.db") },
	} {
		to, err := next()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := storecopy.Copy(t.Context(), to, from, shop.Schemas(), nil); err != nil {
			t.Fatal(err)
		}
		from, sh = opened(to, nil)
		if diff := gocmp.Diff(want, r.everything(sh)); diff != "" {
			t.Errorf("the copy in %T answers otherwise (-original +copy):\n%.3000s", to, diff)
		}
		agrees(to)
	}
}

// A reader reads a shop as a client does.
type reader struct {
	*testing.T
	email, key string
}

// get returns status and body of an address.
func (r reader) get(h http.Handler, address string) (status int, body string) {
	req := httptest.NewRequestWithContext(r.Context(), "GET", "/api/2.0"+address, nil)
	req.SetBasicAuth(r.email, r.key)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w.Code, w.Body.String()
}

// nestedUnder is the number of objects of an entity below which lists are read.
const nestedUnder = 3

// everything returns the responses of all lists, page by page, of all objects in them,
// and of the nested lists of the first objects of each entity.
func (r reader) everything(sh *shop.Shop) map[string]string {
	r.Helper()
	answers := map[string]string{}
	ids := map[string][]string{} // by the address of the list
	for _, place := range sh.EntityPaths() {
		addresses := []string{"/" + place.Name}
		switch len(place.Parents) {
		case 0:
		case 1:
			parent := "/" + place.Parents[0].Name
			addresses = nil
			for _, id := range ids[parent][:min(nestedUnder, len(ids[parent]))] {
				addresses = append(addresses, parent+"/"+id+"/"+place.Name)
			}
		default:
			continue
		}
		for _, address := range addresses {
			if slices.Contains(place.Operations, shopapi.OpList) {
				ids[address] = r.list(sh, address, place.IDField, answers)
			}
			for _, id := range ids[address] {
				if slices.Contains(place.Operations, shopapi.OpGet) {
					r.note(sh, address+"/"+id, answers)
				}
			}
		}
	}
	return answers
}

func (r reader) note(sh *shop.Shop, address string, answers map[string]string) (body string) {
	status, body := r.get(sh, address)
	if status >= 500 {
		r.Errorf("%s answers %d %s", address, status, body)
	}
	answers[address] = fmt.Sprint(status, " ", body)
	return body
}

// list reads a list page by page, and once without pages, and returns the ids in it.
func (r reader) list(sh *shop.Shop, address, idField string, answers map[string]string) (ids []string) {
	r.note(sh, address, answers)
	for page := 1; ; page++ {
		body := r.note(sh, fmt.Sprintf("%s?page=%d&items_per_page=100", address, page), answers)
		added := 0
		for _, id := range idsIn(body, idField) {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
				added++
			}
		}
		if added == 0 {
			return ids
		}
	}
}

// idsIn returns the ids of the items of a list of any shape.
func idsIn(body, idField string) (ids []string) {
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var list any
	if d.Decode(&list) != nil {
		return nil
	}
	if envelope, ok := list.(map[string]any); ok && envelope["params"] != nil {
		delete(envelope, "params")
		for _, items := range envelope {
			list = items
		}
	}
	items, _ := list.([]any)
	if byID, ok := list.(map[string]any); ok {
		for _, item := range byID {
			items = append(items, item)
		}
	}
	for _, item := range items {
		object, _ := item.(map[string]any)
		if id := cmp.Or(object[idField], object["company_id"]); id != nil { // replies name the id of companies differently
			ids = append(ids, fmt.Sprint(id))
		}
	}
	slices.Sort(ids)
	return ids
}
