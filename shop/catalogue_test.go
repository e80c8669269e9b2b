package shop_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// Combinations, stock and groups of variations stay consistent under random changes from
// 16 goroutines (§17, §22). SHOPAPI_CATALOGUE_CHANGES sets the number of changes for
// each store.
func TestCatalogue_RandomChangesStayConsistent(t *testing.T) {
	t.Parallel()
	changes := 480
	if text := os.Getenv("SHOPAPI_CATALOGUE_CHANGES"); text != "" {
		var err error
		if changes, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	for name, open := range map[string]func(t *testing.T) store.Store{
		"memory":   func(*testing.T) store.Store { return memory.New() },
		"sqlite":   func(t *testing.T) store.Store { return shoptest.SQLite(t) },
		"postgres": openPostgres,
	} {
		t.Run(name, func(t *testing.T) {
			st := open(t)
			t.Cleanup(func() { st.Close() })
			c := newCatalogue(t, st)
			const rounds, goroutines = 3, 16
			for round := range rounds {
				var all sync.WaitGroup
				for g := range goroutines {
					all.Go(func() {
						random := rand.New(rand.NewPCG(uint64(round), uint64(g)))
						for range changes / rounds / goroutines {
							c.change(random)
						}
					})
				}
				all.Wait()
				c.check()
			}
			made := 0
			for _, n := range c.done {
				made += n
			}
			if made < changes/5 || c.done["group"] == 0 || c.done["generate"] == 0 || c.done["combination"] == 0 {
				t.Errorf("of %d changes there were made: %v", changes, c.done)
			}
		})
	}
}

// A catalogue is a shop with the features 1 Glaze (variants 1 to 4, variations of one
// product) and 2 Size (5 and 6, products of their own), mugs with each pair of them, and
// two bowls with two options of three variants each.
type catalogue struct {
	*apitest.Shop
	mugs, bowls []int

	mu   sync.Mutex
	done map[string]int // changes that succeeded, by kind
}

func newCatalogue(t *testing.T, st store.Store) *catalogue {
	t.Helper()
	c := &catalogue{Shop: apitest.NewWithStore(t, st, nil), done: map[string]int{}}
	c.Post("/api/2.0/categories", `{"category": "Cups"}`)
	c.Post("/api/2.0/features", `{"description": "Glaze", "feature_type": "S", "purpose": "group_variation_catalog_item",
		"variants": [{"variant": "Matt"}, {"variant": "Gloss"}, {"variant": "Ash"}, {"variant": "Salt"}]}`)
	c.Post("/api/2.0/features", `{"description": "Size", "feature_type": "S", "purpose": "group_catalog_item",
		"variants": [{"variant": "Small"}, {"variant": "Large"}]}`)
	for n := range 10 {
		body := fmt.Sprintf(`{"product": "Mug %d", "category_ids": [1], "product_features": {"1": %d, "2": %d}}`, n, n%4+1, n/4%2+5)
		if n >= 8 {
			body = fmt.Sprintf(`{"product": "Bowl %d", "category_ids": [1], "tracking": "O"}`, n)
			c.bowls = append(c.bowls, n+1)
		} else {
			c.mugs = append(c.mugs, n+1)
		}
		c.Post("/api/2.0/products", body)
	}
	for _, bowl := range c.bowls {
		for _, name := range []string{"Colour", "Rim"} {
			answer := c.Post("/api/2.0/options", fmt.Sprintf(`{"product_id": %d, "option_name": %q, "option_type": "S",
				"variants": [{"variant_name": "a"}, {"variant_name": "b"}, {"variant_name": "c"}]}`, bowl, name))
			if answer.Status != http.StatusCreated {
				t.Fatalf("an option is answered %d %s", answer.Status, answer.Body)
			}
		}
	}
	return c
}

// kinds returns the names of the changes, sorted.
func (c *catalogue) kinds() []string { return slices.Sorted(maps.Keys(changesOf)) }

// changesOf are the kinds of changes: each returns method, address and body of a
// request.
var changesOf = map[string]func(c *catalogue, r *rand.Rand) (method, address, body string){
	"values": func(c *catalogue, r *rand.Rand) (string, string, string) {
		return "PUT", fmt.Sprintf("products/%d", c.mug(r)), fmt.Sprintf(`{"product_features": {"1": %d, "2": %d}}`, 1+r.IntN(4), 5+r.IntN(2))
	},
	"group": func(c *catalogue, r *rand.Rand) (string, string, string) {
		return "POST", "product_variations_groups", fmt.Sprintf(`{"product_ids": [%d, %d]}`, c.mug(r), c.mug(r))
	},
	"join": func(c *catalogue, r *rand.Rand) (string, string, string) {
		return "PUT", fmt.Sprintf("product_variations/%d", c.mug(r)), `{"variation_group_id": ` + c.group(r) + `}`
	},
	"detach": func(c *catalogue, r *rand.Rand) (string, string, string) {
		return "POST", fmt.Sprintf("product_variations/%d/detach_product_variation", c.mug(r)), "{}"
	},
	"parent": func(c *catalogue, r *rand.Rand) (string, string, string) {
		return "POST", fmt.Sprintf("product_variations/%d/set_default_product_variation", c.mug(r)), "{}"
	},
	"generate": func(c *catalogue, r *rand.Rand) (string, string, string) {
		return "POST", fmt.Sprintf("product_variations/%d/generate_product_variations", c.mug(r)),
			fmt.Sprintf(`{"combinations": [{"1": %d, "2": %d}]}`, 1+r.IntN(4), 5+r.IntN(2))
	},
	"remove": func(c *catalogue, r *rand.Rand) (string, string, string) {
		return "DELETE", fmt.Sprintf("products/%d", 11+r.IntN(10)), "" // variations, created by generate
	},
	"combination": func(c *catalogue, r *rand.Rand) (string, string, string) {
		bowl := r.IntN(2)
		option := 2*bowl + 1
		variant := func(option int) int { return 3*(option-1) + 1 + r.IntN(4) } // the fourth belongs to another option
		return "POST", "combinations", fmt.Sprintf(`{"product_id": %d, "combination": {"%d": %d, "%d": %d}, "amount": %d}`,
			c.bowls[bowl], option, variant(option), option+1, variant(option+1), r.IntN(20))
	},
	"amount": func(c *catalogue, r *rand.Rand) (string, string, string) {
		return "PUT", "combinations/" + c.combination(r), fmt.Sprintf(`{"amount": %d}`, r.IntN(20))
	},
	"uncombine": func(c *catalogue, r *rand.Rand) (string, string, string) {
		return "DELETE", "combinations/" + c.combination(r), ""
	},
	"tracking": func(c *catalogue, r *rand.Rand) (string, string, string) {
		return "PUT", fmt.Sprintf("products/%d", c.bowls[r.IntN(2)]), fmt.Sprintf(`{"tracking": %q, "amount": %d}`, []string{"O", "O", "B"}[r.IntN(3)], r.IntN(9))
	},
	"variants": func(c *catalogue, r *rand.Rand) (string, string, string) {
		option := 1 + r.IntN(4)
		first := 3*(option-1) + 1
		return "PUT", fmt.Sprintf("options/%d", option), fmt.Sprintf(`{"variants": [{"variant_id": %d}, {"variant_id": %d}, {"variant_name": "new"}]}`, first, first+1)
	},
}

func (c *catalogue) mug(r *rand.Rand) int { return c.mugs[r.IntN(len(c.mugs))] }

// combination returns the hash of a bowl's combination, 1 if it has none.
func (c *catalogue) combination(r *rand.Rand) string {
	var list []struct {
		Hash string `json:"combination_hash"`
	}
	answer := c.Get(fmt.Sprintf("/api/2.0/combinations?product_id=%d", c.bowls[r.IntN(2)]))
	if answer.Status == http.StatusServiceUnavailable { // the processors are busy
		return "1"
	}
	answer.Decode(&list)
	if len(list) == 0 {
		return "1"
	}
	return list[r.IntN(len(list))].Hash
}

// group returns the id of a group, 0 for none.
func (c *catalogue) group(r *rand.Rand) string {
	var list struct{ Groups []struct{ ID int } }
	answer := c.Get("/api/2.0/product_variations_groups")
	if answer.Status == http.StatusServiceUnavailable {
		return "0"
	}
	answer.Decode(&list)
	if len(list.Groups) == 0 {
		return "0"
	}
	return strconv.Itoa(list.Groups[r.IntN(len(list.Groups))].ID)
}

// change makes one random change, which may be refused, but must not fail.
func (c *catalogue) change(r *rand.Rand) {
	kinds := c.kinds()
	kind := kinds[r.IntN(len(kinds))]
	method, address, body := changesOf[kind](c, r)
	answer := c.Do(method, "/api/2.0/"+address, "application/json", body)
	switch answer.Status {
	case http.StatusOK, http.StatusCreated, http.StatusNoContent:
		c.mu.Lock()
		c.done[kind]++
		c.mu.Unlock()
	case http.StatusBadRequest, http.StatusNotFound, http.StatusServiceUnavailable:
	default:
		c.T.Errorf("%s %s %s is answered %d %s", method, address, body, answer.Status, answer.Body)
	}
}

// check compares the responses of the entities with each other.
func (c *catalogue) check() {
	c.T.Helper()
	groups := c.groups()
	for p, err := range c.Shop.Products.All(c.T.Context(), products.Filter{}) {
		if err != nil {
			c.T.Fatal(err)
		}
		id := int(p.ProductID)
		wantParent, grouped := groups[id]
		wantKind := products.Simple
		if wantParent != 0 {
			wantKind = products.Variation
		}
		if int(p.ParentProductID) != wantParent || p.Type != wantKind {
			c.T.Errorf("product %d is a %s of %d, but its group (%v) says of %d", id, p.Type, p.ParentProductID, grouped, wantParent)
		}
		delete(groups, id)
	}
	for _, id := range c.bowls {
		bowl, err := c.Shop.Products.Get(c.T.Context(), int64(id))
		if err != nil {
			c.T.Fatal(err)
		}
		if sum, combined := c.stock(id); bowl.Tracking == "O" && int(bowl.Amount) != sum {
			c.T.Errorf("product %d has %d in stock, its %d combinations have %d", id, bowl.Amount, combined, sum)
		}
	}
	if len(groups) > 0 {
		c.T.Errorf("in groups are products that there are not: %v", groups)
	}
}

// A variationGroup is an item of the list product_variations_groups.
type variationGroup struct {
	ID       int
	Products []struct {
		ID     int `json:"product_id"`
		Parent int `json:"parent_product_id"`
		Values []struct {
			Feature int `json:"feature_id"`
			Variant int `json:"variant_id,string"`
		} `json:"feature_values"`
	}
}

// everyGroup returns the groups of all pages of the list.
func (c *catalogue) everyGroup() (all []variationGroup) {
	c.T.Helper()
	for page := 1; ; page++ {
		var list struct{ Groups []variationGroup }
		c.Get(fmt.Sprintf("/api/2.0/product_variations_groups?items_per_page=100&page=%d", page)).Decode(&list)
		if len(list.Groups) == 0 {
			return all
		}
		all = append(all, list.Groups...)
	}
}

// groups returns the parent of each product in a group, 0 for a parent.
func (c *catalogue) groups() map[int]int {
	c.T.Helper()
	parents := map[int]int{}
	for _, g := range c.everyGroup() {
		if len(g.Products) < 2 {
			c.T.Errorf("the group %d has %d products", g.ID, len(g.Products))
		}
		seen, sizes, parentOf := map[string]int{}, map[int]int{}, map[int]int{}
		for _, p := range g.Products {
			values := fmt.Sprint(p.Values)
			if other, twice := seen[values]; twice || len(p.Values) != 2 {
				c.T.Errorf("in the group %d, the products %d and %d have the values %s", g.ID, p.ID, other, values)
			}
			if _, twice := parents[p.ID]; twice {
				c.T.Errorf("the product %d is in two groups", p.ID)
			}
			seen[values], parents[p.ID] = p.ID, p.Parent
			for _, v := range p.Values {
				if v.Feature == 2 {
					sizes[p.ID] = v.Variant
				}
			}
			if p.Parent == 0 {
				if other := parentOf[sizes[p.ID]]; other != 0 {
					c.T.Errorf("in the group %d, the products %d and %d are parents of one size", g.ID, p.ID, other)
				}
				parentOf[sizes[p.ID]] = p.ID
			}
		}
		for _, p := range g.Products {
			if p.Parent != 0 && parentOf[sizes[p.ID]] != p.Parent {
				c.T.Errorf("in the group %d, the product %d has the parent %d, which is none of its size", g.ID, p.ID, p.Parent)
			}
		}
	}
	return parents
}

// stock returns the sum of the stocks of a product's combinations and their number, and
// checks that each names a variant of each option.
func (c *catalogue) stock(product int) (sum, n int) {
	c.T.Helper()
	var options map[string]struct {
		Variants map[string]any
	}
	c.Get(fmt.Sprintf("/api/2.0/options?product_id=%d", product)).Decode(&options)
	var list []struct {
		Hash        string `json:"combination_hash"`
		Amount      int    `json:"amount,string"`
		Combination map[string]string
	}
	c.Get(fmt.Sprintf("/api/2.0/combinations?product_id=%d&items_per_page=1000&page=1", product)).Decode(&list)
	seen := map[string]bool{}
	for _, combination := range list {
		sum += combination.Amount
		text := fmt.Sprint(combination.Combination)
		fits := len(combination.Combination) == len(options) && !seen[text]
		for option, variant := range combination.Combination {
			_, known := options[option].Variants[variant]
			fits = fits && known
		}
		if seen[text] = true; !fits {
			c.T.Errorf("product %d has the combination %s %s, once or more, and the options %v", product, combination.Hash, text, options)
		}
	}
	return sum, len(list)
}
