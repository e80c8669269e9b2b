package shop_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/storecopy"
	"github.com/shopapi/shopapi/users"
)

// fixtureKey is the key of fixtureEmail in the databases of testdata.
const (
	fixtureEmail = "admin@example.com"
	fixtureKey   = "fixture-of-a-shop-not-a-secret"
)

// update writes the fixture of the present version.
var update = flag.Bool("update", false, "write the newest database of testdata anew")

// fixtures are the databases of testdata, the newest last.
var fixtures = []string{"first"}

// A database that a released version made, opened by this one, answers as before, and PUT of
// what GET answers changes nothing (§24).
func TestUpgrade_OpensTheDatabaseOf(t *testing.T) {
	t.Parallel()
	if *update {
		makeFixture(t, filepath.Join("testdata", fixtures[len(fixtures)-1]))
	}
	for _, version := range fixtures {
		for name, open := range map[string]func(t *testing.T, file store.Store) store.Store{
			"sqlite":   func(_ *testing.T, file store.Store) store.Store { return file },
			"memory":   func(t *testing.T, file store.Store) store.Store { return copied(t, memory.New(), file) },
			"postgres": func(t *testing.T, file store.Store) store.Store { return copied(t, openPostgres(t), file) },
		} {
			t.Run(version+"/"+name, func(t *testing.T) {
				st := open(t, openFixture(t, version+".db.gz"))
				for range 2 { // the second run has nothing to convert
					s, err := shop.New(t.Context(), st, fixtureOptions())
					if err != nil {
						t.Fatal(err)
					}
					c := (&apitest.Client{T: t, Handler: s}).As(fixtureEmail, fixtureKey)
					checkAnswers(t, c, filepath.Join("testdata", version+".json"))
				}
			})
		}
	}
}

func fixtureOptions() *shop.Options {
	return &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor, Clock: func() time.Time { return apitest.Start }}}
}

// makeFixture writes a database with objects of every entity, and the answers of this
// version to GET of every list and object.
func makeFixture(t *testing.T, path string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shop.db")
	st := openFile(t, file)
	s, err := shop.New(t.Context(), st, fixtureOptions())
	if err == nil {
		err = users.EnsureRootKey(t.Context(), st, fixtureEmail, fixtureKey)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := (&apitest.Client{T: t, Handler: s}).As(fixtureEmail, fixtureKey)
	fill := func(answer *apitest.Answer) {
		t.Helper()
		if answer.Status >= 300 {
			t.Fatal(answer.Status, answer.Body)
		}
	}
	fill(c.Post("/api/2.0/vendors", `{"company": "Kiln", "storefront": "kiln.example.org", "email": "a@b.c", "phone": "1", "address": "Quay 1",
		"city": "Oslo", "country": "NO", "state": "03", "zipcode": "0150", "commission": "2.50", "shippings": {"1": "Y"}}`))
	for _, e := range oneOfEach {
		fill(c.Post("/api/2.0/"+e.name, e.payload))
	}
	fill(c.Post("/api/2.0/products", `{"product": "Jug", "company_id": 2, "category_ids": [1], "price": "19.95", "amount": 4,
		"main_pair": {"detailed": {"image_path": "https://example.org/jug.png", "alt": "A jug", "image_x": 800, "image_y": 600}},
		"image_pairs": [{"icon": {"image_path": "jug-small.png"}}, {"detailed": {"image_path": "/side.png"}}]}`))
	fill(c.Put("/api/2.0/products/1?sl=nb", `{"product": "Kopp"}`))
	fill(c.Put("/api/2.0/carts/2", `{"products": {"1": {"amount": 2, "product_options": {"1": 1}}}}`))
	fill(c.Put("/api/2.0/orders/1", `{"total": "12.34", "notes": "Ring twice"}`))
	fill(c.Put("/api/2.0/settings/1", `{"value": "17"}`))
	fill(c.Post("/api/2.0/master_products", `{"product": "Kettle", "price": "35.00", "category_ids": [1]}`))
	fill(c.Post("/api/2.0/master_products/4/master_product_offers", `{"company_id": 2, "price": "33.00"}`))

	answers := map[string]json.RawMessage{}
	for _, d := range s.Descriptions() {
		list := c.Get("/api/2.0/" + d.Name + "?items_per_page=100")
		if list.Status != http.StatusOK {
			continue // reached under another entity alone
		}
		answers[d.Name+"?items_per_page=100"] = json.RawMessage(list.Body)
		for id := range 20 {
			address := fmt.Sprintf("%s/%d", d.Name, id+1)
			if one := c.Get("/api/2.0/" + address); one.Status == http.StatusOK {
				answers[address] = json.RawMessage(one.Body)
			}
		}
	}
	text, err := json.MarshalIndent(answers, "", "\t")
	if err := errors.Join(err, st.Close(), os.WriteFile(path+".json", append(text, '\n'), 0o600)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(data)
	if err := errors.Join(err, w.Close(), os.WriteFile(path+".db.gz", packed.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// openFixture opens a copy of a database of testdata.
func openFixture(t *testing.T, name string) store.Store {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "shop.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	st := openFile(t, path)
	t.Cleanup(func() { st.Close() })
	return st
}

func openPostgres(t *testing.T) store.Store {
	t.Helper()
	st, err := postgres.Open(t.Context(), pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// copied copies the rows of from unchanged and returns to.
func copied(t *testing.T, to, from store.Store) store.Store {
	t.Helper()
	t.Cleanup(func() { to.Close() })
	if _, err := storecopy.Copy(t.Context(), to, from, shop.Schemas(), nil); err != nil {
		t.Fatal(err)
	}
	return to
}

// checkAnswers compares the responses with a file, sends each object back, and
// compares them again.
func checkAnswers(t *testing.T, c *apitest.Client, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	before := make(map[string]string, len(want))
	for address := range want {
		a := c.Get("/api/2.0/" + address)
		if a.Status != http.StatusOK {
			t.Errorf("GET %s is answered %d %s", address, a.Status, a.Body)
			continue
		}
		before[address] = a.Body
		for _, problem := range lacking(address, want[address], a.JSON()) {
			t.Error(problem)
		}
	}
	for _, address := range slices.Sorted(maps.Keys(before)) {
		if !isObject(address) || slices.Contains(unwritable, address) {
			continue
		}
		if a := c.Put("/api/2.0/"+address, before[address]); a.Status != http.StatusOK {
			t.Errorf("PUT %s of what GET answers is answered %d %s", address, a.Status, a.Body)
		}
	}
	for address, body := range before {
		if now := c.Get("/api/2.0/" + address).Body; now != body {
			t.Errorf("PUT of what GET answers changed %s from\n%s\nto\n%s", address, body, now)
		}
	}
}

// unwritable are objects of testdata that PUT refuses: a common product, which has its own
// address, and the reserved user groups.
var unwritable = []string{"products/4", "product_variations/4", "usergroups/1", "usergroups/2"}

// isObject reports whether an address is the address of one object at the top.
func isObject(address string) bool {
	_, id, found := strings.Cut(address, "/")
	return found && strings.Trim(id, "0123456789") == ""
}

// withoutNewSettings returns the settings of a list that an older one has too.
func withoutNewSettings(list, older []any) []any {
	name := func(item any) any { object, _ := item.(map[string]any); return object["name"] }
	return slices.DeleteFunc(slices.Clone(list), func(item any) bool {
		return !slices.ContainsFunc(older, func(o any) bool { return name(o) == name(item) })
	})
}

// lacking returns the places where an answer differs from that of the older version.
// Fields, and settings, may have been added since.
func lacking(at string, want, got any) (problems []string) {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			break
		}
		for name, v := range want {
			if name == "total_items" && strings.HasPrefix(at, "settings?") {
				continue
			}
			problems = append(problems, lacking(at+" "+name, v, object[name])...)
		}
		return problems
	case []any:
		list, ok := got.([]any)
		if strings.HasPrefix(at, "settings?") && len(list) > len(want) {
			list = withoutNewSettings(list, want)
		}
		if !ok || len(list) != len(want) {
			break
		}
		for i, v := range want {
			problems = append(problems, lacking(fmt.Sprintf("%s[%d]", at, i), v, list[i])...)
		}
		return problems
	}
	if fmt.Sprintf("%#v", want) == fmt.Sprintf("%#v", got) {
		return nil
	}
	return []string{fmt.Sprintf("%s is answered %#v, and was %#v", at, got, want)}
}
