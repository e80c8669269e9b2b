package categories_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
)

// stores are two storefronts, 1 and 2, with categories under each.
type stores struct{}

func (stores) Describe() shopapi.Description {
	return shopapi.Description{
		Name: "stores", IDField: "storefront_id",
		Privileges: shopapi.Privileges{View: "view_stores"},
	}
}

func (stores) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	if id != "1" && id != "2" {
		return nil, shopapi.NotFound("storefront", id)
	}
	return shopapi.Map{{Name: "storefront_id", Value: id}}, nil
}

// TestCategories_SingleStore: every category has company 1, whichever is sent (decisions
// §11).
func TestCategories_SingleStore(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.SingleStore}, func(t *testing.T, s *shop) {
		for _, company := range []string{"", `, "company_id": 1`, `, "company_id": "7"`, `, "company_id": 0`} {
			id := s.add(`{"category": "C"` + company + `}`)
			s.put(200, id, `{"company_id": 5, "status": "D"}`)
			if got := s.Object(at(id))["company_id"]; got != "1" {
				t.Errorf("POST with%s and PUT with company 5: company %v, want 1", company, got)
			}
		}
	})
}

// TestCategories_DefaultCompany is an option of the host.
func TestCategories_DefaultCompany(t *testing.T) {
	for _, edition := range []shopapi.Edition{shopapi.SingleStore, shopapi.MultiVendor} {
		suite.EachWith(t, shopapi.Options{Edition: edition, DefaultCompany: 4}, func(t *testing.T, s *shop) {
			if got := s.Object(at(s.add(`{"category": "C"}`)))["company_id"]; got != "4" {
				t.Errorf("edition %d: company %v, want 4", edition, got)
			}
		})
	}
}

// TestCategories_StorefrontRequired: company_id is required on POST in this edition only
// (decisions §7, §11).
func TestCategories_StorefrontRequired(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *shop) {
		s.Refuses("POST", "/api/2.0/categories", `{"category": "C"}`, "company_id")
		s.Refuses("POST", "/api/2.0/categories", `{"category": "C", "company_id": null}`, "company_id")
		s.Refuses("POST", "/api/2.0/categories", `{"position": "last"}`, "company_id", "position", "category")
		s.Refuses("POST", "/api/2.0/categories", `{"category": "C", "company_id": -1}`, "company_id")
		id := s.add(`{"category": "C", "company_id": "2"}`)
		s.put(200, id, `{"category": "D"}`)
		if got := s.Object(at(id))["company_id"]; got != "2" {
			t.Errorf("company %v, want 2", got)
		}
		s.put(200, id, `{"company_id": 3}`)
		if got := s.Object(at(id))["company_id"]; got != "3" {
			t.Errorf("company %v after a change, want 3", got)
		}
		s.Refuses("PUT", at(id), `{"company_id": -3}`, "company_id")
	})
}

// TestCategories_UnderStorefront: stores/<id>/categories lists only that storefront's
// rows (decisions §11).
func TestCategories_UnderStorefront(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *shop) {
		if err := s.API.Register(stores{}); err != nil {
			t.Fatal(err)
		}
		s.add(`{"category": "first", "company_id": 1}`)
		s.add(`{"category": "second", "company_id": 2}`)
		s.add(`{"category": "below", "company_id": 2, "parent_id": 2}`)
		s.add(`{"category": "another's", "company_id": 1, "parent_id": 3}`)

		for _, c := range []struct{ path, want string }{
			{"/api/stores/2/categories", "2 3"},
			{"/api/stores/1/categories", "1 4"}, // 4 is below 2, which follows 1
			{"/api.php?_d=stores/2/categories&parent_id=2", "3"},
			{"/api/stores/2/categories?company_id=1", ""},
			{"/api/stores/1/categories?parent_id=2", ""},
		} {
			if got := s.List(c.path, "category_id"); got != c.want {
				t.Errorf("%s: categories %q, want %q", c.path, got, c.want)
			}
		}
		if got := s.Send("GET", "/api/stores/2/categories?page=1", "").Header.Get("X-Total-Count"); got != "2" {
			t.Errorf("the total is %s, want 2", got)
		}

		before := s.dump()
		s.Call(200, "GET", "/api/stores/2/categories/2", "")
		s.Call(404, "GET", "/api/stores/1/categories/2", "")
		s.Call(404, "PUT", "/api/stores/1/categories/2", `{"category": "C"}`)
		s.Call(404, "DELETE", "/api/stores/1/categories/2", "")
		s.Call(404, "GET", "/api/stores/3/categories", "")
		s.Call(404, "POST", "/api/stores/3/categories", `{"category": "C"}`)
		s.Refuses("POST", "/api/stores/1/categories", `{"category": "C", "parent_id": 2}`, "parent_id")
		s.Refuses("PUT", "/api/stores/2/categories/2", `{"parent_id": 1}`, "parent_id")
		s.Refuses("DELETE", "/api/stores/2/categories/2", "") // a category of storefront 1 is below it
		s.wantDump(before)

		s.Call(201, "POST", "/api/stores/2/categories", `{"category": "C"}`)
		s.Call(201, "POST", "/api/stores/2/categories", `{"category": "C", "company_id": 1}`)
		s.Call(200, "PUT", "/api/stores/2/categories/2", `{"company_id": 1}`)
		if got, want := s.List("/api/stores/2/categories", "category_id"), "2 3 5 6"; got != want {
			t.Errorf("storefront 2 has the categories %q, want %q", got, want)
		}
	})
}

// TestCategories_VendorsSeeTheirOwn rows only, and get 404 for others (decisions §11).
func TestCategories_VendorsSeeTheirOwn(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		two, three := s.as("vendor2@example.com"), s.as("vendor3@example.com")
		shared := s.add(`{"category": "shared"}`)
		own := two.add(`{"category": "own", "company_id": 3}`)
		below := two.addTo(own, "below")
		other := three.add(`{"category": "another's"}`)

		for _, c := range []struct {
			who  *shop
			want string
		}{{s, "1 2 3 4"}, {two, "2 3"}, {three, "4"}} {
			if got := c.who.List("/api/2.0/categories", "category_id"); got != c.want {
				t.Errorf("%s sees %q, want %q", c.who.Email, got, c.want)
			}
		}
		w := two.Send("GET", "/api/2.0/categories?items_per_page=1", "")
		if got := w.Header.Get("X-Total-Count"); got != "2" {
			t.Errorf("the vendor's total is %s, want 2", got)
		}
		if got := two.List("/api/2.0/categories?company_id=3", "category_id"); got != "" {
			t.Errorf("the filter company_id shows the vendor %q", got)
		}
		before := s.dump()
		for _, id := range []int64{shared, other} {
			two.Call(404, "GET", at(id), "")
			two.put(404, id, `{"category": "taken"}`)
			two.Call(404, "DELETE", at(id), "")
			two.Refuses("POST", "/api/2.0/categories", fmt.Sprintf(`{"category": "C", "parent_id": %d}`, id), "parent_id")
			two.Refuses("PUT", at(below), fmt.Sprintf(`{"parent_id": %d}`, id), "parent_id")
		}
		s.wantDump(before)

		two.put(200, own, `{"company_id": 3, "position": 5}`)
		if got := s.Object(at(own))["company_id"]; got != "2" {
			t.Errorf("the vendor moved a category to company %v", got)
		}
		s.put(200, own, `{"company_id": 3}`)
		two.Call(404, "GET", at(own), "")
		s.wholeTree()
	})
}

// TestCategories_VendorBelowAnothersCategory may change its category without moving it,
// although it cannot see the parent.
func TestCategories_VendorBelowAnothersCategory(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		s.add(`{"category": "shared"}`)
		own := s.add(`{"category": "own", "parent_id": 1, "company_id": 2}`)
		foreign := s.add(fmt.Sprintf(`{"category": "another's", "parent_id": %d, "company_id": 3}`, own))
		two := s.as("vendor2@example.com")
		two.put(200, own, `{"position": 99, "parent_id": 1}`)
		s.wholeTree()
		two.Refuses("DELETE", at(own), "")
		s.Call(204, "DELETE", at(foreign), "")
		two.put(200, own, `{"parent_id": 0}`)
		two.Refuses("PUT", at(own), `{"parent_id": 1}`, "parent_id")
		two.Call(204, "DELETE", at(own), "")
	})
}

// TestCategories_GoCallsActForTheirUser: a user in the context has the same rights as
// over the wire; without one the host has all.
func TestCategories_GoCallsActForTheirUser(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		vendor := shopapi.WithUser(t.Context(), users["vendor2@example.com"])
		own, err := s.Categories.Create(vendor, categories.Category{Summary: categories.Summary{Name: "own"}})
		if err != nil || own.CompanyID != 2 {
			t.Fatalf("created of company %d, %v", own.CompanyID, err)
		}
		other, err := s.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "other", CompanyID: 3}})
		if err != nil || other.CompanyID != 3 {
			t.Fatalf("created of company %d, %v", other.CompanyID, err)
		}
		list, total, err := s.Categories.Find(vendor, categories.Filter{})
		if diff := cmp.Diff([]categories.Summary{own.Summary}, list); diff != "" || total != 1 || err != nil {
			t.Errorf("total %d, error %v, (-want +got):\n%s", total, err, diff)
		}
		never := func(*categories.Category) error { t.Error("changed"); return nil }
		_, errGet := s.Categories.Get(vendor, other.CategoryID)
		_, errUpdate := s.Categories.Update(vendor, other.CategoryID, never)
		for what, err := range map[string]error{
			"Get":    errGet,
			"Update": errUpdate,
			"Delete": s.Categories.Delete(vendor, other.CategoryID),
		} {
			wantStatus(t, what, err, 404)
		}
	})
}
