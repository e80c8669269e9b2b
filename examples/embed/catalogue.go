package main

import (
	"context"
	"slices"
	"sync"

	"github.com/shopapi/shopapi"
)

// A product of the shop, in the shop's own words.
type product struct {
	ID     int64  `json:"product_id,string" bind:"-"`
	Name   string `json:"product"`
	Amount int64  `json:"amount,string"`
}

// A catalogue is the shop's own products, and the entity products of the API: it
// can be listed, read and changed. Creating and deleting are answered 405, since
// it has no such methods.
type catalogue struct {
	mu       sync.Mutex
	products []product
}

var (
	_ shopapi.Lister  = (*catalogue)(nil)
	_ shopapi.Getter  = (*catalogue)(nil)
	_ shopapi.Updater = (*catalogue)(nil)
)

func newCatalogue() *catalogue {
	return &catalogue{products: []product{
		{ID: 1, Name: "Clay mug", Amount: 7},
		{ID: 2, Name: "Soup bowl", Amount: 0},
	}}
}

func (c *catalogue) all() []product {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.products)
}

func (c *catalogue) Describe() shopapi.Description {
	return shopapi.Description{
		Name:       "products",
		IDField:    "product_id",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
	}
}

func (c *catalogue) List(_ context.Context, r *shopapi.Request) (any, error) {
	page, err := r.Page(false, "product_id")
	if err != nil {
		return nil, err
	}
	all := c.all()
	if page.Descending {
		slices.Reverse(all)
	}
	from := min(page.Offset(), len(all))
	to := min(from+page.Limit(), len(all))
	return shopapi.List{Name: "products", Items: all[from:to], Params: page.Params(int64(len(all)))}, nil
}

func (c *catalogue) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	for _, p := range c.all() {
		if shopapi.FormatID(p.ID) == id {
			return p, nil
		}
	}
	return nil, shopapi.NotFound("product", id)
}

func (c *catalogue) Update(_ context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.products {
		if shopapi.FormatID(c.products[i].ID) != id {
			continue
		}
		changed := c.products[i]
		var problems shopapi.Problems
		problems.Merge(r.Bind(&changed))
		problems.Range("amount", changed.Amount, 0, 1_000_000)
		if err := problems.Err(); err != nil {
			return shopapi.Reply{}, err
		}
		c.products[i] = changed
		return shopapi.Reply{ID: id}, nil
	}
	return shopapi.Reply{}, shopapi.NotFound("product", id)
}
