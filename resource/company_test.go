package resource_test

import (
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
