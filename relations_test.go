package shopapi_test

import (
	"github.com/shopapi/shopapi/internal/notestest"

	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

func TestLookup(t *testing.T) {
	s := newShop(t)
	if err := s.Register(named{"id", "1"}); err != nil {
		t.Fatal(err)
	}
	user := &shopapi.User{ID: 7}
	ctx := shopapi.WithUser(t.Context(), user)
	got, err := s.Lookup(ctx, "aisles", "2")
	if err != nil || got.(thing).ID != 2 {
		t.Errorf("got %v, %v", got, err)
	}
	if s.aisles.saw.User != user || s.aisles.saw.API() != s.API {
		t.Error("the Get was not told on whose behalf it reads")
	}
	for _, test := range []struct {
		entity, id string
		want       error
	}{
		{"aisles", "9", shopapi.ErrNotFound}, {"aisles", "x", shopapi.ErrNotFound},
		{"nothing", "1", shopapi.ErrNotRegistered}, {"named", "1", shopapi.ErrNotRegistered},
	} {
		if _, err := s.Lookup(ctx, test.entity, test.id); err != test.want {
			t.Errorf("%s/%s: error %v, want %v", test.entity, test.id, err, test.want)
		}
	}
	s.aisles.fail = fmt.Errorf("reading: %w", store.ErrNotFound)
	if _, err := s.Lookup(ctx, "aisles", "1"); err != shopapi.ErrNotFound {
		t.Errorf("a row that is not there: %v", err)
	}
	s.aisles.fail = store.ErrUnavailable
	if _, err := s.Lookup(ctx, "aisles", "1"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
}

// §5, §12: a reference must exist where its entity is registered.
func TestLookup_CheckReference(t *testing.T) {
	s := newShop(t)
	var p shopapi.Problems
	for field, entity := range map[string]string{"good": "aisles", "unregistered": "nothing"} {
		if err := s.CheckReference(t.Context(), &p, field, entity, 1); err != nil {
			t.Error(err)
		}
	}
	if p.Err() != nil {
		t.Errorf("problems %v", p.Err())
	}
	if err := s.CheckReference(t.Context(), &p, "aisle_id", "aisles", 9); err != nil {
		t.Error(err)
	}
	if err := p.Err(); err == nil || err.Error() != "aisle_id must be the id of an object of aisles that exists, not 9." {
		t.Errorf("problems %v", err)
	}
	s.aisles.fail = context.DeadlineExceeded
	if err := s.CheckReference(t.Context(), &p, "aisle_id", "aisles", 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// Reads of other entities are confined as the edition says, and a response is not cached if their rows
// are not tracked.
func TestLookup_ConfinesAndTracks(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.Edition = shopapi.MultiStorefront })
	s.clerk["view_aisles"] = true
	tags := newThings("tags", &s.trace)
	tags.Cacheable = true
	if err := s.Register(tags); err != nil {
		t.Fatal(err)
	}
	user := &shopapi.User{ID: 2, Type: shopapi.Administrator, CompanyID: 2, Privileges: map[string]bool{"view_aisles": true, "view_tags": true}}
	for name, read := range map[string]func(ctx context.Context, entity string) (any, error){
		"Lookup":   func(ctx context.Context, entity string) (any, error) { return s.Lookup(ctx, entity, "1") },
		"LookupAt": func(ctx context.Context, entity string) (any, error) { return s.LookupAt(ctx, entity, "1") },
		"LookupList": func(ctx context.Context, entity string) (any, error) {
			return s.LookupList(ctx, entity, s.NewRequest(nil))
		},
	} {
		for _, e := range []*things{s.aisles, tags} {
			reads := &driver.ReadSet{}
			if _, err := read(driver.WithReadSet(shopapi.WithUser(t.Context(), user), reads), e.Name); err != nil {
				t.Errorf("%s of %s: %v", name, e.Name, err)
			}
			if name != "LookupList" && !e.saw.User.IsConfined() {
				t.Errorf("%s of %s is not confined", name, e.Name)
			}
			if !e.saw.IsLookup() {
				t.Errorf("%s of %s is not a lookup", name, e.Name)
			}
			if tracked := e.Cacheable && name != "LookupAt"; reads.Began() == tracked {
				t.Errorf("%s of %s: the reads count as untracked: %v", name, e.Name, reads.Began())
			}
		}
	}
}

// LookupAt reads what GET on the address would answer, parents included.
func TestLookupAt(t *testing.T) {
	s := newActingShop(t)
	if err := s.Register(named{"id", "1"}); err != nil {
		t.Fatal(err)
	}
	got, err := s.LookupAt(t.Context(), "aisles", "2", "shelves", "3")
	if err != nil || got.(thing).Name != "shelves" || got.(thing).ID != 3 {
		t.Errorf("got %v, %v", got, err)
	}
	if diff := cmp.Diff([]string{"get aisles 2", "get shelves 3"}, s.trace); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		segments string
		want     error
	}{
		{"nothing/1", shopapi.ErrNotRegistered}, {"aisles", shopapi.ErrNotRegistered}, {"named/1", shopapi.ErrNotRegistered}, {"boxes/1/open_box", shopapi.ErrNotRegistered},
		{"aisles/9", shopapi.ErrNotFound}, {"aisles/9/shelves/1", shopapi.ErrNotFound}, {"aisles/1/shelves/9", shopapi.ErrNotFound},
	} {
		if got, err := s.LookupAt(t.Context(), strings.Split(c.segments, "/")...); err != c.want || got != nil {
			t.Errorf("%s: %v, %v, want %v", c.segments, got, err, c.want)
		}
	}
	clerk := shopapi.WithUser(t.Context(), &shopapi.User{ID: 2, Type: shopapi.Administrator, Privileges: s.clerk})
	for _, privilege := range []string{"", "view_aisles"} {
		s.clerk[privilege] = true
		if _, err := s.LookupAt(clerk, "aisles", "2", "shelves", "3"); err == nil || shopapi.AsError(err).Status != 403 {
			t.Errorf("with the privilege %q: %v", privilege, err)
		}
	}
	s.clerk["view_shelves"] = true
	if _, err := s.LookupAt(clerk, "aisles", "2", "shelves", "3"); err != nil {
		t.Errorf("with the privileges to view both: %v", err)
	}
	s.shelves.fail = store.ErrUnavailable
	if _, err := s.LookupAt(t.Context(), "aisles", "2", "shelves", "3"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
}

func TestLookupList(t *testing.T) {
	s := newShop(t)
	if err := s.Register(named{"id", "1"}); err != nil {
		t.Fatal(err)
	}
	got, err := s.LookupList(t.Context(), "aisles", s.NewRequest(nil))
	if list, ok := got.(shopapi.List); !ok || err != nil || len(list.Items.([]thing)) != 3 {
		t.Errorf("got %v, %v", got, err)
	}
	for _, entity := range []string{"nothing", "named"} {
		if _, err := s.LookupList(t.Context(), entity, s.NewRequest(nil)); err != shopapi.ErrNotRegistered {
			t.Errorf("%s: %v", entity, err)
		}
	}
}

// Boxes belong to companies, and say so by company_id.
type boxes struct{ *things }

func (e boxes) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	row, err := e.things.Get(ctx, r, id)
	if err != nil {
		return nil, err
	}
	return struct {
		CompanyID int64 `json:"company_id,string"`
	}{row.(thing).Count}, nil
}

// Crates belong to companies, and say so themselves.
type crates struct{ *things }

func (e crates) Owner(ctx context.Context, id string) (shopapi.Ownership, error) {
	row, err := e.row(id)
	if e.fail != nil {
		err = e.fail
	}
	return shopapi.Ownership{CompanyID: row.Count, Audience: shopapi.ForVendors}, err
}

// An object belongs to the company that its entity or its company_id names, else to the whole shop; an object
// that was deleted belongs to nobody.
func TestOwnerOf(t *testing.T) {
	s := newShop(t)
	box, crate := newThings("boxes", &s.trace), newThings("crates", &s.trace)
	for _, e := range []shopapi.Entity{named{"id", "1"}, boxes{box}, crates{crate}} {
		if err := s.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	ctx := shopapi.WithUser(t.Context(), &shopapi.User{ID: 7, Type: shopapi.Vendor, CompanyID: 3})
	for _, c := range []struct {
		entity, id string
		want       shopapi.Ownership
	}{
		{"nothing", "1", shopapi.Ownership{}},
		{"named", "1", shopapi.Ownership{Audience: shopapi.ForAll}},
		{"aisles", "1", shopapi.Ownership{Audience: shopapi.ForAll}},
		{"aisles", "9", shopapi.Ownership{}},
		{"boxes", "2", shopapi.Ownership{CompanyID: 20}},
		{"boxes", "9", shopapi.Ownership{}},
		{"crates", "2", shopapi.Ownership{CompanyID: 20, Audience: shopapi.ForVendors}},
		{"crates", "9", shopapi.Ownership{}},
	} {
		if got, err := s.OwnerOf(ctx, c.entity, c.id); got != c.want || err != nil {
			t.Errorf("%s %s: %+v, %v, want %+v", c.entity, c.id, got, err, c.want)
		}
	}
	if box.saw.User != nil {
		t.Error("the owner is read for the user of the request")
	}
	box.fail, crate.fail = store.ErrUnavailable, store.ErrUnavailable
	for _, entity := range []string{"boxes", "crates"} {
		if _, err := s.OwnerOf(ctx, entity, "1"); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: error %v", entity, err)
		}
	}
}

func TestField(t *testing.T) {
	object := struct {
		Name   string       `json:"name"`
		ID     int64        `json:"id,string"`
		Number int          `json:"number"`
		Flag   shopapi.Flag `json:"flag"`
		Bool   bool         `json:"bool"`
		None   *string      `json:"none"`
		List   []int        `json:"list"`
	}{Name: "a<b", ID: 7, Number: 8, Flag: true}
	for name, want := range map[string]string{"name": "a<b", "id": "7", "number": "8", "flag": "Y", "bool": "false"} {
		if got, ok := shopapi.Field(object, name); got != want || !ok {
			t.Errorf("%s is %q, %v", name, got, ok)
		}
	}
	for _, name := range []string{"none", "list", "Name", "other", ""} {
		if got, ok := shopapi.Field(object, name); ok {
			t.Errorf("%s is %q", name, got)
		}
	}
	for _, object := range []any{nil, 5, "x", []int{1}, func() {}} {
		if _, ok := shopapi.Field(object, "name"); ok {
			t.Errorf("%T has a field", object)
		}
	}
	if got, ok := shopapi.Field(map[string]any{"name": "x"}, "name"); got != "x" || !ok {
		t.Error("a map has no fields")
	}
}

func TestFieldsOf(t *testing.T) {
	type object struct {
		Name string `json:"name"`
		Note string `json:"note"`
	}
	of := object{"Ünal \"<b>\" \\ \u2028\n", "x"}
	for _, o := range []any{of, &of} {
		field := shopapi.FieldsOf(o)
		name, _ := field("name")
		note, _ := field("note")
		if _, ok := field("none"); ok || name != of.Name || note != of.Note {
			t.Errorf("the fields of a %T are %q and %q", o, name, note)
		}
	}
}

func TestParseID(t *testing.T) {
	if id, err := shopapi.ParseID("thing", "12"); id != 12 || err != nil {
		t.Errorf("got %d, %v", id, err)
	}
	for _, id := range []string{"", "0", "-1", "+1", "01", "1.0", "1e3", "x", "９", " 1", "1 ", "9223372036854775808"} {
		if _, err := shopapi.ParseID("thing", id); !errors.Is(err, shopapi.ErrNotFound) {
			t.Errorf("%q: error %v", id, err)
		}
	}
}

// counted is an entity that counts its Gets.
type counted struct {
	cacheable bool
	gets      int
}

func (c *counted) Describe() shopapi.Description {
	return shopapi.Description{Name: "counted", IDField: "id", Privileges: shopapi.Privileges{View: "view"}, Cacheable: c.cacheable}
}

func (c *counted) Get(context.Context, *shopapi.Request, string) (any, error) {
	c.gets++
	return map[string]string{"id": "1"}, nil
}

// An entity of a host that may use more than the store is not asked twice.
func TestLookupAhead(t *testing.T) {
	for cacheable, want := range map[bool]int{true: 1, false: 0} {
		s, e := newShop(t), &counted{cacheable: cacheable}
		if err := s.Register(e); err != nil {
			t.Fatal(err)
		}
		s.LookupAhead(t.Context(), "counted", "1")
		s.LookupAhead(t.Context(), "nothing", "1")
		if e.gets != want {
			t.Errorf("cacheable %v: %d reads ahead, want %d", cacheable, e.gets, want)
		}
	}
}

// A hook of an entity that has a misspelled name would never run, so that the API does not start.
// The entities of the interface may be missing, and an entity of the host may be registered later.
func TestHooks_OfUnknownEntities(t *testing.T) {
	remove := func(context.Context, []int64) error { return nil }
	tests := []struct {
		name     string
		register func(*shopapi.API)
		want     string
	}{
		{"registered later", func(a *shopapi.API) { a.RefuseDelete("aisles", remove) }, ""},
		{"of the interface", func(a *shopapi.API) { a.BeforeDelete("usergroups", remove) }, ""},
		{"misspelled", func(a *shopapi.API) {
			a.RefuseDelete("product", remove)
			a.BeforeDelete("product", remove)
			a.AfterMove("Products", func(context.Context, int64, int64) error { return nil })
		}, "shopapi: RefuseDelete, BeforeDelete or AfterMove name entities that are not registered: Products, product"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := shopapi.New(nil)
			test.register(a)
			if err := a.Register(&notestest.Notes{Name: "aisles"}); err != nil {
				t.Fatal(err)
			}
			var got string
			if err := a.Check(); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHooks_WithoutAFunction(t *testing.T) {
	a := shopapi.New(nil)
	for name, register := range map[string]func(){
		"RefuseDelete": func() { a.RefuseDelete("products", nil) },
		"BeforeDelete": func() { a.BeforeDelete("products", nil) },
		"AfterMove":    func() { a.AfterMove("products", nil) },
	} {
		func() {
			defer func() {
				if got, want := recover(), any("shopapi: "+name+" of products without a function"); got != want {
					t.Errorf("%s panics with %v, want %v", name, got, want)
				}
			}()
			register()
		}()
	}
}
