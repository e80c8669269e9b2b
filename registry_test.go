package shopapi_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
)

// A described entity has a description and no capability.
type described shopapi.Description

func (d described) Describe() shopapi.Description { return shopapi.Description(d) }

type getter struct{ described }

func (getter) Get(context.Context, *shopapi.Request, string) (any, error) { return 1, nil }

type creator struct{ described }

func (creator) Create(context.Context, *shopapi.Request) (shopapi.Reply, error) {
	return shopapi.Reply{}, nil
}

type deleter struct{ described }

func (deleter) Delete(context.Context, *shopapi.Request, string) error { return nil }

// What would only show at a request is found when an entity is registered.
func TestRegister_Checks(t *testing.T) {
	both := shopapi.Privileges{View: "v", Manage: "m"}
	shown := func(d shopapi.Display) shopapi.Entity {
		return getter{described{Name: "pages", Privileges: both, Display: d, Object: reflect.TypeFor[struct {
			Title string `json:"title"`
			Owner int64  `json:"owner_id"`
		}]()}}
	}
	for _, test := range []struct {
		entity shopapi.Entity
		want   string // "" when it is accepted
	}{
		{nil, "is nil"},
		{getter{described{Name: "pages", Privileges: both}}, ""},
		{getter{described{Name: "p_2", Privileges: both}}, ""},
		{getter{described{Name: "aisles", Privileges: both}}, "registered already"},
		{getter{described{Name: "", Privileges: both}}, "entity name"},
		{getter{described{Name: "Pages", Privileges: both}}, "entity name"},
		{getter{described{Name: "a/b", Privileges: both}}, "entity name"},
		{getter{described{Name: "2pages", Privileges: both}}, "entity name"},
		{getter{described{Name: "seiten-ü", Privileges: both}}, "entity name"},
		{described{Name: "pages", Privileges: both}, "no capability"},
		{getter{described{Name: "pages", Privileges: shopapi.Privileges{Manage: "m"}}}, "privilege View"},
		{creator{described{Name: "pages", IDField: "id", Privileges: shopapi.Privileges{View: "v"}}}, "privilege Manage"},
		{deleter{described{Name: "pages", Privileges: shopapi.Privileges{View: "v"}}}, "privilege Manage"},
		{deleter{described{Name: "pages", Privileges: shopapi.Privileges{Manage: "m"}}}, ""},
		{creator{described{Name: "pages", Privileges: both}}, "no IDField"},
		{getter{described{Name: "pages", Privileges: both, Parents: []string{"x", "x"}}}, "repeated"},
		{getter{described{Name: "pages", Privileges: both, Parents: []string{"X"}}}, "not an entity name"},
		{getter{described{Name: "pages", Privileges: both}}, ""},
		{shown(shopapi.Display{Label: "title", Columns: []string{"title", "owner_id"}, Relations: map[string]string{"owner_id": "users"}, Widgets: map[string]shopapi.Widget{"title": shopapi.WidgetLines}}), ""},
		{shown(shopapi.Display{Label: "name"}), `Display.Label "name"`},
		{shown(shopapi.Display{Columns: []string{"title", "name"}}), `"name" in Display.Columns`},
		{shown(shopapi.Display{Relations: map[string]string{"owner": "users"}}), `"owner": "users" in Display.Relations`},
		{shown(shopapi.Display{Relations: map[string]string{"owner_id": "Users"}}), `"owner_id": "Users" in Display.Relations`},
		{shown(shopapi.Display{Widgets: map[string]shopapi.Widget{"name": shopapi.WidgetTime}}), `"name": "time" in Display.Widgets`},
		{shown(shopapi.Display{Widgets: map[string]shopapi.Widget{"title": "clock"}}), `one of ["time" "money" "country" "lines" "html" "secret" "json"]`},
	} {
		err := newShop(t).Register(test.entity)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: error %v, want %q", test.entity, err, test.want)
		}
	}
}

// An entity may exist only under one parent.
func TestRegister_Under(t *testing.T) {
	s := newShop(t)
	p := shopapi.Privileges{View: "v", Manage: "m"}
	notes := getter{described{Name: "notes", Privileges: p}}
	if err := s.RegisterUnder("no/name", notes); err == nil || !strings.Contains(err.Error(), "not an entity name") {
		t.Errorf("error %v", err)
	}
	if err := s.Register(getter{described{Name: "books", Privileges: p}}); err != nil {
		t.Fatal(err)
	}
	if err := s.RegisterUnder("books", notes); err != nil {
		t.Fatal(err)
	}
	if err := s.RegisterUnder("books", notes); err == nil {
		t.Error("one name twice under one parent")
	}
	if s.Registered("notes") || !s.Registered("books") {
		t.Error("an entity under a parent exists at the top")
	}
	s.do("GET", "/api/books/1/notes/1", "").want(200).is("1")
	s.do("GET", "/api/notes/1", "").want(404)
	s.do("GET", "/api/aisles/1/notes/1", "").want(404)
}

// A nested address exists when the child names the parent, in its description or
// beside it, and the parent can be read.
func TestRegister_ParentsAreDeclaredByTheChild(t *testing.T) {
	s := newShop(t)
	p := shopapi.Privileges{View: "v", Manage: "m"}
	for _, e := range []shopapi.Entity{
		getter{described{Name: "books", Privileges: p}},
		getter{described{Name: "films", Privileges: p}},
		deleter{described{Name: "heaps", Privileges: p}},
		getter{described{Name: "notes", Privileges: p, Parents: []string{"books", "heaps", "unregistered"}}},
	} {
		if err := s.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DeclareParent("notes", "aisles"); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/books/1/notes/1", "").want(200).is("1")
	s.do("GET", "/api/aisles/1/notes/1", "").want(200).is("1")
	s.do("GET", "/api/films/1/notes/1", "").want(404).contains("no entity")
	s.do("GET", "/api/heaps/1/notes/1", "").want(404).contains("no entity")
	s.do("GET", "/api/notes/1/books/1", "").want(404).contains("no entity")
	if err := s.DeclareParent("notes", "films"); err == nil {
		t.Error("a parent was declared while serving")
	}
}

// An entity that lists its operations has no others.
func TestRegister_Operations(t *testing.T) {
	s := newShop(t)
	e := newThings("books", &s.trace)
	e.Operations = []shopapi.Operation{shopapi.OpGet, shopapi.OpUpdate}
	if err := s.Register(e); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/books/1", "").want(200)
	s.do("GET", "/api/books", "").want(405)
	s.do("DELETE", "/api/books/1", "").want(405).has("Allow", "GET, HEAD, PUT")
}

func TestRegister_WhileServing(t *testing.T) {
	s := newShop(t)
	s.do("GET", "/api/aisles", "").want(200)
	if err := s.Register(newThings("books", &s.trace)); err == nil || !strings.Contains(err.Error(), "before the first request") {
		t.Errorf("error %v", err)
	}
	s.do("GET", "/api/books", "").want(404)
}

// A privilege renamed to nothing would open an entity to everybody.
func TestRegister_RenamedToNothing(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.Privileges = map[string]shopapi.Privileges{"books": {View: "v"}} })
	if err := s.Register(newThings("books", &s.trace)); err == nil || !strings.Contains(err.Error(), "privilege Manage") {
		t.Errorf("error %v", err)
	}
}

func TestDescriptions(t *testing.T) {
	api := shopapi.New(&shopapi.Options{Privileges: map[string]shopapi.Privileges{"pages": {View: "read_pages", Manage: "write_pages"}}})
	p := shopapi.Privileges{View: "v", Manage: "m"}
	for _, e := range []shopapi.Entity{
		getter{described{Name: "pages", Privileges: p, Parents: []string{"stores"}}},
		deleter{described{Name: "files", Privileges: p}},
	} {
		if err := api.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := api.RegisterUnder("files", getter{described{Name: "parts", Privileges: p}}); err != nil {
		t.Fatal(err)
	}
	for _, parent := range []string{"products", "categories", "stores"} {
		if err := api.DeclareParent("pages", parent); err != nil {
			t.Fatal(err)
		}
	}
	want := []shopapi.Description{
		{Name: "files", Privileges: p, Operations: []shopapi.Operation{shopapi.OpDelete}},
		{
			Name: "pages", Privileges: shopapi.Privileges{View: "read_pages", Manage: "write_pages"},
			Operations: []shopapi.Operation{shopapi.OpGet}, Parents: []string{"stores", "categories", "products"},
		},
	}
	if diff := cmp.Diff(want, api.Descriptions()); diff != "" {
		t.Errorf("Descriptions (-want +got):\n%s", diff)
	}
}

func TestEntityPaths(t *testing.T) {
	api := shopapi.New(nil)
	p := shopapi.Privileges{View: "v", Manage: "m"}
	for _, e := range []shopapi.Entity{
		getter{described{Name: "products", Privileges: p, Parents: []string{"categories"}}},
		getter{described{Name: "categories", Privileges: p, Parents: []string{"stores"}}},
		getter{described{Name: "discussions", Privileges: p, Parents: []string{"products"}}},
		getter{described{Name: "stores", Privileges: p}},
		deleter{described{Name: "files", Privileges: p, Parents: []string{"discussions"}}},
	} {
		if err := api.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := api.RegisterUnder("stores", getter{described{Name: "keys", Privileges: p}}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, place := range api.EntityPaths() {
		got = append(got, place.String())
		if only := place.String() == "stores/{id}/keys"; place.OnlyHere != only {
			t.Errorf("%s: OnlyHere is %v", place, place.OnlyHere)
		}
	}
	want := []string{
		"categories", "categories/{id}/products", "categories/{id}/products/{id}/discussions",
		"discussions", "discussions/{id}/files",
		"files",
		"products", "products/{id}/discussions", "products/{id}/discussions/{id}/files",
		"stores", "stores/{id}/categories", "stores/{id}/categories/{id}/products", "stores/{id}/keys",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
