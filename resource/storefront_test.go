package resource_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// administratorOf is one of a storefront, without root.
func administratorOf(company int64) *shopapi.User {
	return &shopapi.User{ID: 2, Type: shopapi.Administrator, CompanyID: company, Privileges: map[string]bool{"view_parts": true, "manage_parts": true}}
}

// In the edition with several storefronts, an administrator of one storefront is confined
// to its company, by HTTP and from Go; root and administrators of company 0 are not; in
// other editions nobody is (decisions §11).
func TestStorefront_Administrator(t *testing.T) {
	for _, c := range []struct {
		name     string
		edition  shopapi.Edition
		user     *shopapi.User
		confined bool
	}{
		{"of a storefront", shopapi.MultiStorefront, administratorOf(7), true},
		{"of all storefronts", shopapi.MultiStorefront, administratorOf(0), false},
		{"root", shopapi.MultiStorefront, &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true, CompanyID: 7}, false},
		{"among vendors", shopapi.MultiVendor, administratorOf(7), false},
		{"of the one store", shopapi.SingleStore, administratorOf(7), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixtureOver(t, memory.New(), func(o *shopapi.Options) { o.Edition = c.edition })
			for _, company := range []int64{7, 8} {
				err := f.st.Update(t.Context(), insertPart(&part{Name: "a", CompanyID: company}))
				if err != nil {
					t.Fatal(err)
				}
			}
			f.user = c.user
			want := map[bool]int{true: 404, false: 200}[c.confined]
			f.do("GET", "/api/parts/1", "", 200)
			f.do("GET", "/api/parts/2", "", want)
			f.do("PUT", "/api/parts/2", "part=b", want)

			ctx := shopapi.WithUser(t.Context(), c.user)
			_, err := f.parts.Get(ctx, 2)
			if (err != nil) != c.confined {
				t.Errorf("Get: %v", err)
			}
			_, err = f.parts.Update(ctx, 2, func(p *part) error { p.Name = "c"; return nil })
			if (err != nil) != c.confined {
				t.Errorf("Update: %v", err)
			}
			if _, total, err := f.parts.Find(ctx, new(partFilter)); err != nil || total != map[bool]int64{true: 1, false: 2}[c.confined] {
				t.Errorf("Find: %d, %v", total, err)
			}
			n := 0
			for _, err := range f.parts.All(ctx, new(partFilter)) {
				if n++; err != nil {
					t.Error(err)
				}
			}
			if (n == 1) != c.confined {
				t.Errorf("All has %d", n)
			}
			if _, err := f.Lookup(ctx, "parts", "2"); (err != nil) != c.confined {
				t.Errorf("Lookup: %v", err)
			}
			err = resource.ReadOnlyForVendors(shopapi.UserFrom(f.Confine(ctx)), shopapi.OpUpdate, nil)
			if (err != nil) != c.confined {
				t.Errorf("ReadOnlyForVendors: %v", err)
			}
			created, err := f.parts.Create(ctx, part{Name: "d", CompanyID: 8})
			if err != nil || (created.CompanyID == 7) != c.confined {
				t.Errorf("Create: %+v, %v", created, err)
			}
			err = f.parts.Delete(ctx, 2)
			if (err != nil) != c.confined {
				t.Errorf("Delete: %v", err)
			}
		})
	}
}

func insertPart(p *part) func(context.Context, store.Tx) error {
	return func(_ context.Context, tx store.Tx) error { return parts.Insert(tx, p) }
}
