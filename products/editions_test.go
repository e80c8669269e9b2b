package products_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/shopapi/shopapi"
)

// A market is a shop of an edition with the companies 1 to 3. Category N belongs to
// company N; company 1 is the default company.
func market(s *shop) {
	for n := range int64(3) {
		s.addCategory(fmt.Sprint("c", n+1), 0, n+1)
	}
}

// Decisions §11.
func TestProducts_VendorsSeeAndTouchOnlyTheirOwn(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		market(s)
		foreign := s.add(`{"product": "foreign", "category_ids": [1], "company_id": 3}`)
		vendor := s.as("vendor2@example.com")
		own := vendor.add(`{"product": "own", "category_ids": [2], "company_id": 3}`)
		vendor.wants(own, map[string]string{"company_id": `"2"`})

		for path, want := range map[string]string{
			"/products": "own", "/products?company_id=3": "", "/products?company_id=2": "own",
			"/products?q=foreign": "", "/products?cid=1": "", "/categories/2/products": "own",
		} {
			if got := vendor.names(path); got != want {
				t.Errorf("%s: %q, want %q", path, got, want)
			}
		}
		if p := vendor.page("/products"); p.Params["total_items"] != "1" {
			t.Errorf("a vendor is told of %v products", p.Params["total_items"])
		}
		vendor.Call(404, "GET", at(foreign), "")
		vendor.Call(404, "PUT", at(foreign), `{"price": 1}`)
		vendor.Call(404, "DELETE", at(foreign), "")
		s.wants(foreign, map[string]string{"price": `"0.00"`})

		vendor.put(200, own, `{"company_id": 3, "price": 4}`)
		vendor.wants(own, map[string]string{"company_id": `"2"`, "price": `"4.00"`})
		vendor.Call(204, "DELETE", at(own), "")
		s.wantCounts("c1=1 c2=0 c3=0")
	})
}

// The categories of the default company are common to all vendors; a vendor cannot see
// the categories of another (package documentation, Categories).
func TestProducts_VendorsLinkToTheirOwnAndCommonCategories(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		market(s)
		vendor := s.as("vendor2@example.com")
		own := vendor.add(`{"product": "own", "category_ids": [1, 2]}`)
		vendor.wantCategories(own, `[1, 2]`, `1`)
		vendor.Refuses("POST", "/products", `{"product": "own", "category_ids": [3]}`, "category_ids")
		vendor.Refuses("PUT", at(own), `{"category_ids": [1, 3]}`, "category_ids")

		// What an administrator linked stays until the vendor names others.
		s.put(200, own, `{"category_ids": [3, 1]}`)
		vendor.put(200, own, `{"price": 4}`)
		vendor.put(200, own, `{"category_ids": [1, 3]}`)
		vendor.wantCategories(own, `[1, 3]`, `1`)
		vendor.put(200, own, `{"category_ids": [1]}`)
		vendor.Refuses("PUT", at(own), `{"category_ids": [1, 3]}`, "category_ids")
		s.wantCounts("c1=1 c2=0 c3=0")
	})
}

func TestProducts_CompanyComesFromTheAddress(t *testing.T) {
	for edition, name := range map[shopapi.Edition]string{shopapi.MultiStorefront: "stores", shopapi.MultiVendor: "vendors"} {
		suite.EachWith(t, shopapi.Options{Edition: edition}, func(t *testing.T, s *shop) {
			if err := s.API.Register(companies{name}); err != nil {
				t.Fatal(err)
			}
			market(s)
			s.add(`{"product": "one", "category_ids": [1]}`)
			under := "/" + name + "/2/products"
			s.Call(201, "POST", under, `{"product": "two", "category_ids": [2], "company_id": 1}`)
			s.wants(2, map[string]string{"company_id": `"2"`})
			if got := s.names(under); got != "two" {
				t.Errorf("%s: %q, want two", under, got)
			}
			if got := s.names("/products"); got != "one two" {
				t.Errorf("/products: %q, want one two", got)
			}
			s.Call(200, "GET", under+"/2", "")
			s.Call(404, "GET", under+"/1", "")
			s.Call(404, "PUT", under+"/1", `{"price": 1}`)
			s.Call(404, "DELETE", under+"/1", "")
			s.Call(404, "GET", "/"+name+"/9/products", "")
			foreign := []string{"3"} // of another vendor; company 1's are common
			if edition == shopapi.MultiStorefront {
				foreign = []string{"1", "3"}
			}
			for _, category := range foreign {
				s.Refuses("POST", under, `{"product": "three", "category_ids": [`+category+`]}`, "category_ids")
			}
		})
	}
}

// Companies are an entity whose objects are the companies 1 to 3.
type companies struct{ name string }

func (c companies) Describe() shopapi.Description {
	return shopapi.Description{
		Name: c.name, IDField: "store_id",
		Privileges: shopapi.Privileges{View: "view_companies", Manage: "manage_companies"},
	}
}

func (c companies) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	if id != "1" && id != "2" && id != "3" {
		return nil, shopapi.NotFound("company", id)
	}
	return map[string]string{"store_id": id}, nil
}

func TestProducts_AdministratorsMoveProductsBetweenCompanies(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		market(s)
		id := s.add(`{"product": "one", "category_ids": [1]}`)
		s.wants(id, map[string]string{"company_id": `"1"`})
		s.put(200, id, `{"company_id": 3}`)
		s.wants(id, map[string]string{"company_id": `"3"`})
		s.as("vendor3@example.com").Call(200, "GET", at(id), "")
		s.Refuses("PUT", at(id), `{"company_id": -1}`, "company_id")
	})
}
