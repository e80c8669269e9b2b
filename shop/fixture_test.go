package shop_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/storecopy"
)

// fixtureKey is the key of admin@example.com in the databases of testdata.
const fixtureKey = "fixture-of-0ea80a8-not-a-secret"

// A database that an older version made, opened by this one, answers as before, and PUT of
// what GET answers changes nothing (§24).
func TestUpgrade_OpensTheDatabaseOf(t *testing.T) {
	for _, version := range []string{"0ea80a8"} {
		for name, open := range map[string]func(t *testing.T, file store.Store) store.Store{
			"sqlite":   func(_ *testing.T, file store.Store) store.Store { return file },
			"memory":   func(t *testing.T, file store.Store) store.Store { return copied(t, memory.New(), file) },
			"postgres": func(t *testing.T, file store.Store) store.Store { return copied(t, openPostgres(t), file) },
		} {
			t.Run(version+"/"+name, func(t *testing.T) {
				st := open(t, openFixture(t, version+".db"))
				o := &shop.Options{}
				o.Edition = shopapi.MultiVendor
				for range 2 { // the second time there is nothing to convert
					s, err := shop.New(t.Context(), st, o)
					if err != nil {
						t.Fatal(err)
					}
					c := (&apitest.Client{T: t, Handler: s}).As("admin@example.com", fixtureKey)
					checkAnswers(t, c, filepath.Join("testdata", version+".json"))
				}
			})
		}
	}
}

// openFixture opens a copy of a database of testdata.
func openFixture(t *testing.T, name string) store.Store {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
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

// copied returns to with the rows of from, as they are.
func copied(t *testing.T, to, from store.Store) store.Store {
	t.Helper()
	t.Cleanup(func() { to.Close() })
	if _, err := storecopy.Copy(t.Context(), to, from, shop.Schemas(), nil); err != nil {
		t.Fatal(err)
	}
	return to
}

// checkAnswers compares the answers with those of a file, writes each object as it was
// answered, and compares them again.
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
		if !isObject(address) {
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

// isObject reports whether an address is that of one object at the top.
func isObject(address string) bool {
	_, id, found := strings.Cut(address, "/")
	return found && strings.Trim(id, "0123456789") == ""
}

// lacking names the places in which an answer lacks what the older version answered.
// Fields may have been added since, and documents of images have become pairs.
func lacking(at string, want, got any) (problems []string) {
	if strings.HasSuffix(at, " main_pair") || strings.HasSuffix(at, " image_pairs") {
		if old, now := referencesIn(want), referencesIn(got); slices.Equal(old, now) && (len(old) > 0 || len(now) > 0) {
			return nil
		}
	}
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			break
		}
		for name, v := range want {
			if name == "company_name" && v == nil {
				continue // no company had a name; now each that rows name is there
			}
			problems = append(problems, lacking(at+" "+name, v, object[name])...)
		}
		return problems
	case []any:
		list, ok := got.([]any)
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

// referencesIn returns the images in image pairs with their stored properties (§16), sorted.
func referencesIn(pairs any) (list []string) {
	members, ok := pairs.(map[string]any)
	if !ok {
		return nil
	}
	for name, member := range members {
		image, ok := member.(map[string]any)
		if !ok {
			continue
		}
		if name != "detailed" && name != "icon" {
			list = append(list, referencesIn(image)...)
			continue
		}
		field := func(name, otherwise string) string {
			text, _ := image[name].(string)
			return cmp.Or(text, otherwise)
		}
		path := field("image_path", field("absolute_path", field("relative_path", "")))
		list = append(list, strings.Join([]string{name, path, field("alt", ""), field("image_x", "0"), field("image_y", "0")}, " "))
	}
	slices.Sort(list)
	return list
}
