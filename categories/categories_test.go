package categories_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// TestCategories_CreateReturnsStoredObject, including the fields that no request sets.
func TestCategories_CreateReturnsStoredObject(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		created, err := s.Categories.Create(t.Context(), categories.Category{
			Summary:      categories.Summary{CategoryID: 50, IDPath: "1/50", Name: "Cups", ProductCount: 9},
			UsergroupIDs: "2,3",
			MainPair:     images.Pair{Icon: images.Image{Path: "a.png"}},
			TreeOrder:    "z",
		})
		if err != nil {
			t.Fatal(err)
		}
		if created.CategoryID != 1 || created.IDPath != "1" || created.ProductCount != 0 || created.Timestamp != shoptest.Now {
			t.Errorf("created %+v", created)
		}
		s.wantDump([]categories.Category{created})
	})
}

// TestCategories_UpdateProtectsFields that no request sets, whatever the callback
// does.
func TestCategories_UpdateProtectsFields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		a := s.addTo(0, "a")
		a1 := s.addTo(a, "a1")
		s.addTo(a1, "a11")
		before := s.dump()
		scribble := func(c *categories.Category) {
			c.CategoryID, c.IDPath, c.TreeOrder, c.ProductCount, c.CompanyID = 77, "7/77", "zzz", 9, 7
		}
		if _, err := s.Categories.Update(t.Context(), a1, func(c *categories.Category) error {
			scribble(c)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		s.wantDump(before)
		if _, err := s.Categories.Update(t.Context(), a1, func(c *categories.Category) error {
			scribble(c)
			c.ParentID = 0
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		s.wholeTree()
		if got, want := s.List("/api/categories", "id_path"), "1 2 2/3"; got != want {
			t.Errorf("paths %s, want %s", got, want)
		}
	})
}

// TestCategories_GoErrors are the same errors that clients get.
func TestCategories_GoErrors(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.addTo(0, "a")
		before := s.dump()
		mine := errors.New("changed my mind")
		if _, err := s.Categories.Update(t.Context(), id, func(c *categories.Category) error { c.Name = "b"; return mine }); !errors.Is(err, mine) {
			t.Errorf("Update returned %v, want the callback's error", err)
		}
		for what, change := range map[string]func(*categories.Category){
			"no name":           func(c *categories.Category) { c.Name = "" },
			"bad status":        func(c *categories.Category) { c.Status = "X" },
			"bad user groups":   func(c *categories.Category) { c.UsergroupIDs = "a" },
			"bad JSON":          func(c *categories.Category) { c.SelectedViews = shopapi.JSON("{") },
			"bad image":         func(c *categories.Category) { c.MainPair.Icon.Path = "file:///a.png" },
			"more bad JSON":     func(c *categories.Category) { c.SelectedViews = shopapi.JSON("a:1:{}") },
			"itself as parent":  func(c *categories.Category) { c.ParentID = id },
			"negative position": func(c *categories.Category) { c.Position = -1 },
		} {
			_, err := s.Categories.Update(t.Context(), id, func(c *categories.Category) error { change(c); return nil })
			wantStatus(t, what, err, 400)
		}
		_, err := s.Categories.Create(t.Context(), categories.Category{})
		wantStatus(t, "Create without a name", err, 400)
		_, err = s.Categories.Get(t.Context(), 99)
		wantStatus(t, "Get", err, 404)
		wantStatus(t, "Delete", s.Categories.Delete(t.Context(), 99), 404)
		s.wantDump(before)
	})
}

// TestCategories_JoinTransaction: calls inside a transaction of the same store commit or
// roll back with it, events included.
func TestCategories_JoinTransaction(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.addTo(0, "a")
		before, told := s.dump(), s.Events()
		failed := errors.New("failed")
		err := s.Store.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
			created, err := s.Categories.Create(ctx, categories.Category{Summary: categories.Summary{Name: "b", ParentID: 1}})
			if err != nil {
				return err
			}
			if object, err := s.API.Lookup(ctx, "categories", shopapi.FormatID(created.CategoryID)); err != nil {
				t.Errorf("Lookup in the transaction: %v, %v", object, err)
			}
			if err := s.Categories.Delete(ctx, 1); err != nil {
				return err
			}
			return failed
		})
		if !errors.Is(err, failed) {
			t.Errorf("error %v", err)
		}
		s.wantDump(before)
		if diff := cmp.Diff(told, s.Events()); diff != "" {
			t.Errorf("events of what was rolled back:\n%s", diff)
		}
	})
}

// TestCategories_ProductCount is changed by the package that links products, and
// returned by GET.
func TestCategories_ProductCount(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.addTo(0, "a")
		add := func(id, number int64) error {
			return s.Store.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				return categories.AddProducts(tx, id, number)
			})
		}
		for _, number := range []int64{3, -1} {
			if err := add(id, number); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.Object(at(id))["product_count"]; got != "2" {
			t.Errorf("product_count %v, want 2", got)
		}
		if err := add(99, 1); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("counting in an unknown category: %v", err)
		}
	})
}

// TestCategories_RegisteredOnce: a second registration is refused.
func TestCategories_RegisteredOnce(t *testing.T) {
	s := suite.Open(t, memory.New(), shopapi.Options{})
	if tree, err := categories.Register(t.Context(), s.API, s.Store); err == nil || tree != nil {
		t.Errorf("the second Register returned %v, %v", tree, err)
	}
}
