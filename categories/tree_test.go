package categories_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/store"
)

// TestCategories_ListInTreeOrder: each category before its descendants, siblings by
// position, then id (decisions §7).
func TestCategories_ListInTreeOrder(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		b := s.add(`{"category": "b", "position": 100}`)
		a := s.add(`{"category": "a", "position": 9}`)
		for _, c := range []struct {
			name     string
			parent   int64
			position int64
		}{{"b2", b, 7}, {"b1", b, 0}, {"a1", a, 2147483647}, {"b3", b, 7}, {"b4", b, 70}, {"tie", 0, 9}, {"c", 0, 1000}} {
			s.add(fmt.Sprintf(`{"category": %q, "parent_id": %d, "position": %d}`, c.name, c.parent, c.position))
		}
		for query, want := range map[string]string{
			"": "a a1 tie b b1 b2 b3 b4 c", "?sort_order=desc": "c b4 b3 b2 b1 b tie a1 a",
			"?parent_id=1": "b1 b2 b3 b4", "?parent_id=1&sort_order=desc": "b4 b3 b2 b1",
			"?parent_id=0": "a tie b c", "?parent_id=0&sort_order=desc&items_per_page=3": "c b tie",
		} {
			if got := s.List("/api/2.0/categories"+query, "category"); got != want {
				t.Errorf("%s: order %s, want %s", query, got, want)
			}
		}
		s.wholeTree()
	})
}

// TestCategories_OrderOfLongIDs sorts ids of different lengths.
func TestCategories_OrderOfLongIDs(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		top := s.add(`{"category": "top"}`)
		want := []string{"1"}
		for i := 2; i <= 12; i++ {
			s.add(fmt.Sprintf(`{"category": "C", "parent_id": %d, "position": 5}`, top))
			want = append(want, strconv.Itoa(i))
		}
		if got := s.List("/api/2.0/categories", "category_id"); got != strings.Join(want, " ") {
			t.Errorf("ids %s", got)
		}
	})
}

// TestCategories_DefaultPositionIsLast, in steps of 10 (decisions §7).
func TestCategories_DefaultPositionIsLast(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		top := s.add(`{"category": "first"}`)
		for _, c := range []struct{ extra, position string }{
			{``, "10"}, {``, "20"}, {`, "position": 37`, "37"}, {``, "40"}, {`, "position": 0`, "0"}, {``, "50"},
			{`, "position": 2147483647`, "2147483647"}, {``, "2147483647"},
		} {
			id := s.add(fmt.Sprintf(`{"category": "C", "parent_id": %d%s}`, top, c.extra))
			if got := s.Object(at(id))["position"]; got != c.position {
				t.Errorf("the position after%s is %v, want %s", c.extra, got, c.position)
			}
		}
		s.wholeTree()
	})
}

// TestCategories_DefaultPositionIsTheCompanysOwn: siblings of other companies do not
// count for it (decisions §7).
func TestCategories_DefaultPositionIsTheCompanysOwn(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		for range 3 {
			s.add(`{"category": "common"}`)
		}
		two, three := s.as("vendor2@example.com"), s.as("vendor3@example.com")
		for _, c := range []struct {
			by             *shop
			body, position string
		}{
			{two, `{"category": "C"}`, "10"},
			{three, `{"category": "C", "position": 2147483647}`, "2147483647"},
			{two, `{"category": "C"}`, "20"},
			{three, `{"category": "C"}`, "2147483647"},
			{s, `{"category": "C"}`, "40"},
			{s, `{"category": "C", "company_id": 2}`, "30"},
			{s, `{"category": "C", "company_id": 4}`, "10"},
		} {
			if got := s.Object(at(c.by.add(c.body)))["position"]; got != c.position {
				t.Errorf("%s got the position %v for %s, want %s", c.by.Email, got, c.body, c.position)
			}
		}
		s.wholeTree()
	})
}

// TestCategories_MoveRewritesSubtree changes id_path of every descendant (decisions §7).
func TestCategories_MoveRewritesSubtree(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		a := s.addTo(0, "a")      // 1
		b := s.addTo(0, "b")      // 2
		a1 := s.addTo(a, "a1")    // 3
		a11 := s.addTo(a1, "a11") // 4
		s.addTo(a11, "a111")      // 5
		s.addTo(0, "c")           // 6
		for _, step := range []struct {
			id           int64
			change, want string
		}{
			{a1, `{"parent_id": 2}`, "1 2 2/3 2/3/4 2/3/4/5 6"},
			{a, `{"parent_id": "5"}`, "2 2/3 2/3/4 2/3/4/5 2/3/4/5/1 6"},
			{a11, `{"parent_id": 0, "position": 25}`, "2 2/3 4 4/5 4/5/1 6"},
			{b, `{"position": 99}`, "4 4/5 4/5/1 6 2 2/3"},
			{b, `{"parent_id": 4, "position": 1}`, "4 4/2 4/2/3 4/5 4/5/1 6"},
		} {
			s.put(200, step.id, step.change)
			if got := s.List("/api/2.0/categories", "id_path"); got != step.want {
				t.Errorf("after %d %s: %s, want %s", step.id, step.change, got, step.want)
			}
			s.wholeTree()
		}
	})
}

// TestCategories_ParentMustExist, and must not be the category itself or a descendant
// (decisions §7).
func TestCategories_ParentMustExist(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		top := s.addTo(0, "top")
		child := s.addTo(top, "child")
		grandchild := s.addTo(child, "grandchild")
		s.addTo(0, "other")
		for _, parent := range []int64{top, child, grandchild, 99, -1} {
			s.Refuses("PUT", at(top), fmt.Sprintf(`{"parent_id": %d, "category": "changed"}`, parent), "parent_id")
		}
		s.Refuses("POST", "/api/2.0/categories", `{"category": "C", "parent_id": 99}`, "parent_id")
		// The id of the next category is not a valid parent either.
		s.Refuses("POST", "/api/2.0/categories", `{"category": "C", "parent_id": 5}`, "parent_id")
	})
}

// TestCategories_DeleteRemovesSubtree, and the rows that refer to it in the same
// transaction (decisions §7).
func TestCategories_DeleteRemovesSubtree(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		var removed []int64
		var fail error
		s.API.BeforeDelete("categories", func(ctx context.Context, ids []int64) error {
			removed = slices.Clone(ids)
			return s.Store.Update(ctx, func(_ context.Context, tx store.Tx) error {
				for _, id := range ids { // they still exist
					if err := categories.AddProducts(tx, id, 1); err != nil {
						return err
					}
				}
				return nil
			})
		})
		s.API.BeforeDelete("categories", func(context.Context, []int64) error { return fail })
		a := s.addTo(0, "a")
		a1 := s.addTo(a, "a1")
		for range 9 { // so that some ids are prefixes of others
			s.addTo(0, "C")
		}
		s.put(200, 10, `{"parent_id": 1}`)
		a11 := s.addTo(a1, "a11")

		before := s.dump()
		fail = errors.New("products are in the way")
		s.Call(500, "DELETE", at(a), "")
		fail = shopapi.Errorf(400, "Products are in the way.")
		s.Refuses("DELETE", at(a), "")
		s.wantDump(before)

		fail = nil
		if body := s.Call(204, "DELETE", at(a), ""); body != "" {
			t.Errorf("a 204 with the body %q", body)
		}
		slices.Sort(removed)
		if diff := cmp.Diff([]int64{a, a1, 10, a11}, removed); diff != "" {
			t.Errorf("the hook was told of (-want +got):\n%s", diff)
		}
		if got, want := s.List("/api/2.0/categories", "id_path"), "3 4 5 6 7 8 9 11"; got != want {
			t.Errorf("left are %s, want %s", got, want)
		}
		for _, id := range removed {
			s.Call(404, "GET", at(id), "")
		}
		s.Call(404, "DELETE", at(a), "")
		s.wholeTree()
	})
}

// TestCategories_DepthIsBounded: 250 levels are served, moved at once and removed
// at once; one more is refused.
func TestCategories_DepthIsBounded(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		chain := func(top int64, levels int) (ids []int64) {
			for range levels {
				created, err := s.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "C", ParentID: top}})
				if err != nil {
					t.Fatal(err)
				}
				top = created.CategoryID
				ids = append(ids, top)
			}
			return ids
		}
		deep := chain(0, 250)
		path := s.Object(at(deep[249]))["id_path"].(string)
		if strings.Count(path, "/") != 249 || !strings.HasSuffix(path, fmt.Sprint("/", deep[249])) {
			t.Errorf("the path of the deepest is %s", path)
		}
		s.Refuses("POST", "/api/2.0/categories", fmt.Sprintf(`{"category": "C", "parent_id": %d}`, deep[249]), "parent_id")

		moved := chain(0, 200)
		s.Refuses("PUT", at(moved[0]), fmt.Sprintf(`{"parent_id": %d}`, deep[50]), "parent_id")
		s.put(200, moved[0], fmt.Sprintf(`{"parent_id": %d}`, deep[49]))
		if path := s.Object(at(moved[199]))["id_path"].(string); strings.Count(path, "/") != 249 {
			t.Errorf("the path after the move is %s", path)
		}
		s.wholeTree()
		s.Call(204, "DELETE", at(deep[0]), "")
		sameJSON(t, s.Call(200, "GET", "/api/2.0/categories", ""), `[]`)
	})
}

// TestCategories_SamePutFromManyClients makes one change; the other requests change
// nothing.
func TestCategories_SamePutFromManyClients(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		a := s.addTo(0, "a")
		b := s.addTo(0, "b")
		s.addTo(b, "b1")
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if w := s.Send("PUT", at(b), fmt.Sprintf(`{"parent_id": %d, "category": "moved"}`, a)); w.Status != http.StatusOK {
					t.Errorf("status %d: %s", w.Status, w.Body)
				}
			})
		}
		wg.Wait()
		if got, want := s.List("/api/2.0/categories", "id_path"), "1 1/2 1/2/3"; got != want {
			t.Errorf("paths %s, want %s", got, want)
		}
		if n := len(s.Events()); n != 4 {
			t.Errorf("the observer was told of %d changes, want 4", n)
		}
	})
}

// TestCategories_ConflictingMovesMakeNoCycle moves a under b and b under a at
// once: one of the two is refused.
func TestCategories_ConflictingMovesMakeNoCycle(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		a, b := s.addTo(0, "a"), s.addTo(0, "b")
		s.addTo(a, "a1")
		s.addTo(b, "b1")
		for range 20 {
			s.put(200, a, `{"parent_id": 0}`)
			s.put(200, b, `{"parent_id": 0}`)
			var codes [2]int
			var wg sync.WaitGroup
			for i, pair := range [2][2]int64{{a, b}, {b, a}} {
				wg.Go(func() { codes[i] = s.Send("PUT", at(pair[0]), fmt.Sprintf(`{"parent_id": %d}`, pair[1])).Status })
			}
			wg.Wait()
			if codes != [2]int{200, 400} && codes != [2]int{400, 200} {
				t.Fatalf("the moves were answered %v, want one 200 and one 400", codes)
			}
			s.wholeTree()
		}
	})
}
