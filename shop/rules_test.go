package shop_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// The tests of this file check the rules that all entities share, for all of them.

// hostCompanies is the host's own entity of storefronts or vendors: 1, 2 and 3.
type hostCompanies string

func (c hostCompanies) Describe() shopapi.Description {
	return shopapi.Description{
		Name: string(c), IDField: "company_id",
		Privileges: shopapi.Privileges{View: "view_" + string(c), Manage: "manage_" + string(c)},
	}
}

func (c hostCompanies) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	if id != "1" && id != "2" && id != "3" {
		return nil, shopapi.NotFound("company", id)
	}
	return map[string]string{"company_id": id, "company": "Company " + id}, nil
}

// ofCompanies are the entities whose objects belong to a company, with the required
// fields of a new one.
var ofCompanies = map[string]string{
	"categories":    `"category": "Cups"`,
	"products":      `"product": "Mug", "category_ids": [1]`,
	"call_requests": `"phone": "1"`,
	"users":         `"email": "ana@example.org", "user_type": "C"`,
}

// TestRegister_ForGoCodeAlone: the entities work over an API that is never served.
func TestRegister_ForGoCodeAlone(t *testing.T) {
	ctx, st, api := t.Context(), memory.New(), shopapi.New(nil)
	tree, err := categories.Register(ctx, api, st)
	if err != nil {
		t.Fatal(err)
	}
	goods, err := products.Register(ctx, api, st, tree)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exceptions.Register(ctx, api, st); err != nil {
		t.Error(err)
	}
	if _, err := discussions.Register(ctx, api, st); err != nil {
		t.Error(err)
	}
	if _, err := callrequests.Register(ctx, api, st); err != nil {
		t.Error(err)
	}
	if _, err := users.Register(ctx, api, st); err != nil {
		t.Error(err)
	}
	cups, err := tree.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Cups"}})
	if err != nil {
		t.Fatal(err)
	}
	mug := goods.Defaults(ctx)
	mug.Name, mug.CategoryIDs = "Mug", []int64{cups.CategoryID}
	if _, err := goods.Create(ctx, mug); err != nil {
		t.Fatal(err)
	}
	if got, err := tree.Get(ctx, cups.CategoryID); err != nil || got.ProductCount != 1 {
		t.Errorf("the category holds %d products, %v; want 1", got.ProductCount, err)
	}
}

// refusedFields returns the fields that a 400 names.
func refusedFields(t *testing.T, a *apitest.Answer) []string {
	t.Helper()
	var answer struct{ Errors map[string]string }
	a.Decode(&answer)
	if a.Status != 400 {
		t.Fatalf("answered %d %s, want 400", a.Status, a.Body)
	}
	return slices.Sorted(maps.Keys(answer.Errors))
}

// TestCompany_MustExist if an entity of companies is registered (decisions §5), on POST
// and on PUT.
func TestCompany_MustExist(t *testing.T) {
	for name, edition := range map[string]shopapi.Edition{"stores": shopapi.MultiStorefront, "vendors": shopapi.MultiVendor} {
		for _, registered := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s registered %v", name, registered), func(t *testing.T) {
				s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: edition}, Without: []string{name}})
				if registered {
					if err := s.Register(hostCompanies(name)); err != nil {
						t.Fatal(err)
					}
				}
				s.Post("/api/categories", `{"category": "All", "company_id": 1}`)
				for entity, fields := range ofCompanies {
					address := "/api/" + entity
					created := s.Post(address, fmt.Sprintf(`{%s, "company_id": 3}`, fields))
					if created.Status != 201 {
						t.Fatalf("%s of a company that exists: %d %s", entity, created.Status, created.Body)
					}
					object := address + "/" + created.Field(idFields[entity])
					if registered {
						for _, answer := range []*apitest.Answer{
							s.Post(address, fmt.Sprintf(`{%s, "company_id": 9}`, fields)),
							s.Put(object, `{"company_id": 9}`),
						} {
							if diff := cmp.Diff([]string{"company_id"}, refusedFields(t, answer)); diff != "" {
								t.Errorf("%s of a company that does not exist (-want +got):\n%s", entity, diff)
							}
						}
					}
					if got := s.Get(object).Field("company_id"); got != "3" {
						t.Errorf("%s: company %s, want 3", entity, got)
					}
					if answer := s.Put(object, `{"company_id": 2}`); answer.Status != 200 {
						t.Errorf("%s: to another company: %d %s", entity, answer.Status, answer.Body)
					}
				}
			})
		}
	}
}

var idFields = map[string]string{
	"categories": "category_id", "products": "product_id", "call_requests": "request_id", "users": "user_id",
}

// newVendor returns a user of the vendor with the privileges for the tests.
func newVendor(s *apitest.Shop, company int64) *apitest.Client {
	return s.UserOf(company, "view_catalog", "manage_catalog", "view_vendors", "view_discussions", "manage_discussions")
}

// TestCompany_VendorsEnterOnlyTheirOwn: addresses below another vendor are 404 for them,
// also if the host shows that vendor to everybody (decisions §11).
func TestCompany_VendorsEnterOnlyTheirOwn(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}, Without: []string{"vendors"}})
	if err := s.Register(hostCompanies("vendors")); err != nil {
		t.Fatal(err)
	}
	s.Post("/api/categories", `{"category": "Common"}`)
	v := newVendor(s, 2)
	const mug = `{"product": "Mug", "category_ids": [1]}`
	for vendor, want := range map[string][3]int{"2": {201, 200, 200}, "3": {404, 404, 404}} {
		address := "/api/vendors/" + vendor + "/products"
		got := [3]int{v.Post(address, mug).Status, v.Get(address).Status, v.Get(address + "/1").Status}
		if got != want {
			t.Errorf("POST, GET and GET of one under vendor %s: %v, want %v", vendor, got, want)
		}
	}
	if answer := v.Get("/api/vendors/3"); answer.Status != 200 {
		t.Errorf("the other vendor is answered %d, though the host shows it", answer.Status)
	}
}

// TestCompany_OfAProductThatMoved: the objects of a product move with it to another
// vendor (decisions §11).
func TestCompany_OfAProductThatMoved(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}})
	had, gets := newVendor(s, 3), newVendor(s, 2)
	s.Post("/api/categories", `{"category": "Common"}`)
	s.Post("/api/products", `{"product": "Mug", "category_ids": [1], "company_id": 3}`)
	s.Post("/api/products/1/options", `{"option_name": "Size", "variants": [{"variant_name": "S"}, {"variant_name": "L"}]}`)
	s.Post("/api/products/1/exceptions", `{"combination": {"1": 2}}`)
	combination := s.Post("/api/products/1/combinations", `{"combination": {"1": 2}}`).Field("combination_hash")
	s.Post("/api/products/1/discussions", `{"message": "Holds heat well"}`)
	for _, move := range []struct {
		sees, not *apitest.Client
		to        string
	}{{had, gets, "2"}, {gets, had, "3"}} {
		for entity, id := range map[string]string{"exceptions": "1", "discussions": "1", "options": "1", "combinations": combination} {
			address := "/api/products/1/" + entity
			if got := [2]int{move.sees.Get(address + "/" + id).Status, move.not.Get(address + "/" + id).Status}; got != [2]int{200, 404} {
				t.Errorf("%s: its vendor and another are answered %v, want 200 and 404", address, got)
			}
			if got := [2]int{move.sees.Get(address).Status, move.not.Get(address).Status}; got != [2]int{200, 404} {
				t.Errorf("the list %s: its vendor and another are answered %v, want 200 and 404", address, got)
			}
		}
		if answer := move.sees.Get("/api/products/1/discussions"); !strings.Contains(answer.Body, `"total_items":"1"`) {
			t.Errorf("its vendor finds %s", answer.Body)
		}
		s.Put("/api/products/1", `{"company_id": `+move.to+`}`)
	}
}

// TestCompany_OneInASingleStore: a valid company_id is ignored there.
func TestCompany_OneInASingleStore(t *testing.T) {
	s := apitest.New(t, nil)
	s.Post("/api/categories", `{"category": "All"}`)
	for entity, fields := range ofCompanies {
		if diff := cmp.Diff([]string{"company_id"}, refusedFields(t, s.Post("/api/"+entity, `{`+fields+`, "company_id": -3}`))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", entity, diff)
		}
		created := s.Post("/api/"+entity, `{`+fields+`, "company_id": 3}`)
		if got := s.Get("/api/" + entity + "/" + created.Field(idFields[entity])).Field("company_id"); got != "1" {
			t.Errorf("%s: company %s, want 1", entity, got)
		}
	}
}

// TestWrites_NameEveryFieldAtFault: one response names values of the wrong type and
// values that break a rule (decisions §5).
func TestWrites_NameEveryFieldAtFault(t *testing.T) {
	s := apitest.New(t, nil)
	s.Post("/api/categories", `{"category": "All"}`)
	s.Post("/api/products", `{"product": "Mug", "category_ids": [1]}`)
	s.Post("/api/options", `{"product_id": 1, "option_name": "Size", "variants": [{"variant_name": "S"}, {"variant_name": "L"}]}`)
	combination := "combinations/" + s.Post("/api/combinations", `{"product_id": 1, "combination": {"1": 1}}`).Field("combination_hash")
	s.Post("/api/exceptions", `{"product_id": 1, "combination": {"1": 2}}`)
	s.Post("/api/discussions", `{"object_type": "P", "object_id": 1}`)
	s.Post("/api/call_requests", `{"phone": "1"}`)
	for _, c := range []struct {
		method, address, body string
		fields                []string
	}{
		{"POST", "categories", `{"position": "last", "parent_id": 9}`, []string{"category", "parent_id", "position"}},
		{"PUT", "categories/1", `{"position": "last", "status": "X"}`, []string{"position", "status"}},
		{"POST", "products", `{"amount": "few", "status": "X", "category_ids": [9]}`, []string{"amount", "category_ids", "product", "status"}},
		{"PUT", "products/1", `{"amount": "few", "status": "X"}`, []string{"amount", "status"}},
		{"POST", "exceptions", `{"combination": "red", "product_id": 9}`, []string{"combination", "product_id"}},
		{"PUT", "exceptions/1", `{"combination": "red", "product_id": 9}`, []string{"combination", "product_id"}},
		{"POST", "options", `{"option_type": "X", "position": "last", "product_id": 9}`, []string{"option_name", "option_type", "position", "product_id"}},
		{"POST", "options", `{"option_type": "I", "inventory": "Y", "variants": [{}], "status": "X"}`, []string{"inventory", "option_name", "product_id", "status", "variants"}},
		{"PUT", "options/1", `{"option_name": "", "variants": {"1": {"modifier": "much"}}}`, []string{"option_name", "variants"}},
		{"POST", "combinations", `{"combination": "red", "product_id": 9, "amount": "few", "position": -1}`, []string{"amount", "combination", "position", "product_id"}},
		{"PUT", combination, `{"amount": -1, "position": "last"}`, []string{"amount", "position"}},
		{"POST", "discussions", `{"rating_value": 9, "object_type": "P", "object_id": 9}`, []string{"object_id", "rating_value"}},
		{"POST", "discussions", `{"thread_id": "x", "status": "X"}`, []string{"status", "thread_id"}},
		{"PUT", "discussions/1", `{"rating_value": 9, "status": "X"}`, []string{"rating_value", "status"}},
		{"POST", "call_requests", `{"phone": [1], "product_id": 9}`, []string{"phone", "product_id"}},
		{"POST", "call_requests", `{"user_id": "me", "status": "X"}`, []string{"email", "phone", "status", "user_id"}},
		{"PUT", "call_requests/1", `{"user_id": "me", "product_id": 9}`, []string{"product_id", "user_id"}},
		{"POST", "users", `{"firstname": [1], "status": "X"}`, []string{"email", "firstname", "status", "user_type"}},
		{"PUT", "users/1", `{"firstname": [1], "password": [1], "status": "X"}`, []string{"firstname", "password", "status"}},
		{"POST", "usergroups", `{"usergroup": [1], "status": "X"}`, []string{"status", "type", "usergroup"}},
	} {
		answer := s.Do(c.method, "/api/2.0/"+c.address, "application/json", c.body)
		if diff := cmp.Diff(c.fields, refusedFields(t, answer)); diff != "" {
			t.Errorf("%s %s %s (-want +got):\n%s", c.method, c.address, c.body, diff)
		}
	}
}
