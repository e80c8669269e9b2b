package products_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/products"
)

// A model is the links of a shop as plainly as they can be kept.
type model struct {
	parents  map[int64]int64 // of categories
	products map[int64]*linked
}

type linked struct {
	IDs  []int64
	Main int64
}

// removeCategory removes a category and its subtree from the model.
func (m *model) removeCategory(id int64) {
	for child, parent := range m.parents {
		if parent == id {
			m.removeCategory(child)
		}
	}
	delete(m.parents, id)
	for _, p := range m.products {
		p.IDs = slices.DeleteFunc(p.IDs, func(other int64) bool { return other == id })
		if p.Main == id {
			p.Main = 0
		}
	}
}

// settle gives products that lost their main category the next one.
func (m *model) settle() {
	for _, p := range m.products {
		if p.Main == 0 && len(p.IDs) > 0 {
			p.Main = p.IDs[0]
		}
	}
}

// TestProducts_RandomOperationsKeepLinksAndCounts runs the same random creates, changes
// and removals of products and categories over the wire and on a model. After each step
// the links equal the model's, and product_count equals their number (decisions §7).
func TestProducts_RandomOperationsKeepLinksAndCounts(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		random := rand.New(rand.NewPCG(3, 5))
		m := &model{parents: map[int64]int64{}, products: map[int64]*linked{}}
		for range 400 {
			step(s, random, m)
			m.settle()
			wantModel(s, m)
			if t.Failed() {
				return
			}
		}
	})
}

// step carries out one random operation, which the shop may refuse: then it must
// have changed nothing.
func step(s *shop, random *rand.Rand, m *model) {
	pick := func(ids []int64) int64 {
		if len(ids) == 0 || random.IntN(12) == 0 {
			return int64(random.IntN(60)) // most likely none that exists
		}
		return ids[random.IntN(len(ids))]
	}
	cats, goods := slices.Sorted(maps.Keys(m.parents)), slices.Sorted(maps.Keys(m.products))
	switch n := random.IntN(20); {
	case n < 3:
		parent := pick(cats)
		id, ok := created(s, "/categories", fmt.Sprintf(`{"category": "c", "parent_id": %d}`, parent))
		if ok {
			m.parents[id] = parent
		}
	case n < 4:
		id := pick(cats)
		if s.Send("DELETE", fmt.Sprintf("/categories/%d", id), "").Status == 204 {
			m.removeCategory(id)
		}
	case n < 10:
		links, body := randomLinks(random, pick, cats)
		if id, ok := created(s, "/products", `{"product": "p"`+body+`}`); ok {
			m.products[id] = links
		}
	case n < 15:
		links, body := randomLinks(random, pick, cats)
		if id := pick(goods); s.Send("PUT", at(id), `{"price": 1`+body+`}`).Status == 200 && body != "" {
			m.products[id] = links
		}
	case n < 18:
		id, main := pick(goods), pick(cats)
		if s.Send("PUT", at(id), fmt.Sprintf(`{"main_category": %d}`, main)).Status == 200 && main != 0 {
			m.products[id].Main = main
		} else if p := m.products[id]; p != nil && main == 0 {
			p.Main = 0
		}
	default:
		id := pick(goods)
		if s.Send("DELETE", at(id), "").Status == 204 {
			delete(m.products, id)
		}
	}
}

// randomLinks makes up the categories of a product, as the model keeps them and as
// further members of a body.
func randomLinks(random *rand.Rand, pick func([]int64) int64, cats []int64) (*linked, string) {
	links := &linked{}
	var texts []string
	for range random.IntN(4) {
		id := pick(cats)
		texts = append(texts, fmt.Sprint(id))
		if !slices.Contains(links.IDs, id) {
			links.IDs = append(links.IDs, id)
		}
	}
	if len(texts) == 0 {
		return links, ""
	}
	body := fmt.Sprintf(`, "category_ids": %q`, strings.Join(texts, ","))
	if random.IntN(2) == 0 {
		links.Main = links.IDs[random.IntN(len(links.IDs))]
		body += fmt.Sprintf(`, "main_category": %d`, links.Main)
	}
	return links, body
}

// created sends a POST and returns the id of the new object, if there is one.
func created(s *shop, path, body string) (id int64, ok bool) {
	w := s.Send("POST", path, body)
	if w.Status != 201 {
		if w.Status != 400 {
			s.Fatalf("POST %s %s: status %d", path, body, w.Status)
		}
		return 0, false
	}
	var reply struct {
		Category int64 `json:"category_id,string"`
		Product  int64 `json:"product_id,string"`
	}
	decode(s, w.Body, &reply)
	return reply.Category + reply.Product, true
}

func wantModel(s *shop, m *model) {
	s.Helper()
	ctx := context.Background()
	list, _, err := s.Products.Find(ctx, products.Filter{})
	if err != nil {
		s.Fatal(err)
	}
	got, recount := map[int64]*linked{}, map[int64]int64{}
	for _, p := range list {
		got[p.ProductID] = &linked{IDs: p.CategoryIDs, Main: p.MainCategory}
		for _, id := range p.CategoryIDs {
			recount[id]++
		}
		if len(p.CategoryIDs) > 0 != slices.Contains(p.CategoryIDs, p.MainCategory) {
			s.Errorf("product %d has the main category %d of %v", p.ProductID, p.MainCategory, p.CategoryIDs)
		}
	}
	for _, p := range m.products {
		if p.IDs == nil {
			p.IDs = []int64{}
		}
	}
	if diff := cmp.Diff(m.products, got); diff != "" {
		s.Errorf("links (-model +shop):\n%s", diff)
	}
	tree, _, err := s.Categories.Find(ctx, categories.Filter{})
	if err != nil {
		s.Fatal(err)
	}
	for _, c := range tree {
		if c.ProductCount != recount[c.CategoryID] {
			s.Errorf("category %d counts %d products, and has %d", c.CategoryID, c.ProductCount, recount[c.CategoryID])
		}
		delete(recount, c.CategoryID)
	}
	if len(recount) > 0 {
		s.Errorf("there are links to categories that are gone: %v", recount)
	}
}

// Clients that change products and categories at once never see a count that is
// wrong, and leave none behind.
func TestProducts_ConcurrentChangesKeepCounts(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		t.Run("clients", func(t *testing.T) {
			for client := range 4 {
				t.Run(fmt.Sprint(client), func(t *testing.T) {
					t.Parallel()
					c := s.in(t)
					for n := range 15 {
						id := c.add(`{"product": "p", "category_ids": [1, %d]}`, n%2+2)
						c.put(200, id, `{"category_ids": [%d, 1], "amount": %d}`, (n+client)%2+2, n)
						if n%3 == 0 {
							c.Call(204, "DELETE", at(id), "")
						}
					}
				})
			}
		})
		recount := map[string]int64{"a": 0, "b": 0, "c": 0}
		for _, p := range s.dump().Products {
			for _, id := range p.CategoryIDs {
				recount[string(rune('a'+id-1))]++
			}
		}
		if diff := cmp.Diff(recount, s.counts()); diff != "" || recount["a"] != 40 {
			t.Errorf("product_count (-recount +kept):\n%s", diff)
		}
	})
}
