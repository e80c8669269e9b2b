package categories_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// TestCategories_NothingChangedNothingReported: PUT of a GET response, or an update from
// Go to the same values, writes and reports nothing (decisions §5).
func TestCategories_NothingChangedNothingReported(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		top := s.add(`{"category": "Tableware"}`)
		id := s.add(fmt.Sprintf(`{"parent_id": %d, "company_id": 1, %s}`, top, everyField))
		s.addTo(id, "below")
		before, told := s.dump(), s.Events()

		sameJSON(t, s.put(200, id, s.Call(200, "GET", at(id), "")), fmt.Sprintf(`{"category_id": "%d"}`, id))
		updated, err := s.Categories.Update(t.Context(), id, func(c *categories.Category) error {
			c.UsergroupIDs, c.TreeOrder, c.ProductCount = " 1, 2", "z", 7
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before[1], updated); diff != "" {
			t.Errorf("Update returned (-stored +returned):\n%s", diff)
		}
		s.wantDump(before)
		if diff := cmp.Diff(told, s.Events()); diff != "" {
			t.Errorf("the observer was told of changes that are none:\n%s", diff)
		}
	})
}

// TestCategories_TextsHaveLimits: one byte more, or one character more of a name, is a
// 400 that names the field, over HTTP and from Go.
func TestCategories_TextsHaveLimits(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.add(`{"category": "Cups"}`)
		document := func(n int) string { return `"` + strings.Repeat("x", n-2) + `"` }
		text := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
		for _, c := range []struct {
			field string
			most  int
			value func(n int) string // JSON that takes n bytes in the store
		}{
			{"category", 255, func(n int) string { return `"` + strings.Repeat("ж", n) + `"` }},
			{"localization", 255, text}, {"default_view", 255, text},
			{"product_details_view", 255, text},
			{"usergroup_ids", 16 << 10, func(n int) string { return text(n)[:1] + strings.Repeat("1,", n/2-1) + fmt.Sprint(10+n%2*90) + `"` }},
			{"meta_keywords", 4 << 10, text}, {"meta_description", 4 << 10, text},
			{"page_title", 4 << 10, text}, {"age_warning_message", 4 << 10, text},
			{"description", 256 << 10, text},
			{"selected_views", 64 << 10, document},
		} {
			s.put(200, id, fmt.Sprintf(`{%q: %s}`, c.field, c.value(c.most)))
			s.Refuses("PUT", at(id), fmt.Sprintf(`{%q: %s}`, c.field, c.value(c.most+1)), c.field)
			s.Call(400, "POST", "/api/categories", fmt.Sprintf(`{"category": "C", %q: %s}`, c.field, c.value(c.most+1)))
		}
		_, err := s.Categories.Create(t.Context(), categories.Category{
			Summary: categories.Summary{Name: "C"}, MetaKeywords: strings.Repeat("x", 4<<10+1),
		})
		wantStatus(t, "Create with long keywords", err, 400)
	})
}

// TestCategories_LongNameStoredEarlierStays: a rule applies only to changed fields
// (decisions §5).
func TestCategories_LongNameStoredEarlierStays(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.add(`{"category": "Cups"}`)
		long := strings.Repeat("x", 1000)
		err := s.Store.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			schema := categories.Schemas()[0]
			row := make([]store.Value, len(schema.Columns))
			if err := tx.Get(schema.All(), id, row); err != nil {
				return err
			}
			row[schema.Index("category")] = store.String(long)
			row[schema.Index("status")] = store.String("X")
			return tx.Update(schema, row)
		})
		if err != nil {
			t.Fatal(err)
		}
		s.put(200, id, s.Call(200, "GET", at(id), ""))
		s.put(200, id, fmt.Sprintf(`{"category": %q, "position": 7}`, long))
		if got := s.Object(at(id)); got["category"] != long || got["position"] != "7" {
			t.Errorf("after the change: %.99v", got)
		}
		s.Refuses("PUT", at(id), fmt.Sprintf(`{"category": "%sx"}`, long), "category")
	})
}

// TestCategories_DefaultsArePosted: Create of Defaults gives the same as POST of a name,
// and a payload's position 0 is stored.
func TestCategories_DefaultsArePosted(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		posted, err := s.Categories.Get(t.Context(), s.add(`{"category": "C"}`))
		if err != nil {
			t.Fatal(err)
		}
		category := s.Categories.Defaults(t.Context())
		category.Name = "C"
		created, err := s.Categories.Create(t.Context(), category)
		if err != nil {
			t.Fatal(err)
		}
		posted.CategoryID, posted.IDPath, posted.Position, posted.TreeOrder = created.CategoryID, created.IDPath, 20, created.TreeOrder
		if diff := cmp.Diff(posted, created); diff != "" {
			t.Errorf("(-POST +Create):\n%s", diff)
		}
		s.Refuses("POST", "/api/categories", fmt.Sprintf(`{"category": "C", "position": %d}`, int64(categories.Last)), "position")
		s.Refuses("PUT", at(1), fmt.Sprintf(`{"position": "%d"}`, int64(categories.Last)), "position")
	})
}

// TestCategories_CreateAll creates all or none, also if one is the parent of another.
func TestCategories_CreateAll(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		named := func(name string, parent int64) categories.Category {
			return categories.Category{Summary: categories.Summary{Name: name, ParentID: parent}}
		}
		created, err := s.Categories.CreateAll(t.Context(), []categories.Category{named("a", 0), named("b", 1), named("c", 0)})
		if err != nil {
			t.Fatal(err)
		}
		s.wantDump(created)
		_, err = s.Categories.CreateAll(t.Context(), []categories.Category{named("d", 0), named("", 1)})
		wantStatus(t, "CreateAll", err, 400)
		s.wantDump(created)
		var names []string
		for c, err := range s.Categories.All(t.Context(), categories.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, c.Name)
		}
		if diff := cmp.Diff([]string{"a", "b", "c"}, names); diff != "" {
			t.Errorf("All (-want +got):\n%s", diff)
		}
	})
}

// TestCategories_Hooks run for each category that is saved or deleted, in the
// transaction, and may refuse.
func TestCategories_Hooks(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		var seen []string
		s.Categories.BeforeSave(func(_ context.Context, _ store.Tx, old, after *categories.Category) error {
			switch {
			case after.Name == "refused":
				return shopapi.Invalid("category", "is on the list of words that are refused")
			case old == nil:
				seen = append(seen, fmt.Sprintf("create %s at %d", after.Name, after.Position))
			default:
				seen = append(seen, "update "+old.Name+" to "+after.Name)
			}
			return nil
		})
		stays := errors.New("it stays")
		s.Categories.BeforeDelete(func(_ context.Context, _ store.Tx, old *categories.Category) error {
			if old.Name == "b2" {
				return stays
			}
			seen = append(seen, "delete "+old.Name)
			return nil
		})
		a, b := s.addTo(0, "a"), s.addTo(0, "b")
		s.addTo(a, "a1")
		s.addTo(b, "b1")
		s.Refuses("PUT", at(b), `{"category": "refused"}`, "category")
		s.put(200, 4, `{"category": "b2"}`)
		s.put(200, 4, `{"category": "b2"}`)
		s.Call(204, "DELETE", at(a), "")
		if err := s.Categories.Delete(t.Context(), b); !errors.Is(err, stays) {
			t.Errorf("Delete returned %v, want the hook's error", err)
		}
		want := []string{
			"create a at 10", "create b at 20", "create a1 at 10", "create b1 at 10", "update b1 to b2",
			"delete a", "delete a1", "delete b",
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("hooks (-want +got):\n%s", diff)
		}
		if got := s.List("/api/2.0/categories", "category"); got != "b b2" {
			t.Errorf("left are %s, want b b2", got)
		}
	})
}

// TestCategories_UnderAHostsEntity: a host defines which categories belong to its
// objects.
func TestCategories_UnderAHostsEntity(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		shelves := &shoptest.Host{Name: "shelves", Objects: map[string]any{"1": shopapi.Map{}, "2": shopapi.Map{}}}
		if err := s.API.Register(shelves); err != nil {
			t.Fatal(err)
		}
		err := s.Categories.Under(resource.Parent[categories.Category]{
			Entity: "shelves",
			Where:  func(w *resource.Where, above resource.ParentRef) { w.Text("localization", shopapi.FormatID(above.ID)) },
			Contains: func(_ context.Context, _ store.Tx, above resource.ParentRef, c *categories.Category) (bool, error) {
				return c.Localization == shopapi.FormatID(above.ID), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.add(`{"category": "red", "localization": "1"}`)
		s.add(`{"category": "blue", "localization": "2"}`)
		if got := s.List("/api/shelves/2/categories", "category"); got != "blue" {
			t.Errorf("shelf 2 has %q, want blue", got)
		}
		s.Call(404, "GET", "/api/shelves/1/categories/2", "")
		s.Call(200, "GET", "/api/shelves/2/categories/2", "")
		s.Call(404, "GET", "/api/shelves/9/categories", "")
	})
}
