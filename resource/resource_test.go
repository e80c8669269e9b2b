package resource_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
)

// A part is delivered by a supplier.
type part struct {
	PartID     int64   `json:"part_id,string" store:"key" bind:"-"`
	SupplierID int64   `json:"supplier_id,string" store:"index"`
	Name       string  `json:"part" store:"fold"`
	Note       *string `json:"note"`
	CompanyID  int64   `json:"company_id,string"`
	Labels     []int64 `json:"labels" store:"-"`
}

// An audit is a row that a hook writes.
type audit struct {
	AuditID int64  `json:"audit_id" store:"key"`
	What    string `json:"what"`
}

var (
	parts  = store.MustTable[part]("parts")
	audits = store.MustTable[audit]("audits")
)

type partFilter struct {
	resource.ListOptions
	SupplierID *int64 `json:"supplier_id"`
}

func (f *partFilter) Where(w *resource.Where) { w.Int("supplier_id", f.SupplierID) }

// A fixture is an API with parts and suppliers, asked by user, at first root.
type fixture struct {
	testing.TB
	*shopapi.API
	st        store.Store
	parts     resource.Collection[part, part]
	suppliers resource.Collection[Supplier, Supplier]
	events    []string
	user      *shopapi.User
}

// eachStore runs a test over a memory and a SQLite store.
func eachStore(t *testing.T, test func(f *fixture)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) { test(newFixture(t, memory.New())) })
	t.Run("sqlite", func(t *testing.T) {
		st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), nil)
		if err != nil {
			t.Fatal(err)
		}
		test(newFixture(t, st))
	})
}

func newFixture(t testing.TB, st store.Store) *fixture {
	t.Helper()
	return newFixtureOver(t, st, func(*shopapi.Options) {})
}

// newFixtureAs is asked by a user other than root.
func newFixtureAs(t testing.TB, user *shopapi.User) *fixture {
	t.Helper()
	return newFixtureWith(t, func(o *shopapi.Options) {
		o.Identify = func(*http.Request) (*shopapi.User, error) { return user, nil }
	})
}

// newFixtureWith has other options.
func newFixtureWith(t testing.TB, change func(*shopapi.Options)) *fixture {
	t.Helper()
	return newFixtureOver(t, memory.New(), change)
}

func newFixtureOver(t testing.TB, st store.Store, change func(*shopapi.Options)) *fixture {
	t.Helper()
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &fixture{TB: t, st: st, user: &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true}}
	o := &shopapi.Options{
		Edition:  shopapi.MultiVendor,
		Identify: func(*http.Request) (*shopapi.User, error) { return f.user, nil },
		Observer: func(_ context.Context, e shopapi.Event) {
			f.events = append(f.events, fmt.Sprintf("%s %s %s", e.Operation, e.Entity, e.ID))
		},
	}
	change(o)
	f.API = shopapi.New(o)
	var err error
	privileges := shopapi.Privileges{View: "view_parts", Manage: "manage_parts"}
	f.parts, err = resource.Register(t.Context(), f.API, st, resource.Definition[part, part]{
		Name:       "parts",
		Object:     "part",
		Privileges: privileges,
		Table:      parts,
		Filter:     func() resource.Filter { return new(partFilter) },
		Sorts:      []resource.Sort{{Key: "id", Column: "part_id"}, {Key: "part", Column: "part"}},
		Rows:       resource.Rows[part, part]{Tables: []*store.Schema{audits.Schema()}},
		Scope: resource.Scope[part]{
			Company: func(p *part) *int64 { return &p.CompanyID },
			Parents: resource.Companies[part](),
		},
		Rules: resource.Rules[part]{
			Check: func(_ context.Context, _ store.Tx, _, p *part, problems *shopapi.Problems) error {
				problems.Required("part", p.Name, "the name of the part")
				problems.Length("part", p.Name, 10)
				return nil
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.suppliers, err = resource.Register(t.Context(), f.API, st, resource.Definition[Supplier, Supplier]{
		Name:       "suppliers",
		Object:     "supplier",
		Privileges: privileges,
		Table:      store.MustTable[Supplier]("suppliers"),
		Sorts:      []resource.Sort{{Key: "id", Column: "supplier_id"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// told returns the events that the observer received since the last call.
func (f *fixture) told() []string {
	f.Helper()
	if err := f.Flush(f.Context()); err != nil {
		f.Error(err)
	}
	told := f.events
	f.events = nil
	return told
}

// do sends a form and checks the status.
func (f *fixture) do(method, address, body string, status int) string {
	f.Helper()
	w := httptest.NewRecorder()
	f.ServeHTTP(w, httptest.NewRequest(method, address, strings.NewReader(body)))
	if w.Code != status {
		f.Errorf("%s %s %s: %d %s, want %d", method, address, body, w.Code, w.Body, status)
	}
	return w.Body.String()
}

func (f *fixture) create(p part) part {
	f.Helper()
	created, err := f.parts.Create(f.Context(), p)
	if err != nil {
		f.Fatal(err)
	}
	return created
}

// wantStatus checks that err is an error for clients, of the status.
func (f *fixture) wantStatus(what string, err error, status int) {
	f.Helper()
	var e *shopapi.Error
	if !errors.As(err, &e) || e.Status != status {
		f.Errorf("%s: error %v, want one of status %d", what, err, status)
	}
}

// An update without a difference is neither written nor reported, over HTTP and from Go;
// a real change is, also if a pointer or a slice is changed in place.
func TestUpdate_UnchangedCausesNoEvent(t *testing.T) {
	eachStore(t, func(f *fixture) {
		note := "a"
		created := f.create(part{Name: "Clay", Note: &note})
		f.told()
		saves := 0
		f.parts.BeforeSave(func(context.Context, store.Tx, *part, *part) error { saves++; return nil })

		f.do("PUT", "/api/parts/1", "part=Clay&note=a&company_id=1", 200)
		f.do("PUT", "/api/parts/1", "unknown=1", 200)
		for range 2 {
			same, err := f.parts.Update(f.Context(), created.PartID, func(p *part) error {
				p.PartID, p.Name = 99, "Clay"
				return nil
			})
			if diff := cmp.Diff(created, same); err != nil || diff != "" {
				f.Errorf("Update: %v (-want +got):\n%s", err, diff)
			}
		}
		if told := f.told(); told != nil || saves != 0 {
			f.Errorf("what changed nothing was saved %d times, and reported: %v", saves, told)
		}
		after, err := f.parts.Update(f.Context(), created.PartID, func(p *part) error { *p.Note = "b"; return nil })
		if err != nil || *after.Note != "b" || saves != 1 {
			f.Errorf("Update in place: %v, saved %d times, note %s", err, saves, *after.Note)
		}
		if diff := cmp.Diff([]string{"update parts 1"}, f.told()); diff != "" {
			f.Error(diff)
		}
	})
}

// A field that a change leaves as it was is not checked again (decisions §5).
func TestUpdate_UnchangedFieldIsNotChecked(t *testing.T) {
	eachStore(t, func(f *fixture) {
		old := part{Name: strings.Repeat("x", 20), CompanyID: 1}
		err := f.st.Update(f.Context(), func(_ context.Context, tx store.Tx) error { return parts.Insert(tx, &old) })
		if err != nil {
			f.Fatal(err)
		}
		f.do("PUT", "/api/parts/1", "note=new", 200)
		f.do("PUT", "/api/parts/1", "part="+strings.Repeat("x", 20)+"&note=newer", 200)
		f.do("PUT", "/api/parts/1", "part="+strings.Repeat("y", 20), 400)
	})
}

// A failed create or update returns no object, and nothing is stored or reported.
func TestSave_FailureChangesNothing(t *testing.T) {
	eachStore(t, func(f *fixture) {
		ctx := f.Context()
		got, err := f.parts.Create(ctx, part{Note: new(string)})
		f.wantStatus("Create without a name", err, 400)
		if diff := cmp.Diff(part{}, got); diff != "" {
			f.Errorf("Create returned an object (-want +got):\n%s", diff)
		}
		f.create(part{Name: "Clay"})
		f.told()
		refusal := errors.New("the caller objects")
		_, err = f.parts.Update(ctx, 1, func(p *part) error { p.Name = "Glaze"; return refusal })
		if !errors.Is(err, refusal) {
			f.Errorf("error %v, want that of the change", err)
		}
		_, err = f.parts.Update(ctx, 2, func(*part) error { return nil })
		f.wantStatus("Update of none", err, 404)
		f.wantStatus("Delete of none", f.parts.Delete(ctx, 2), 404)
		if stored, err := f.parts.Get(ctx, 1); err != nil || stored.Name != "Clay" || f.told() != nil {
			f.Errorf("stored %+v, %v", stored, err)
		}
	})
}
