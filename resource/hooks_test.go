package resource_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// audited returns what hooks wrote.
func (f *fixture) audited() (list []string) {
	f.Helper()
	err := f.st.View(f.Context(), func(_ context.Context, tx store.Tx) error {
		list = nil
		return audits.Each(tx, store.Query{}, func(a *audit) error {
			list = append(list, a.What)
			return nil
		})
	})
	if err != nil {
		f.Fatal(err)
	}
	return list
}

func note(tx store.Tx, what string) error { return audits.Insert(tx, &audit{What: what}) }

// Hooks write rows of their own in the transaction of the change, from HTTP and
// from Go alike: they are there when the change is, and gone when it is not.
func TestHooks_WriteInTheTransaction(t *testing.T) {
	eachStore(t, func(f *fixture) {
		f.parts.BeforeSave(func(_ context.Context, tx store.Tx, old, after *part) error {
			if old == nil {
				return note(tx, "create "+after.Name)
			}
			if err := note(tx, old.Name+" to "+after.Name); err != nil {
				return err
			}
			if after.Name == "bad" {
				return shopapi.Invalid("part", "must not be bad")
			}
			return nil
		})
		f.parts.BeforeDelete(func(_ context.Context, tx store.Tx, old *part) error {
			return note(tx, "delete "+old.Name)
		})
		f.do("POST", "/api/parts", "part=a", 201)
		f.create(part{Name: "b"})
		f.do("PUT", "/api/parts/1", "part=c", 200)
		f.do("PUT", "/api/parts/1", "part=bad", 400)
		_, err := f.parts.Update(f.Context(), 2, func(p *part) error { p.Name = "bad"; return nil })
		f.wantStatus("Update that a hook refuses", err, 400)
		f.do("DELETE", "/api/parts/2", "", 204)
		want := []string{"create a", "create b", "a to c", "delete b"}
		if diff := cmp.Diff(want, f.audited()); diff != "" {
			t.Errorf("hooks wrote (-want +got):\n%s", diff)
		}
	})
}

// A library error of a hook is the answer; any other is a 500 that does not show
// it.
func TestHooks_Errors(t *testing.T) {
	eachStore(t, func(f *fixture) {
		var refusal error
		f.parts.BeforeSave(func(context.Context, store.Tx, *part, *part) error { return refusal })
		for _, c := range []struct {
			name   string
			err    error
			status int
		}{
			{"a field error", shopapi.Invalid("part", "is on the list of banned parts"), 400},
			{"an error with a status", shopapi.Errorf(403, "Ask the buyer first."), 403},
			{"any other", errors.New("the warehouse is closed"), 500},
		} {
			refusal = c.err
			body := f.do("POST", "/api/parts", "part=a", c.status)
			var shown *shopapi.Error
			if errors.As(c.err, &shown) != containsText(body, shopapiText(c.err)) {
				f.Errorf("%s: the answer is %s", c.name, body)
			}
		}
		if _, total, err := f.parts.Find(f.Context(), new(partFilter)); total != 0 || err != nil || f.told() != nil {
			f.Errorf("%d parts were stored, %v", total, err)
		}
	})
}

// A hook before a save sets fields, which are stored and reported, and checked like a
// payload. Hooks do not run again, and the object before the change is a copy.
func TestE13_BeforeSave_SetsFields(t *testing.T) {
	eachStore(t, func(f *fixture) {
		runs := 0
		f.parts.BeforeSave(func(_ context.Context, _ store.Tx, old, after *part) error {
			runs++
			if after.Name == "long" {
				after.Name = "much too long"
			}
			if after.Note != nil {
				*after.Note += "!"
			}
			after.Labels = append(after.Labels, 7)
			if old != nil {
				old.Name = "hooked"
			}
			return nil
		})
		f.parts.BeforeSave(func(_ context.Context, _ store.Tx, _, after *part) error {
			if after.Note != nil && *after.Note == "n!" {
				after.SupplierID = 3
			}
			return nil
		})
		f.do("POST", "/api/parts", "part=a&note=n", 201)
		if p, err := f.parts.Get(f.Context(), 1); err != nil || p.Name != "a" || *p.Note != "n!" || p.SupplierID != 3 || runs != 1 {
			f.Errorf("stored %+v after %d runs, %v", p, runs, err)
		}
		if p, err := f.parts.Update(f.Context(), 1, func(p *part) error { p.Name = "b"; return nil }); err != nil || p.Name != "b" || *p.Note != "n!!" {
			f.Errorf("updated %+v, %v", p, err)
		}
		body := f.do("PUT", "/api/parts/1", "part=long", 400)
		if !strings.Contains(body, "part") {
			f.Errorf("a hook that sets a wrong name is answered %s", body)
		}
		if p, err := f.parts.Get(f.Context(), 1); err != nil || p.Name != "b" {
			f.Errorf("stored %+v, %v", p, err)
		}
	})
}

// A hook that takes back the only change leaves nothing to store or report.
func TestE13_BeforeSave_TakesBackTheChange(t *testing.T) {
	eachStore(t, func(f *fixture) {
		f.create(part{Name: "a"})
		f.told()
		f.parts.BeforeSave(func(_ context.Context, _ store.Tx, old, after *part) error {
			after.Name = old.Name
			return nil
		})
		f.do("PUT", "/api/parts/1", "part=b", 200)
		if p, err := f.parts.Get(f.Context(), 1); err != nil || p.Name != "a" || f.told() != nil {
			f.Errorf("stored %+v, %v", p, err)
		}
	})
}

// A hook may set the company of an object that a vendor changes, as a PUT of root could.
func TestE13_BeforeSave_ActsForTheHost(t *testing.T) {
	f := newFixtureAs(t, &shopapi.User{ID: 2, Type: shopapi.Vendor, CompanyID: 7, Privileges: map[string]bool{"manage_parts": true}})
	f.parts.BeforeSave(func(_ context.Context, _ store.Tx, _, after *part) error {
		if after.CompanyID != 7 {
			t.Errorf("the hook sees the company %d, want 7", after.CompanyID)
		}
		if after.Name == "gift" {
			after.CompanyID = 1
		}
		after.Note = new("seen")
		return nil
	})
	f.do("POST", "/api/parts", "part=own", 201)
	f.do("POST", "/api/parts", "part=gift", 201)
	for id, company := range map[int64]int64{1: 7, 2: 1} {
		if p, err := f.parts.Get(f.Context(), id); err != nil || p.CompanyID != company || *p.Note != "seen" {
			t.Errorf("stored %+v, %v; want company %d", p, err, company)
		}
	}
}

// A hook that sets what no PUT can set is an error that names the field; nothing is stored.
func TestE13_BeforeSave_SetsNoIDs(t *testing.T) {
	var logged strings.Builder
	f := newFixtureWith(t, func(o *shopapi.Options) { o.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
	f.parts.BeforeSave(func(_ context.Context, _ store.Tx, _, after *part) error {
		after.PartID = 99
		return nil
	})
	body := f.do("POST", "/api/parts", "part=a", 500)
	if strings.Contains(body, "part_id") || !strings.Contains(logged.String(), "a hook of parts set part_id") {
		t.Errorf("answered %s, logged %s", body, logged.String())
	}
	if _, total, err := f.parts.Find(f.Context(), new(partFilter)); total != 0 || err != nil {
		t.Errorf("%d parts were stored, %v", total, err)
	}
}

// A hook after a save knows the id of a new object, and writes rows that are there exactly
// if the change is. What it sets in the object is not stored.
func TestE13_AfterSave_WritesWithTheID(t *testing.T) {
	eachStore(t, func(f *fixture) {
		f.parts.AfterSave(func(_ context.Context, tx store.Tx, old, after *part) error {
			stored, err := parts.Get(tx, after.PartID)
			if err != nil {
				return err
			}
			if err := note(tx, fmt.Sprintf("%t %d %s", old == nil, after.PartID, stored.Name)); err != nil {
				return err
			}
			if after.Name == "bad" {
				return shopapi.Invalid("part", "must not be bad")
			}
			after.Name = "hooked"
			return nil
		})
		f.do("POST", "/api/parts", "part=a", 201)
		if created := f.create(part{Name: "b"}); created.Name != "b" {
			f.Errorf("Create returned %+v", created)
		}
		f.do("PUT", "/api/parts/1", "part=c", 200)
		f.do("PUT", "/api/parts/1", "part=c", 200)
		f.told()
		f.do("PUT", "/api/parts/1", "part=bad", 400)
		f.do("POST", "/api/parts", "part=bad", 400)
		if told := f.told(); told != nil {
			f.Errorf("refused changes were reported: %v", told)
		}
		want := []string{"true 1 a", "true 2 b", "false 1 c"}
		if diff := cmp.Diff(want, f.audited()); diff != "" {
			f.Errorf("hooks wrote (-want +got):\n%s", diff)
		}
	})
}

// A hook may save other objects through their collections; saves that never end are
// refused at the eighth level.
func TestHooks_Nest(t *testing.T) {
	eachStore(t, func(f *fixture) {
		deepest := 0
		f.parts.BeforeSave(func(ctx context.Context, _ store.Tx, _, after *part) error {
			deepest = max(deepest, len(after.Name))
			if len(after.Name) == 3 && after.SupplierID == 0 {
				return nil
			}
			_, err := f.parts.Create(ctx, part{Name: after.Name + "x", SupplierID: after.SupplierID})
			return err
		})
		f.do("POST", "/api/parts", "part=a", 201)
		if _, total, err := f.parts.Find(f.Context(), new(partFilter)); err != nil || total != 3 {
			f.Errorf("%d parts, want 3: %v", total, err)
		}
		deepest = 0
		f.do("POST", "/api/parts", "part=a&supplier_id=1", 500)
		if deepest != 8 {
			f.Errorf("hooks went %d levels deep, want 8", deepest)
		}
	})
}

// Dependents of a deleted object are deleted in its transaction, and a refusal keeps all
// of them.
func TestDelete_Dependents(t *testing.T) {
	eachStore(t, func(f *fixture) {
		ctx := f.Context()
		var order []string
		f.BeforeDelete("suppliers", func(ctx context.Context, ids []int64) error {
			order = append(order, "remove")
			return f.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
				_, err := parts.Delete(tx, store.InInts("supplier_id", ids...))
				return err
			})
		})
		f.RefuseDelete("suppliers", func(_ context.Context, ids []int64) error {
			order = append(order, "refuse")
			if ids[0] == 2 {
				return shopapi.Errorf(400, "Supplier 2 still has orders.")
			}
			return nil
		})
		for _, name := range []string{"Ana", "Bo"} {
			if _, err := f.suppliers.Create(ctx, Supplier{Name: name}); err != nil {
				f.Fatal(err)
			}
		}
		f.create(part{Name: "a", SupplierID: 1})
		f.create(part{Name: "b", SupplierID: 2})
		f.do("DELETE", "/api/suppliers/2", "", 400)
		f.do("DELETE", "/api/suppliers/9", "", 404)
		f.do("DELETE", "/api/suppliers/1", "", 204)
		list, _, err := f.parts.Find(ctx, new(partFilter))
		if err != nil || len(list) != 1 || list[0].Name != "b" {
			f.Errorf("parts left: %+v, %v", list, err)
		}
		if diff := cmp.Diff([]string{"refuse", "refuse", "remove"}, order); diff != "" {
			f.Errorf("order (-want +got):\n%s", diff)
		}
	})
}
