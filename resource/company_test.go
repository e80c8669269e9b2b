package resource_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A company_id is not negative, and 0 leaves the company as it is (decisions §5, §11).
func TestCompanies_BadInput(t *testing.T) {
	eachStore(t, func(f *fixture) {
		if got := f.do("POST", "/api/parts", "part=a&company_id=-1", 400); !strings.Contains(got, `"company_id":`) {
			f.Errorf("a negative company: %s", got)
		}
		f.do("POST", "/api/parts", "part=a&company_id=7", 201)
		f.do("PUT", "/api/parts/1", "company_id=0", 200)
		if got := f.do("GET", "/api/parts/1", "", 200); !strings.Contains(got, `"company_id":"7"`) {
			f.Errorf("company 0: %s", got)
		}
	})
}

// A host may show an object to every vendor. LookupOwned finds it only for vendors of its company.
func TestCompanies_LookupOwned(t *testing.T) {
	t.Parallel()
	api, st := shopapi.New(&shopapi.Options{Edition: shopapi.MultiVendor}), memory.New()
	defer st.Close()
	shown, err := resource.Register(t.Context(), api, st, resource.Definition[part, part]{
		Name: "shown", Object: "part", Privileges: shopapi.Privileges{View: "v", Manage: "m"},
		Table: store.MustTable[part]("shown"), Sorts: []resource.Sort{{Key: "id", Column: "part_id"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shown.Create(t.Context(), part{Name: "a", CompanyID: 7}); err != nil {
		t.Fatal(err)
	}
	for company, want := range map[int64]error{7: nil, 8: shopapi.ErrNotFound} {
		ctx := shopapi.WithUser(t.Context(), &shopapi.User{Type: shopapi.Vendor, CompanyID: company, Privileges: map[string]bool{"v": true}})
		if _, err := resource.LookupOwned(ctx, api, "shown", 1); !errors.Is(err, want) {
			t.Errorf("for a vendor of company %d: %v, want %v", company, err, want)
		}
		if _, err := resource.LookupOwned(ctx, api, "shown", 2); err != shopapi.ErrNotFound {
			t.Errorf("an object that does not exist: %v", err)
		}
	}
}

// LookupCompany reads the company as the Update sees it, and what a host's own Get says.
func TestCompanies_LookupCompany(t *testing.T) {
	t.Parallel()
	vendor := func(company int64) *shopapi.User {
		return &shopapi.User{Type: shopapi.Vendor, CompanyID: company, Privileges: map[string]bool{"v": true}}
	}
	api, st := shopapi.New(&shopapi.Options{Edition: shopapi.MultiVendor}), memory.New()
	defer st.Close()
	definition := func(name string, scope resource.Scope[part]) resource.Definition[part, part] {
		return resource.Definition[part, part]{
			Name: name, Object: "part", Privileges: shopapi.Privileges{View: "v", Manage: "m"}, Scope: scope,
			Table: store.MustTable[part](name), Sorts: []resource.Sort{{Key: "id", Column: "part_id"}},
		}
	}
	owned := func(p *part) *int64 { return &p.CompanyID }
	parts := map[string]resource.Collection[part, part]{}
	for name, scope := range map[string]resource.Scope[part]{"owned": {Company: owned}, "readable": {Company: owned, VendorReadable: true}, "shown": {}} {
		c, err := resource.Register(t.Context(), api, st, definition(name, scope))
		if err != nil {
			t.Fatal(err)
		}
		parts[name] = c
	}
	hidden, err := resource.New(api, st, definition("hidden", resource.Scope[part]{Company: owned}))
	if err == nil {
		err = hidden.Migrate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := api.Register(hides{hidden.Entity()}); err != nil {
		t.Fatal(err)
	}
	parts["hidden"] = hidden
	for _, c := range parts {
		if _, err := c.CreateAll(t.Context(), []part{{Name: "a", CompanyID: 7}, {Name: "b", CompanyID: 8}, {Name: "c", CompanyID: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	type found struct {
		Company int64
		Err     error
	}
	none := found{0, shopapi.ErrNotFound}
	for _, test := range []struct {
		entity string
		user   *shopapi.User
		want   []found // of objects 1 to 4
	}{
		{"owned", nil, []found{{7, nil}, {8, nil}, {1, nil}, none}},
		{"owned", vendor(7), []found{{7, nil}, none, none, none}},
		{"readable", vendor(7), []found{{7, nil}, none, none, none}},
		{"shown", vendor(7), []found{{7, nil}, none, none, none}},
		{"shown", nil, []found{{7, nil}, {8, nil}, {1, nil}, none}},
		{"hidden", nil, []found{{7, nil}, none, none, none}},
		{"unknown", nil, []found{{0, shopapi.ErrNotRegistered}}},
	} {
		for _, within := range []bool{false, true} {
			var got []found
			look := func(ctx context.Context, _ store.Tx) error {
				for i := range test.want {
					company, err := resource.LookupCompany(ctx, api, test.entity, int64(i+1))
					got = append(got, found{company, err})
				}
				return nil
			}
			ctx := shopapi.WithUser(t.Context(), test.user)
			var err error
			if within {
				err = st.Update(ctx, look)
			} else {
				err = look(ctx, nil)
			}
			if diff := cmp.Diff(test.want, got, cmp.Comparer(func(a, b error) bool { return a == b })); err != nil || diff != "" {
				t.Errorf("%s for %v, within an Update %v: %v (-want +got):\n%s", test.entity, test.user, within, err, diff)
			}
		}
	}
	err = st.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
		for _, company := range []int64{8, 9} {
			if _, err := parts["owned"].Update(ctx, 1, func(p *part) error { p.CompanyID = company; return nil }); err != nil {
				return err
			}
			if got, err := resource.LookupCompany(ctx, api, "owned", 1); err != nil || got != company {
				t.Errorf("the company after a change in the same Update: %d, %v, want %d", got, err, company)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// hides is an entity with a Get of its own, which shows only the first object.
type hides struct{ resource.Entity }

func (h hides) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	if id != "1" {
		return nil, shopapi.NotFound("part", id)
	}
	return h.Entity.Get(ctx, r, id)
}

// The rule on company_id is described where objects have companies (decisions §5, §22).
func TestCompanies_Rules(t *testing.T) {
	t.Parallel()
	owned := func(p *part) *int64 { return &p.CompanyID }
	named := func(c *crate) *int64 { return &c.CrateID }
	anyCompany := &shopapi.Range{Low: 0, High: math.MaxInt64}
	note := "is required, but for administrators of one storefront, in the edition with several storefronts"
	for name, c := range map[string]struct {
		edition shopapi.Edition
		scope   resource.Scope[part]
		want    []shopapi.Rule
	}{
		"no company":     {shopapi.MultiVendor, resource.Scope[part]{}, nil},
		"vendors":        {shopapi.MultiVendor, resource.Scope[part]{Company: owned, NameCompany: true}, []shopapi.Rule{{Field: "company_id", Range: anyCompany}}},
		"storefronts":    {shopapi.MultiStorefront, resource.Scope[part]{Company: owned}, []shopapi.Rule{{Field: "company_id", Range: anyCompany}}},
		"must name them": {shopapi.MultiStorefront, resource.Scope[part]{Company: owned, NameCompany: true}, []shopapi.Rule{{Field: "company_id", Range: anyCompany, Note: note}}},
	} {
		if got := rulesOf(t, c.edition, c.scope, "part_id"); !cmp.Equal(c.want, got) {
			t.Errorf("%s: %s", name, cmp.Diff(c.want, got))
		}
	}
	if got := rulesOf(t, shopapi.MultiVendor, resource.Scope[crate]{Company: named}, "crate_id"); len(got) != 1 || got[0].Field != "crate" {
		t.Errorf("objects without the field have the rules %+v", got)
	}
}

func rulesOf[T any](t *testing.T, edition shopapi.Edition, scope resource.Scope[T], key string) []shopapi.Rule {
	t.Helper()
	api, st := shopapi.New(&shopapi.Options{Edition: edition}), memory.New()
	defer st.Close()
	_, err := resource.Register(t.Context(), api, st, resource.Definition[T, T]{
		Name: "things", Object: "thing", Privileges: shopapi.Privileges{View: "v", Manage: "m"},
		Table: store.MustTable[T]("things"), Sorts: []resource.Sort{{Key: "id", Column: key}}, Scope: scope,
	})
	if err != nil {
		t.Fatal(err)
	}
	return api.Descriptions()[0].Rules
}
