package products_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// TestProducts_UnchangedCausesNoEvent, by either door (decisions §5).
func TestProducts_UnchangedCausesNoEvent(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		withCategories(s)
		id := s.add("%s", fullBody)
		before, err := s.Products.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		told := s.Events()
		s.Clock.Advance(time.Minute)
		s.put(200, id, "%s", s.Call(200, "GET", at(id), ""))
		updated, err := s.Products.Update(t.Context(), id, func(p *products.Product) error {
			p.UpdatedTimestamp, p.SEOPath, p.ShippingParams, p.Type = 5, "x", "y", products.Variation
			p.Price = decimal.MustParse(p.Price.String() + "0")
			p.CategoryIDs = append(p.CategoryIDs, p.CategoryIDs...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, updated); diff != "" {
			t.Errorf("Update returned (-stored +returned):\n%s", diff)
		}
		if diff := cmp.Diff(told, s.Events()); diff != "" {
			t.Errorf("the observer was told of\n%s", diff)
		}
	})
}

// TestProducts_DefaultsOfEitherDoor: Create of Product{} sets fields that cannot be
// empty, and Defaults returns a POST's defaults.
func TestProducts_DefaultsOfEitherDoor(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		posted, err := s.Products.Get(t.Context(), s.add(`{"product": "Mug", "category_ids": [1]}`))
		if err != nil {
			t.Fatal(err)
		}
		create := func(p products.Product) products.Product {
			t.Helper()
			p.Name, p.CategoryIDs = "Mug", []int64{1}
			created, err := s.Products.Create(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			created.ProductID = posted.ProductID
			return created
		}
		if diff := cmp.Diff(posted, create(s.Products.Defaults(t.Context()))); diff != "" {
			t.Errorf("Create of Defaults (-POST +Create):\n%s", diff)
		}
		want := posted
		want.Amount, want.IsReturnable, want.ReturnPeriod = 0, false, 0
		if diff := cmp.Diff(want, create(products.Product{})); diff != "" {
			t.Errorf("Create of the zero product (-want +got):\n%s", diff)
		}
	})
}

func TestProducts_CreateAllIsAllOrNone(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		named := func(name string, category int64) products.Product {
			return products.Product{Summary: products.Summary{Name: name, CategoryIDs: []int64{category}}}
		}
		_, err := s.Products.CreateAll(t.Context(), []products.Product{named("Mug", 1), named("Cup", 99)})
		wantStatus(t, "CreateAll with an unknown category", err, 400)
		s.wantCounts("a=0 b=0 c=0")
		if _, err := s.Products.CreateAll(t.Context(), []products.Product{named("Mug", 1), named("Cup", 1), named("Pot", 2)}); err != nil {
			t.Fatal(err)
		}
		s.wantCounts("a=2 b=1 c=0")
		var names []string
		for p, err := range s.Products.All(t.Context(), products.Filter{CategoryID: 1}) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, fmt.Sprint(p.Name, p.CategoryIDs))
		}
		if diff := cmp.Diff([]string{"Mug[1]", "Cup[1]"}, names); diff != "" {
			t.Errorf("All (-want +got):\n%s", diff)
		}
	})
}

// TestProducts_HooksTakePart in the transaction of every change.
func TestProducts_HooksTakePart(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		var saved, deleted []string
		s.Products.BeforeSave(func(_ context.Context, _ store.Tx, old, after *products.Product) error {
			if after.Code == "taken" {
				return shopapi.Invalid("product_code", "is taken")
			}
			saved = append(saved, fmt.Sprint(old == nil, after.CategoryIDs, after.MainCategory))
			return nil
		})
		stays := errors.New("it stays")
		s.Products.BeforeDelete(func(_ context.Context, _ store.Tx, old *products.Product) error {
			deleted = append(deleted, fmt.Sprint(old.Name, old.CategoryIDs))
			if old.Amount > 0 {
				return stays
			}
			return nil
		})
		id := s.add(`{"product": "Mug", "category_ids": [2, 1]}`)
		s.put(200, id, `{"category_ids": [1]}`)
		s.put(200, id, `{"category_ids": [1]}`)
		s.Refuses("PUT", at(id), `{"product_code": "taken", "category_ids": [3]}`, "product_code")
		if err := s.Products.Delete(t.Context(), id); !errors.Is(err, stays) {
			t.Errorf("Delete: %v, want the hook's error", err)
		}
		s.wantCounts("a=1 b=0 c=0")
		s.put(200, id, `{"amount": 0}`)
		s.Call(204, "DELETE", at(id), "")
		if diff := cmp.Diff([]string{"true [2 1] 2", "false [1] 1", "false [1] 1"}, saved); diff != "" {
			t.Errorf("saved (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"Mug[1]", "Mug[1]"}, deleted); diff != "" {
			t.Errorf("deleted (-want +got):\n%s", diff)
		}
	})
}

// TestProducts_UnderAnEntityOfTheHost lists the products that the host declares to lie
// below its entity. Below an entity without a declaration, products are a 404.
func TestProducts_UnderAnEntityOfTheHost(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		suppliers := &shoptest.Host{Name: "suppliers", Objects: map[string]any{"1": shopapi.Map{}, "2": shopapi.Map{}}}
		brands := &shoptest.Host{Name: "brands", Objects: map[string]any{"1": shopapi.Map{}}}
		for _, e := range []shopapi.Entity{suppliers, brands} {
			if err := s.API.Register(e); err != nil {
				t.Fatal(err)
			}
		}
		err := s.Products.Under(resource.ByColumn("suppliers", "point_price", func(p *products.Product) *int64 { return &p.PointPrice }))
		if err != nil {
			t.Fatal(err)
		}
		s.Call(201, "POST", "/suppliers/2/products", `{"product": "two", "category_ids": [1]}`)
		s.add(`{"product": "one", "category_ids": [1], "point_price": 1}`)
		if got := s.names("/suppliers/2/products"); got != "two" {
			t.Errorf("supplier 2 has %q, want two", got)
		}
		s.Call(200, "GET", "/suppliers/2/products/1", "")
		s.Call(404, "GET", "/suppliers/2/products/2", "")
		s.Call(404, "DELETE", "/suppliers/1/products/1", "")
		s.Call(404, "GET", "/brands/1/products", "")
	})
}

// A cabinet is an entity of a host named categories, whose objects can be deleted.
type cabinet struct{ *shoptest.Host }

func (c cabinet) Delete(_ context.Context, _ *shopapi.Request, id string) error {
	delete(c.Objects, id)
	return nil
}

// TestProducts_CategoriesOfTheHostLeaveTheirProducts: deleting the host's categories
// unlinks them from products, like deleting the library's (decisions §7).
func TestProducts_CategoriesOfTheHostLeaveTheirProducts(t *testing.T) {
	s := newBareShop(t, memory.New(), shopapi.Options{})
	err := s.API.Register(cabinet{&shoptest.Host{Name: "categories", Objects: map[string]any{"1": shopapi.Map{}, "2": shopapi.Map{}}}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Products, err = products.Register(t.Context(), s.API, s.Store, nil); err != nil {
		t.Fatal(err)
	}
	id := s.add(`{"product": "Mug", "category_ids": [1, 2]}`)
	s.Call(204, "DELETE", "/categories/1", "")
	s.wants(id, map[string]string{"category_ids": `[2]`, "main_category": `2`})
}
