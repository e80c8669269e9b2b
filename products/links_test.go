package products_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store/memory"
)

// wantCounts checks the product_count of categories, as "name=count …".
func (s *shop) wantCounts(want string) {
	s.Helper()
	var got []string
	for name, n := range s.counts() {
		got = append(got, fmt.Sprintf("%s=%d", name, n))
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
		s.Errorf("product_count (-want +got):\n%s", diff)
	}
}

// wantCategories checks the categories of a product: category_ids, then
// main_category.
func (s *shop) wantCategories(id int64, ids, main string) {
	s.Helper()
	s.wants(id, map[string]string{"category_ids": ids, "main_category": main})
}

// abc is a shop with the categories a, b and c, whose ids are 1 to 3.
func abc(s *shop) {
	for _, name := range []string{"a", "b", "c"} {
		s.addCategory(name, 0, 1)
	}
}

func TestProducts_CategoryIDsAreAnArrayAScalarOrAList(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		for _, c := range []struct{ sent, ids, main string }{
			{`[2, 1]`, `[2, 1]`, `2`},
			{`["3"]`, `[3]`, `3`},
			{`2`, `[2]`, `2`},
			{`"3"`, `[3]`, `3`},
			{`"3, 1"`, `[3, 1]`, `3`},
			{`"1,1,2"`, `[1, 2]`, `1`},
			{`[2, 2, 3, 2]`, `[2, 3]`, `2`},
			{`{"7": 3, "2": "1"}`, `[3, 1]`, `3`},
		} {
			id := s.add(`{"product": "Mug", "category_ids": %s}`, c.sent)
			s.wantCategories(id, c.ids, c.main)
			s.Call(204, "DELETE", at(id), "")
		}
		s.wantCounts("a=0 b=0 c=0")
	})
}

func TestProducts_MainCategoryIsTheFirstUnlessNamed(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1, 2], "main_category": "2"}`)
		s.wantCategories(id, `[1, 2]`, `2`)
		s.put(200, id, `{"category_ids": [1, 2]}`)
		s.wantCategories(id, `[1, 2]`, `1`)
		s.put(200, id, `{"main_category": 2}`)
		s.wantCategories(id, `[1, 2]`, `2`)
		s.put(200, id, `{"price": 3}`)
		s.wantCategories(id, `[1, 2]`, `2`)
		s.put(200, id, `{"category_ids": [3, 2], "main_category": 2}`)
		s.wantCategories(id, `[3, 2]`, `2`)
		s.put(200, id, `{"main_category": 0}`)
		s.wantCategories(id, `[3, 2]`, `3`)
		s.put(200, id, `{"category_ids": [2, 3]}`)
		s.wantCategories(id, `[2, 3]`, `2`)
		s.wantCounts("a=0 b=1 c=1")
	})
}

func TestProducts_MainCategoryMustBeAmongCategoryIDs(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1, 2]}`)
		s.Refuses("POST", "/products", `{"product": "Mug", "category_ids": [1, 2], "main_category": 3}`, "main_category")
		s.Refuses("PUT", at(id), `{"main_category": 3}`, "main_category")
		s.Refuses("PUT", at(id), `{"category_ids": [3], "main_category": 2}`, "main_category")
		s.Refuses("PUT", at(id), `{"main_category": -1}`, "main_category")
	})
}

// Clients of the live dialect create products whose main_category is not in category_ids.
func TestProducts_LiveDialectPassesOverAForeignMainCategory(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Dialect: shopapi.DialectLive}, func(t *testing.T, s *shop) {
		abc(s)
		s.Call(201, "POST", "/products", `{"product": "e2e testing", "category_ids": [1, 2], "main_category": 3, "price": 0, "company_id": 1, "status": "A"}`)
		s.wantCategories(1, `[1, 2]`, `1`)
		s.Refuses("POST", "/products", `{"product": "e2e testing", "category_ids": [1, 2], "main_category": 210}`, "main_category")
		s.put(200, 1, `{"main_category": 2}`)
		s.wantCategories(1, `[1, 2]`, `2`)
	})
}

// A 400 names the field that was sent (decisions §5).
func TestProducts_LiveDialectNamesTheFieldWithTheUnknownCategory(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Dialect: shopapi.DialectLive}, func(t *testing.T, s *shop) {
		abc(s)
		s.Call(201, "POST", "/products", `{"product": "Mug", "category_ids": [1], "company_id": 1}`)
		for sent, field := range map[string]string{
			`"category_ids": [210]`:                     "category_ids",
			`"category_ids": [210, 1]`:                  "category_ids",
			`"category_ids": [1, 210]`:                  "category_ids",
			`"main_category": 210`:                      "main_category",
			`"category_ids": [2], "main_category": 210`: "main_category",
		} {
			s.Refuses("POST", "/products", `{"product": "Jug", "company_id": 1, `+sent+`}`, field)
			s.Refuses("PUT", "/products/1", `{`+sent+`}`, field)
		}
	})
}

func TestProducts_UnknownCategoriesAre400(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1, 2]}`)
		for _, ids := range []string{`[4]`, `[1, 4]`, `"2,99"`, `[0]`, `[1, -2]`, `[9223372036854775807]`} {
			s.Refuses("POST", "/products", `{"product": "Mug", "category_ids": `+ids+`}`, "category_ids")
			s.Refuses("PUT", at(id), `{"category_ids": `+ids+`}`, "category_ids")
		}
		s.Refuses("PUT", at(id), `{"category_ids": []}`, "category_ids")
		s.Refuses("PUT", at(id), `{"category_ids": null}`, "category_ids")
		s.Refuses("PUT", at(id), `{"category_ids": ""}`, "category_ids")
		s.Refuses("PUT", at(id), `{"category_ids": [1`+ids(2, 1002)+`]}`, "category_ids")
	})
}

func ids(from, to int) string {
	var b strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintf(&b, ",%d", n)
	}
	return b.String()
}

func TestProducts_AnyCategoryWhereNoneAreRegistered(t *testing.T) {
	s := newBareShop(t, memory.New(), shopapi.Options{})
	var err error
	if s.Products, err = products.Register(t.Context(), s.API, s.Store, nil); err != nil {
		t.Fatal(err)
	}
	id := s.add(`{"product": "Mug", "category_ids": [77, 5]}`)
	s.wants(id, map[string]string{"category_ids": `[77, 5]`, "main_category": `77`, "seo_path": `"77"`})
	if got := s.names("/products?cid=5&subcats=Y"); got != "Mug" {
		t.Errorf("the products of category 5 are %q", got)
	}
	s.Call(400, "POST", "/products", `{"product": "Mug", "category_ids": [0]}`)
	s.Call(204, "DELETE", at(id), "")
}

// A shelf is an entity that a host registers as categories: it knows number 5.
type shelf struct{}

func (shelf) Describe() shopapi.Description {
	return shopapi.Description{Name: "categories", IDField: "category_id", Privileges: shopapi.Privileges{View: "v", Manage: "m"}}
}

func (shelf) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	if id != "5" {
		return nil, shopapi.ErrNotFound
	}
	return map[string]string{"category_id": id}, nil
}

func TestProducts_CategoriesOfTheHostAreAsked(t *testing.T) {
	s := newBareShop(t, memory.New(), shopapi.Options{})
	if err := s.API.Register(shelf{}); err != nil {
		t.Fatal(err)
	}
	if _, err := products.Register(t.Context(), s.API, s.Store, nil); err != nil {
		t.Fatal(err)
	}
	s.Call(201, "POST", "/products", `{"product": "Mug", "category_ids": 5}`)
	s.Call(400, "POST", "/products", `{"product": "Mug", "category_ids": [5, 6]}`)
}

func TestProducts_ProductCountFollowsTheLinks(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		one := s.add(`{"product": "One", "category_ids": [1, 2]}`)
		two := s.add(`{"product": "Two", "category_ids": [2]}`)
		s.wantCounts("a=1 b=2 c=0")
		s.put(200, one, `{"category_ids": [3, 2]}`)
		s.wantCounts("a=0 b=2 c=1")
		s.put(200, one, `{"main_category": 2}`)
		s.wantCounts("a=0 b=2 c=1")
		s.Call(204, "DELETE", at(two), "")
		s.wantCounts("a=0 b=1 c=1")
		s.Call(204, "DELETE", at(one), "")
		s.wantCounts("a=0 b=0 c=0")
	})
}

// Decisions §7.
func TestProducts_RemovedCategoriesLeaveTheirProducts(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		below := s.addCategory("d", 1, 1)
		next := s.add(`{"product": "Next", "category_ids": [1, 3, 2]}`)
		other := s.add(`{"product": "Other", "category_ids": [1, 2], "main_category": 2}`)
		none := s.add(`{"product": "None", "category_ids": [1, %d]}`, below)
		s.Call(204, "DELETE", "/categories/1", "")
		s.wantCategories(next, `[3, 2]`, `3`)
		s.wantCategories(other, `[2]`, `2`)
		s.wantCategories(none, `[]`, `0`)
		s.wantCounts("b=2 c=1")
		s.wants(none, map[string]string{"seo_path": `""`})

		// Such a product can be changed, and gets categories again.
		s.put(200, none, `{"price": 2}`)
		s.wantCategories(none, `[]`, `0`)
		s.put(200, none, `{"category_ids": "2,3"}`)
		s.wantCategories(none, `[2, 3]`, `2`)
		s.wantCounts("b=3 c=2")
	})
}

func TestProducts_SEOPathFollowsTheMainCategory(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		s.addCategory("d", 1, 1)
		id := s.add(`{"product": "Mug", "category_ids": [4, 2]}`)
		s.wants(id, map[string]string{"seo_path": `"1/4"`})
		s.Call(200, "PUT", "/categories/4", `{"parent_id": 3}`)
		s.wants(id, map[string]string{"seo_path": `"3/4"`})
		s.put(200, id, `{"main_category": 2}`)
		s.wants(id, map[string]string{"seo_path": `"2"`})
	})
}

func TestProducts_ListUnderACategoryIsItsProducts(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		below := s.addCategory("d", 1, 1)
		s.add(`{"product": "a", "category_ids": [1]}`)
		s.add(`{"product": "ab", "category_ids": [1, 2]}`)
		s.add(`{"product": "c", "category_ids": [3]}`)
		s.add(`{"product": "d", "category_ids": [%d]}`, below)
		for path, want := range map[string]string{
			"/categories/1/products":                 "a ab",
			"/categories/1/products?subcats=Y":       "a ab d",
			"/categories/1/products?subcats=N":       "a ab",
			"/categories/4/products?subcats=Y":       "d",
			"/categories/1/products?cid=2":           "ab",
			"/products?cid=1":                        "a ab",
			"/products?cid=1&subcats=Y":              "a ab d",
			"/products?cid=1&subcats=True":           "a ab d",
			"/products?cid=99":                       "",
			"/products?cid=99&subcats=Y":             "",
			"/products?subcats=Y":                    "a ab c d",
			"/products?cid=&q=b":                     "ab",
			"/categories/1/products?sort_order=desc": "ab a",
		} {
			if got := s.names(path); got != want {
				t.Errorf("%s: %q, want %q", path, got, want)
			}
		}
		s.Call(404, "GET", "/categories/99/products", "")
	})
}

func TestProducts_ProductOfAnotherCategoryIs404UnderIt(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		s.add(`{"product": "Mug", "category_ids": [1, 2]}`)
		s.Call(200, "GET", "/categories/2/products/1", "")
		s.Call(404, "GET", "/categories/3/products/1", "")
		s.Call(404, "PUT", "/categories/3/products/1", `{"price": 5}`)
		s.Call(404, "DELETE", "/categories/3/products/1", "")
		s.wants(1, map[string]string{"price": `"0.00"`})
		s.Call(200, "PUT", "/categories/2/products/1", `{"price": 5}`)
		s.wants(1, map[string]string{"price": `"5.00"`})
		s.Call(204, "DELETE", "/categories/2/products/1", "")
		s.Call(404, "GET", "/products/1", "")
	})
}

func TestProducts_CreatedUnderACategoryIsLinkedToIt(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		s.Call(201, "POST", "/categories/2/products", `{"product": "Mug"}`)
		s.wantCategories(1, `[2]`, `2`)
		s.Call(201, "POST", "/categories/2/products", `{"product": "Cup", "category_ids": [3, 1]}`)
		s.wantCategories(2, `[3, 1]`, `3`)
		s.wantCounts("a=1 b=1 c=1")
	})
}

func TestProducts_DeletionRunsHooks(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		var gone []int64
		var veto error
		s.API.BeforeDelete("products", func(_ context.Context, ids []int64) error {
			gone = append(gone, ids...)
			return veto
		})
		one := s.add(`{"product": "One", "category_ids": [1]}`)
		two := s.add(`{"product": "Two", "category_ids": [1]}`)
		s.Call(204, "DELETE", at(two), "")
		if diff := cmp.Diff([]int64{two}, gone); diff != "" {
			t.Errorf("the hook was told of (-want +got):\n%s", diff)
		}

		veto = errors.New("it stays")
		if err := s.Products.Delete(t.Context(), one); !errors.Is(err, veto) {
			t.Errorf("Delete: %v, want the error of the hook", err)
		}
		s.wantCategories(one, `[1]`, `1`)
		s.wantCounts("a=1 b=0 c=0")
	})
}
