package shopapi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
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
