package resource_test

import (
	"context"
	"errors"
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

// What a hook changes in its arguments is not stored.
func TestHooks_GetCopies(t *testing.T) {
	eachStore(t, func(f *fixture) {
		f.parts.BeforeSave(func(_ context.Context, _ store.Tx, old, after *part) error {
			after.Name = "hooked"
			if after.Note != nil {
				*after.Note = "hooked"
			}
			if old != nil {
				old.Name = "hooked"
			}
			return nil
		})
		f.do("POST", "/api/parts", "part=a&note=n", 201)
		f.do("PUT", "/api/parts/1", "part=b", 200)
		if p, err := f.parts.Get(f.Context(), 1); err != nil || p.Name != "b" || *p.Note != "n" {
			f.Errorf("stored %+v, %v", p, err)
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

// What depends on a deleted object goes with it in its transaction, and what
// refuses keeps all of it.
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
