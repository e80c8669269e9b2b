package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// whole is a consistent shop with two nested categories, a product and a post of one
// worker.
func whole() ([]category, []product, []post) {
	return []category{
			{ID: 1, IDPath: "1", Name: "fault-00-1 v2", Position: 2, Status: "A", ProductCount: 1},
			{ID: 2, ParentID: 1, IDPath: "1/2", Name: "fault-00-2 v1", Position: 1, Status: "D", ProductCount: 1},
			{ID: 3, IDPath: "3", Name: "Of nobody", Position: 9},
		}, []product{{ID: 1, Name: "fault-00-3 v4", Code: "4", Price: "4.00", Amount: 4, CategoryIDs: []int64{2, 1}, MainCategory: 2}},
		[]post{{ID: 1, ThreadID: "7", Name: "1", Message: "fault-00-4 v1", Rating: "2", Status: "D"}}
}

func expected() model {
	return model{
		{categories, 1}: {name: "fault-00-1", version: 2}, {categories, 2}: {name: "fault-00-2", version: 1, parent: 1},
		{products, 1}: {name: "fault-00-3", version: 4, in: []int64{1, 2}}, {discussions, 1}: {name: "fault-00-4", version: 1},
	}
}

// TestCheck_Finds each kind of damage that a kill could do.
func TestCheck_Finds(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(tree *[]category, catalogue *[]product, posts *[]post)
		want string // part of the only finding; "" for none
	}{
		"nothing":       {func(*[]category, *[]product, *[]post) {}, ""},
		"lost":          {func(_ *[]category, _ *[]product, posts *[]post) { *posts = nil }, "lost: discussions/1"},
		"older":         {func(_ *[]category, _ *[]product, p *[]post) { (*p)[0] = post{1, "7", "0", "fault-00-4 v0", "1", "A"} }, "another state: discussions/1"},
		"twin":          {func(_ *[]category, _ *[]product, p *[]post) { *p = append(*p, (*p)[0]); (*p)[1].ID = 2 }, "too many: discussions/2"},
		"half":          {func(_ *[]category, p *[]product, _ *[]post) { (*p)[0].Price = "3.00" }, "half written: products/1"},
		"product_count": {func(tree *[]category, _ *[]product, _ *[]post) { (*tree)[1].ProductCount = 2 }, "product_count of 2"},
		"path":          {func(tree *[]category, _ *[]product, _ *[]post) { (*tree)[1].IDPath = "2" }, "category 2 below 1 has the path 2"},
		"main category": {func(_ *[]category, p *[]product, _ *[]post) { (*p)[0].MainCategory = 3 }, "main category 3"},
		"two threads": {func(_ *[]category, _ *[]product, p *[]post) {
			*p = append(*p, post{ID: 2, ThreadID: "8", Message: "x"})
		}, "2 threads"},
		"link to a lost one": {func(_ *[]category, p *[]product, _ *[]post) {
			*p = append(*p, product{CategoryIDs: []int64{9}, MainCategory: 9})
		}, "category 9, which is not there"},
		"moved":                  {func(tree *[]category, _ *[]product, _ *[]post) { (*tree)[1].ParentID, (*tree)[1].IDPath = 0, "2" }, "another state: categories/2"},
		"counter is no worker's": {func(tree *[]category, _ *[]product, _ *[]post) { (*tree)[2].Name = counterName }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree, catalogue, posts := whole()
			c.harm(&tree, &catalogue, &posts)
			s := &snapshot{models: map[string]model{}, stock: map[int64]int{}}
			s.addTree(tree)
			s.addProducts(catalogue, tree)
			s.addPosts(posts)
			found := append(s.broken, expected().differences(s.models["fault-00"])...)
			if c.want == "" && len(found) > 0 || c.want != "" && (len(found) != 1 || !strings.Contains(found[0], c.want)) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}

// TestOutcome: a write without a response was either carried out or not; anything else
// is found.
func TestOutcome(t *testing.T) {
	create := func() *operation {
		return &operation{status: http.StatusCreated, key: key{entity: categories}, name: "fault-00-9",
			apply: func(m model, id int64) { m[key{categories, id}] = state{name: "fault-00-9"} }}
	}
	remove := &operation{status: http.StatusNoContent, key: key{categories, 1}, apply: func(m model, _ int64) { m.remove(key{categories, 1}) }}
	with := func(ids ...int64) model {
		m := expected()
		for _, id := range ids {
			m[key{categories, id}] = state{name: "fault-00-9"}
		}
		return m
	}
	for name, c := range map[string]struct {
		o          *operation
		shop       model
		carriedOut bool
		found      bool
	}{
		"not created":  {create(), with(), false, false},
		"created":      {create(), with(9), true, false},
		"twins":        {create(), with(9, 10), true, true},
		"not removed":  {remove, with(), false, false},
		"removed":      {remove, model{{products, 1}: {name: "fault-00-3", version: 4}, {discussions, 1}: {name: "fault-00-4", version: 1}}, true, false},
		"half removed": {remove, model{{products, 1}: {name: "fault-00-3", version: 4, in: []int64{2}}, {discussions, 1}: {name: "fault-00-4", version: 1}}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := &worker{model: expected()}
			carriedOut, problems := w.outcome(c.o, c.shop)
			if carriedOut != c.carriedOut || len(problems) > 0 != c.found {
				t.Errorf("carried out %v, found %q", carriedOut, problems)
			}
		})
	}
}

// TestCounter: each acknowledged count is included, and no more than were sent.
func TestCounter(t *testing.T) {
	for now, ok := range map[int]bool{12: false, 13: true, 14: true, 15: false} {
		c := &campaign{counter: 10, workers: []*worker{{counted: 2}, {counted: 1, maybeCounted: 1}}}
		if problems := c.checkCounter(now); len(problems) == 0 != ok {
			t.Errorf("%d: found %q", now, problems)
		}
	}
}

// TestModel_Remove removes a subtree and its links.
func TestModel_Remove(t *testing.T) {
	m := expected()
	m.remove(key{categories, 2})
	if in := m[key{products, 1}].in; !slices.Equal(in, []int64{1}) || len(m.keys(categories)) != 1 {
		t.Errorf("left %v", m)
	}
}

// TestCheck_FindsInOrders each kind of damage to orders and their stock.
func TestCheck_FindsInOrders(t *testing.T) {
	goods := sale{product: 7, other: 9}
	for name, c := range map[string]struct {
		stock  int
		orders []order
		want   string // part of the only finding; "" for none
	}{
		"none":               {firstStock, nil, ""},
		"two":                {firstStock - 3, []order{sold(1, 7, 2), sold(2, 7, 1)}, ""},
		"stock not taken":    {firstStock, []order{sold(1, 7, 2)}, "1000002 in all"},
		"stock not returned": {firstStock - 2, nil, "999998 in all"},
		"another product":    {firstStock, []order{sold(1, 8, 2)}, "half written: orders/1"},
		"without a line":     {firstStock, []order{{ID: 1, Notes: "fault-00-1 v1", Details: "fault-00-1 v1"}}, "half written: orders/1"},
		"half written": {firstStock - 1, []order{{ID: 1, Notes: "fault-00-1 v2", Details: "fault-00-1 v1",
			Products: map[string]line{"1": {7, 1}}}}, "half written: orders/1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &snapshot{models: map[string]model{}, stock: map[int64]int{7: c.stock, 9: firstStock}, combined: firstStock}
			s.addOrders(c.orders, goods)
			if c.want == "" && len(s.broken) > 0 || c.want != "" && (len(s.broken) != 1 || !strings.Contains(s.broken[0], c.want)) {
				t.Errorf("found %q, want %q", s.broken, c.want)
			}
			if len(s.models["fault-00"]) != len(c.orders) {
				t.Errorf("%d orders are recorded, want %d", len(s.models["fault-00"]), len(c.orders))
			}
		})
	}
}

// sold is an order of some pieces of a product.
func sold(id, product int64, pieces int) order {
	return order{ID: id, Notes: "fault-00-1 v1", Details: "fault-00-1 v1", Products: map[string]line{"1": {product, pieces}}}
}
