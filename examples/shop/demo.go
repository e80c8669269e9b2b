package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/taxes"
	"github.com/shopapi/shopapi/users"
)

// A demo is the row with the progress of the demo, in a table of the example beside the
// shop's. Each part is one transaction, which counts it here: so processes that start at
// once take turns, and a start continues after a killed one.
type demo struct {
	DemoID   int64 `json:"demo_id" store:"key"` // always 1
	Parts    int64 `json:"parts"`
	Done     int64 `json:"done"`
	Products int64 `json:"products"` // of the whole demo
	Orders   int64 `json:"orders"`
}

func (d *demo) size() demoSize { return demoSize{int(d.Products), int(d.Orders)} }

var demos = store.MustTable[demo]("example_demo")

// partsPerScale is the number of parts for each step of -demo-scale, in addition to the
// first part, the tree and the people.
const partsPerScale = 4

// A filler creates the demo: a pottery shop, always the same one.
type filler struct {
	shop    *shop.Shop
	now     time.Time
	company int64 // the company of the demo's objects

	size   demoSize
	parts  int // of the demo, including the tree and the people
	part   int // from 0, not counting the tree and the people
	random *rand.Rand
	leaves []leaf

	properties properties
	products   []int64 // of the part

	tax       taxes.Tax
	orderTax  orders.Tax // in the form of package orders
	payments  []payments.Payment
	shippings []shippings.Summary
	goods     []products.Product // of the part
	offer     []products.Product // that its orders and reviews name
	customers []users.User       // of the part
}

// A leaf is a category with products.
type leaf struct {
	id   int64
	noun string
}

// fillPatience is how long a start waits for other processes, which may lock the
// database for a part of the demo.
const fillPatience = time.Minute

// fill creates the demo in a shop without categories, or its missing parts. It returns
// when the demo is complete.
func fill(ctx context.Context, sh *shop.Shop, size demoSize, progress io.Writer) error {
	ctx = store.Starting(ctx)
	if err := sh.Store.Migrate(ctx, demos.Schema()); err != nil {
		return err
	}
	return newFiller(ctx, sh).fill(ctx, size, progress)
}

func newFiller(ctx context.Context, sh *shop.Shop) *filler {
	return &filler{shop: sh, now: sh.Now(ctx), company: sh.DefaultCompany()}
}

func (f *filler) fill(ctx context.Context, size demoSize, progress io.Writer) error {
	began := time.Now()
	for last := began; ; {
		d, added, err := f.next(ctx, size)
		switch {
		case othersFirst(err) && time.Since(last) < fillPatience:
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(50 * time.Millisecond):
				continue
			}
		case err != nil || !added:
			return err
		case d.Done == d.Parts:
			fmt.Fprintf(progress, "The demo shop was made in %.1f s.\n", time.Since(began).Seconds())
			return nil
		case d.Done%100 == 0:
			fmt.Fprintf(progress, "Demo data: %d of %d parts\n", d.Done, d.Parts)
		}
		last = time.Now()
	}
}

// othersFirst reports whether an error comes from a database that another process is
// filling.
func othersFirst(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrConflict)
}

// next adds the next part, if there is one, to a demo of this size, or of the size with which it was
// begun.
func (f *filler) next(ctx context.Context, size demoSize) (d demo, added bool, err error) {
	err = f.shop.Store.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		d, added, err = f.claim(ctx, tx, size)
		if err != nil || !added {
			return err
		}
		f.parts, f.size = int(d.Parts), d.size()
		return f.add(ctx, int(d.Done-1))
	})
	return d, added, err
}

// claim counts the next part as done before creating it: another process that reads the
// row conflicts at once and not after its work. A shop with other categories gets no
// demo.
func (f *filler) claim(ctx context.Context, tx store.Tx, size demoSize) (d demo, ok bool, err error) {
	d, err = demos.Get(tx, 1)
	switch {
	case errors.Is(err, store.ErrNotFound):
		_, total, err := f.shop.Categories.Find(ctx, categories.Filter{ListOptions: resource.ListOptions{Limit: 1}})
		if err != nil || total > 0 {
			return d, false, err
		}
		d = demo{DemoID: 1, Parts: size.parts(), Done: 1, Products: int64(size.products), Orders: int64(size.orders)}
		return d, true, demos.Insert(tx, &d)
	case err != nil || d.Done >= d.Parts:
		return d, false, err
	}
	d.Done++
	return d, true, demos.Update(tx, &d)
}

// add creates the part with the number; 0 is the tree and the people.
func (f *filler) add(ctx context.Context, number int) error {
	f.part, f.random = number-1, rand.New(rand.NewPCG(1, uint64(number)))
	makers := []func(context.Context) error{f.addCategories, f.addGerman, f.addFeatures, f.addPeople, f.addMethods, f.addTenants}
	if number > 0 {
		makers = []func(context.Context) error{
			f.findLeaves, f.findFeatures, f.findMethods, f.addProducts, f.translateProducts, f.addVariations, f.addOptions, f.findOffer, f.addReviews, f.addCallRequests, f.addCustomers, f.addOrders, f.addCarts,
		}
	}
	for _, part := range makers {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pick returns one of the words.
func (f *filler) pick(words []string) string { return words[f.random.IntN(len(words))] }

// ago returns a time within the last year, recent ones more often.
func (f *filler) ago() int64 {
	share := f.random.Float64()
	return f.now.Add(-time.Duration(share * share * float64(365*24*time.Hour))).Unix()
}

// addCategories creates the tree: three levels, 68 categories.
func (f *filler) addCategories(ctx context.Context) error {
	add := func(parent int64, name string) (int64, error) {
		c, err := f.shop.Categories.Create(ctx, categories.Category{
			Summary:     categories.Summary{Name: name, ParentID: parent, CompanyID: f.company},
			Description: "<p>" + name + " from our kilns.</p>",
		})
		return c.CategoryID, err
	}
	for _, top := range tree {
		topID, err := add(0, top.name)
		if err != nil {
			return err
		}
		for _, middle := range top.below {
			middleID, err := add(topID, middle.name)
			if err != nil {
				return err
			}
			for _, noun := range middle.nouns {
				if _, err := add(middleID, noun+"s"); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// findLeaves reads the leaves of the tree, which another process may have created.
func (f *filler) findLeaves(ctx context.Context) error {
	nouns := map[string]string{}
	for _, top := range tree {
		for _, middle := range top.below {
			for _, noun := range middle.nouns {
				nouns[noun+"s"] = noun
			}
		}
	}
	f.leaves = nil
	for c, err := range f.shop.Categories.All(ctx, categories.Filter{}) {
		if err != nil {
			return err
		}
		if noun, ok := nouns[c.Name]; ok && strings.Count(c.IDPath, "/") == 2 {
			f.leaves = append(f.leaves, leaf{c.CategoryID, noun})
		}
	}
	if len(f.leaves) < 2 {
		return errors.New("the categories of the demo are gone; -demo=false starts without the rest of it")
	}
	return nil
}
