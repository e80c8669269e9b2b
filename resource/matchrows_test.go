package resource_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// rowTowns returns an API with one town, Oslo. inRow runs when a town with the name Bergen is
// checked; the check of a town with the name "broken" fails.
func rowTowns(t *testing.T, inRow func(context.Context, *shopapi.API, resource.Collection[town, town])) (*shopapi.API, resource.Collection[town, town]) {
	t.Helper()
	root := &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true}
	api := shopapi.New(&shopapi.Options{Identify: func(*http.Request) (*shopapi.User, error) { return root, nil }})
	table := store.MustTable[town]("towns", store.Index{Columns: []string{"post_code"}, Unique: true})
	var towns resource.Collection[town, town]
	var err error
	towns, err = resource.Register(t.Context(), api, memory.New(), resource.Definition[town, town]{
		Name: "towns", Object: "town", Privileges: shopapi.Privileges{View: "view_users", Manage: "manage_users"},
		Table: table,
		Sorts: []resource.Sort{{Key: "id", Column: "town_id"}},
		Wire: resource.Wire[town, town]{Codes: &resource.Codes{
			Field: "post_code",
			Find: func(_ context.Context, tx store.Tx, codes []string) (map[string][]int64, error) {
				return resource.FindCodes(tx, table, "post_code", codes)
			},
		}},
		Rules: resource.Rules[town]{
			Check: func(ctx context.Context, _ store.Tx, _, after *town, problems *shopapi.Problems) error {
				problems.Required("town", after.Name, "the name of the town")
				switch after.Name {
				case "Bergen":
					inRow(ctx, api, towns)
				case "broken":
					return errors.New("cannot be checked")
				}
				return nil
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := towns.Create(t.Context(), town{Name: "Oslo", Code: "1"}); err != nil {
		t.Fatal(err)
	}
	return api, towns
}

// wantRefused renames the town to Bergen in a row, and wants that to fail.
func wantRefused(t *testing.T, api *shopapi.API, towns resource.Collection[town, town]) {
	t.Helper()
	rows := []json.RawMessage{json.RawMessage(`{"post_code": "1", "town": "Bergen"}`)}
	root := shopapi.WithUser(t.Context(), &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true})
	result, err := bulk.Put(root, api, "towns", bulk.Matching{Rows: rows})
	if err == nil && len(result.Errors) == 0 {
		t.Errorf("the row changed: %+v", result)
	}
	if kept, err := towns.Get(t.Context(), 1); err != nil || kept.Name != "Oslo" {
		t.Errorf("after it the town is %+v, %v", kept, err)
	}
}

// The check of a row of PUT with match sends a POST with an Idempotency-Key, which is refused. The
// row fails too, and the key can be used again.
func TestIdempotencyKey_RefusedInPutWithMatch(t *testing.T) {
	post := func(ctx context.Context, api *shopapi.API, body string) *httptest.ResponseRecorder {
		req := httptest.NewRequestWithContext(ctx, "POST", "/api/towns", strings.NewReader(body))
		req.Header.Set("Idempotency-Key", "k")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, req)
		return w
	}
	api, towns := rowTowns(t, func(ctx context.Context, api *shopapi.API, _ resource.Collection[town, town]) {
		if w := post(ctx, api, "post_code=2"); w.Code != http.StatusBadRequest {
			t.Errorf("the POST in the row: %d %s, want 400", w.Code, w.Body)
		}
	})
	wantRefused(t, api, towns)
	if w := post(t.Context(), api, "post_code=2&town=Molde"); w.Code != http.StatusCreated {
		t.Errorf("a later POST with the key: %d %s, want 201", w.Code, w.Body)
	}
}

// The check of a row of PUT with match ignores an error of CreateAll. The row fails nevertheless, so
// that half of a change is never stored.
func TestCreateAll_FailsInPutWithMatch(t *testing.T) {
	for _, name := range []string{"broken", ""} {
		api, towns := rowTowns(t, func(ctx context.Context, _ *shopapi.API, towns resource.Collection[town, town]) {
			if _, err := towns.CreateAll(ctx, []town{{Name: name, Code: "2"}}); err == nil {
				t.Errorf("CreateAll added a town of the name %q", name)
			}
		})
		wantRefused(t, api, towns)
	}
}
