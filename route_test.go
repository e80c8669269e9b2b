package shopapi_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shopapi/shopapi"
)

func TestMatch(t *testing.T) {
	s := newShop(t)
	for _, c := range []struct {
		method, address string
		want            shopapi.Route
		ok              bool
	}{
		{"GET", "/api/2.0/aisles", shopapi.Route{Entity: "aisles", Operation: shopapi.OpList}, true},
		{"HEAD", "/api/aisles/", shopapi.Route{Entity: "aisles", Operation: shopapi.OpList}, true},
		{"GET", "/api.php?_d=2.0/aisles/1", shopapi.Route{Entity: "aisles", Operation: shopapi.OpGet}, true},
		{"POST", "/api/aisles", shopapi.Route{Entity: "aisles", Operation: shopapi.OpCreate}, true},
		{"PUT", "/api/aisles/1/shelves/2", shopapi.Route{Entity: "shelves", Operation: shopapi.OpUpdate, Parents: []string{"aisles"}}, true},
		{"DELETE", "/api/aisles/1/shelves/2/labels/3", shopapi.Route{Entity: "labels", Operation: shopapi.OpDelete, Parents: []string{"aisles", "shelves"}}, true},
		{"PATCH", "/api/aisles/1", shopapi.Route{Entity: "aisles"}, true},
		{"PUT", "/api/aisles", shopapi.Route{Entity: "aisles"}, true},
		{"GET", "/api/nothing", shopapi.Route{}, false},
		{"GET", "/api/aisles/1/nothing", shopapi.Route{}, false},
		{"GET", "/api/9.0/aisles", shopapi.Route{}, false},
		{"GET", "/api/", shopapi.Route{}, false},
		{"GET", "/aisles", shopapi.Route{}, false},
	} {
		got, ok := s.Match(httptest.NewRequest(c.method, c.address, nil))
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" || ok != c.ok {
			t.Errorf("%s %s: %v, want %v (-want +got):\n%s", c.method, c.address, ok, c.ok, diff)
		}
	}
	if len(s.trace) > 0 {
		t.Errorf("operations ran: %q", s.trace)
	}
}

// Go code that asks gets the answer that a request would.
func TestAuthorize(t *testing.T) {
	s := newShop(t)
	guardedShelves := guarded{newThings("guarded", &s.trace)}
	if err := s.Register(guardedShelves); err != nil {
		t.Fatal(err)
	}
	clerk := &shopapi.User{ID: 2, Type: shopapi.Administrator, Privileges: map[string]bool{"view_aisles": true, "manage_shelves": true}}
	vendor := &shopapi.User{ID: 3, Type: shopapi.Vendor, Privileges: map[string]bool{"view_guarded": true}}
	root := &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true}
	for _, c := range []struct {
		name    string
		user    *shopapi.User
		entity  string
		op      shopapi.Operation
		parents []string
		status  int // 0: allowed
		message string
	}{
		{"a privilege that is there", clerk, "aisles", shopapi.OpGet, nil, 0, ""},
		{"one that is not", clerk, "aisles", shopapi.OpDelete, nil, 403, "Your user groups do not have the privilege manage_aisles."},
		{"below a parent", clerk, "shelves", shopapi.OpUpdate, []string{"aisles"}, 0, ""},
		{"a parent that may not be read", clerk, "labels", shopapi.OpList, []string{"aisles", "shelves"}, 403, "Your user groups do not have the privilege view_shelves."},
		{"root", root, "labels", shopapi.OpList, []string{"aisles", "shelves"}, 0, ""},
		{"the host's own code", nil, "aisles", shopapi.OpDelete, nil, 0, ""},
		{"the entity's own rule", vendor, "guarded", shopapi.OpList, nil, 403, "Vendors cannot list here."},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := s.Authorize(shopapi.WithUser(t.Context(), c.user), c.entity, c.op, c.parents...)
			var e *shopapi.Error
			switch {
			case c.status == 0 && err != nil:
				t.Errorf("got %v", err)
			case c.status != 0 && (!errors.As(err, &e) || e.Status != c.status || e.Message != c.message):
				t.Errorf("got %#v, want %d %s", err, c.status, c.message)
			}
		})
	}
	for name, err := range map[string]error{
		"no such entity":             s.Authorize(context.Background(), "nothing", shopapi.OpList),
		"not a child of this entity": s.Authorize(shopapi.WithUser(t.Context(), root), "aisles", shopapi.OpList, "labels"),
	} {
		if !errors.Is(err, shopapi.ErrNotRegistered) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	var e *shopapi.Error
	if err := s.Authorize(context.Background(), "aisles", "buy"); !errors.As(err, &e) || e.Status != 405 {
		t.Errorf("an operation that there is not: got %v", err)
	}
}
