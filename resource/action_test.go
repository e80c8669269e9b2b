package resource_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A folding is the payload of an action.
type folding struct {
	Times int64 `json:"times,string"`
}

// foldSheets registers parts with actions under the name sheets.
func foldSheets(f *fixture) resource.Collection[part, part] {
	f.Helper()
	var sheets resource.Collection[part, part]
	fold := func(ctx context.Context, tx store.Tx, r *shopapi.Request, v *part) (shopapi.Reply, error) {
		var with folding
		if err := r.Bind(&with); err != nil {
			return shopapi.Reply{}, err
		}
		folded, err := sheets.Update(ctx, v.PartID, func(p *part) error {
			p.Name += strings.Repeat("|", int(with.Times))
			return nil
		})
		if err == nil && with.Times > 5 {
			err = shopapi.Invalid("times", "must be at most 5")
		}
		return shopapi.Reply{More: shopapi.Map{{Name: "part", Value: folded.Name}}, Existing: with.Times == 0}, err
	}
	sheets, err := resource.Register(f.Context(), f.API, f.st, resource.Definition[part, part]{
		Name:       "sheets",
		Object:     "sheet",
		Privileges: shopapi.Privileges{View: "view_parts", Manage: "manage_parts"},
		Table:      store.MustTable[part]("sheets"),
		Sorts:      []resource.Sort{{Key: "id", Column: "part_id"}},
		Actions: []resource.Action[part]{
			{Name: "fold_sheet", Summary: "Folds it.", Payload: reflect.TypeFor[folding](), Run: fold, MayExist: true},
			{Name: "look_at_sheet", WithoutID: true, Run: func(_ context.Context, _ store.Tx, _ *shopapi.Request, v *part) (shopapi.Reply, error) {
				return shopapi.Reply{More: shopapi.Map{{Name: "seen", Value: v.Name}}}, nil
			}},
		},
		Scope: resource.Scope[part]{
			Company: func(p *part) *int64 { return &p.CompanyID },
			Parents: resource.Companies[part](),
		},
	})
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range []part{{Name: "a", CompanyID: 1}, {Name: "b", CompanyID: 7}} {
		if _, err := sheets.Create(f.Context(), p); err != nil {
			f.Fatal(err)
		}
	}
	f.told()
	return sheets
}

// An action runs in the transaction of its object, which the user may see; its changes
// are rolled back if it fails, and reported once.
func TestAction(t *testing.T) {
	eachStore(t, func(f *fixture) {
		foldSheets(f)
		if got := f.do("POST", "/api/sheets/1/fold_sheet", "times=2", 201); got != `{"part_id":"1","part":"a||"}` {
			f.Errorf("answer %s", got)
		}
		if diff := cmp.Diff([]string{"update sheets 1"}, f.told()); diff != "" {
			f.Error(diff)
		}
		if got := f.do("POST", "/api/sheets/1/look_at_sheet", "", 201); got != `{"seen":"a||"}` {
			f.Errorf("answer %s", got)
		}
		if got := f.do("POST", "/api/sheets/1/fold_sheet", "times=0", 200); got != `{"part_id":"1","part":"a||"}` {
			f.Errorf("answer of what was there: %s", got)
		}
		f.do("POST", "/api/sheets/1/fold_sheet", "times=x", 400)
		f.do("POST", "/api/sheets/1/fold_sheet", "times=6", 400)
		f.do("POST", "/api/sheets/9/fold_sheet", "", 404)
		f.do("POST", "/api/sheets/1/tear_sheet", "", 404)
		f.user = &shopapi.User{ID: 2, Type: shopapi.Vendor, CompanyID: 7, Privileges: map[string]bool{"view_parts": true, "manage_parts": true}}
		f.do("POST", "/api/sheets/1/fold_sheet", "times=1", 404)
		if got := f.do("POST", "/api/sheets/2/look_at_sheet", "", 201); got != `{"seen":"b"}` {
			f.Errorf("answer %s", got)
		}
		f.user = nil
		if got := f.told(); got != nil {
			f.Errorf("reported %q", got)
		}
	})
}

// An action that is repeated with its Idempotency-Key runs once (decisions §25).
func TestAction_IdempotencyKey(t *testing.T) {
	eachStore(t, func(f *fixture) {
		foldSheets(f)
		fold := func(address, body string, status int, want string) {
			f.Helper()
			got := f.send("POST", address, body, "Idempotency-Key", "k")
			if got.Code != status || !strings.Contains(got.Body.String(), want) {
				f.Errorf("POST %s: %d %s, want %d %s", address, got.Code, got.Body, status, want)
			}
		}
		fold("/api/sheets/1/fold_sheet", "times=1", 201, `{"part_id":"1","part":"a|"}`)
		fold("/api.php?_d=sheets/1/fold_sheet", "times=1", 201, `{"part_id":"1","part":"a|"}`)
		fold("/api/sheets/1/fold_sheet", "times=2", 422, "another request")
		fold("/api/sheets/2/fold_sheet", "times=1", 422, "another request")
		fold("/api/sheets/1/look_at_sheet", "times=1", 422, "another request")
		for range 2 {
			if got := f.send("POST", "/api/sheets/1/fold_sheet", "times=0", "Idempotency-Key", "none"); got.Code != 200 {
				f.Errorf("a fold of what was there: %d %s", got.Code, got.Body)
			}
		}
		if got := f.do("POST", "/api/sheets/1/look_at_sheet", "", 201); got != `{"seen":"a|"}` {
			f.Errorf("the sheet was folded more than once: %s", got)
		}
	})
}
