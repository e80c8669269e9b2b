package resource_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// Prepare runs once and before the transaction, for an object that exists, that is
// visible and that the user may change, and for a new one; what it returns is done
// after the payload was laid over the object.
func TestPrepare_OnlyWhereTheChangeIsAllowed(t *testing.T) {
	st := memory.New()
	api := shopapi.New(&shopapi.Options{
		Edition: shopapi.MultiVendor,
		Identify: func(r *http.Request) (*shopapi.User, error) {
			return &shopapi.User{ID: 1, Type: shopapi.Vendor, CompanyID: 7, Privileges: map[string]bool{"manage_parts": true}}, nil
		},
	})
	var prepared []string
	rows, err := resource.Register(t.Context(), api, st, resource.Definition[part, part]{
		Name:       "parts",
		Object:     "part",
		Privileges: shopapi.Privileges{View: "view_parts", Manage: "manage_parts"},
		Table:      parts,
		Sorts:      []resource.Sort{{Key: "id", Column: "part_id"}},
		Wire: resource.Wire[part, part]{
			BeforeTx: func(_ context.Context, _ *shopapi.Request, before *part) (func(*part) error, error) {
				name := "new"
				if before != nil {
					name = before.Name
				}
				prepared = append(prepared, name)
				return func(p *part) error { p.Name += " prepared"; return nil }, nil
			},
		},
		Scope: resource.Scope[part]{
			Company: func(p *part) *int64 { return &p.CompanyID },
			Authorize: func(_ context.Context, _ store.Tx, _ shopapi.Operation, p *part) error {
				if p.Name == "locked" {
					return shopapi.Errorf(http.StatusForbidden, "This part is locked.")
				}
				return nil
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range []part{{Name: "own", CompanyID: 7}, {Name: "locked", CompanyID: 7}, {Name: "foreign", CompanyID: 8}} {
		if created, err := rows.Create(t.Context(), p); err != nil || created.PartID != int64(i+1) {
			t.Fatalf("created %+v, %v", created, err)
		}
	}
	for _, c := range []struct {
		method, path string
		status       int
		want         []string
	}{
		{"PUT", "/api/parts/1", 200, []string{"own"}},
		{"PUT", "/api/parts/2", 403, nil},
		{"PUT", "/api/parts/3", 404, nil},
		{"PUT", "/api/parts/9", 404, nil},
		{"POST", "/api/parts", 201, []string{"new"}},
	} {
		prepared = nil
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader("part=Clay")))
		if w.Code != c.status || !slices.Equal(prepared, c.want) {
			t.Errorf("%s %s: %d, prepared %q; want %d and %q", c.method, c.path, w.Code, prepared, c.status, c.want)
		}
	}
	var names []string
	for p, err := range rows.All(t.Context(), &partFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"Clay prepared", "locked", "foreign", "Clay prepared"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// A repeated POST with an Idempotency-Key is not prepared: it gets the first response also where
// that fails by now (decisions §25).
func TestPrepare_NotForRepeatedRequests(t *testing.T) {
	st := memory.New()
	user := &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true}
	api := shopapi.New(&shopapi.Options{Identify: func(*http.Request) (*shopapi.User, error) { return user, nil }})
	runs := 0
	var failure error
	_, err := resource.Register(t.Context(), api, st, resource.Definition[part, part]{
		Name:       "parts",
		Object:     "part",
		Privileges: shopapi.Privileges{View: "view_parts", Manage: "manage_parts"},
		Table:      parts,
		Sorts:      []resource.Sort{{Key: "id", Column: "part_id"}},
		Wire: resource.Wire[part, part]{
			BeforeTx: func(context.Context, *shopapi.Request, *part) (func(*part) error, error) {
				runs++
				return nil, failure
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	unreachable := shopapi.Errorf(http.StatusBadRequest, "The image cannot be read.")
	for _, c := range []struct {
		key, body    string
		failure      error
		status, runs int
		want         string
	}{
		{"k1", "part=a", unreachable, 400, 1, "cannot be read"},
		{"k1", "part=a", nil, 201, 1, `{"part_id":"1"}`},
		{"k1", "part=a", unreachable, 201, 0, `{"part_id":"1"}`},
		{"k1", "part=b", unreachable, 422, 0, "Use a new key"},
		{"k2", "part=a", nil, 201, 1, `{"part_id":"2"}`},
	} {
		runs, failure = 0, c.failure
		got := send(api, "POST", "/api/parts", c.body, "Idempotency-Key", c.key)
		if got.Code != c.status || runs != c.runs || !strings.Contains(got.Body.String(), c.want) {
			t.Errorf("%s, %s: %d %s, prepared %d times; want %d %s, %d times", c.key, c.body, got.Code, got.Body, runs, c.status, c.want, c.runs)
		}
	}
}
