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

// A demo is the row that tells how far the demo is, in a table of the example's own
// beside those of the shop. Each part is one transaction, which counts it here: so
// processes that start at once take turns, and a start goes on where a killed one
// was.
type demo struct {
	DemoID int64 `json:"demo_id" store:"key"` // 1
	Parts  int64 `json:"parts"`
	Done   int64 `json:"done"`
}

var demos = store.MustTable[demo]("example_demo")

// partsPerScale is how many parts each -demo-scale has, after the first part: the
// tree and the people.
const partsPerScale = 4

// A filler makes the demo: a pottery shop, the same one each time.
type filler struct {
	shop    *shop.Shop
	now     time.Time
	company int64 // that the demo's objects belong to
	orders  int   // of each part

	parts  int // of the demo, the tree and the people among them
	part   int // from 0, not counting the tree and the people
	random *rand.Rand
	leaves []leaf

	properties properties
	products   []int64 // of the part

	tax       taxes.Tax
	orderTax  orders.Tax // the same, as orders have it
	payments  []payments.Payment
	shippings []shippings.Summary
	goods     []products.Product // of the part
	customers []users.User       // of the part
}

// A leaf is a category that holds products.
type leaf struct {
	id   int64
	noun string
}

// fillPatience is how long a start waits for those of other processes, which may
// hold the database for a part of the demo.
const fillPatience = time.Minute

// fill makes the demo in a shop without categories, or what is missing of it. It
// returns when the demo is complete.
func fill(ctx context.Context, sh *shop.Shop, scale int, progress io.Writer) error {
	if err := sh.Store.Migrate(ctx, demos.Schema()); err != nil {
		return err
	}
	return newFiller(ctx, sh).fill(ctx, scale, progress)
}

func newFiller(ctx context.Context, sh *shop.Shop) *filler {
	return &filler{shop: sh, now: sh.Now(ctx), company: sh.DefaultCompany(), orders: ordersPerPart}
}

func (f *filler) fill(ctx context.Context, scale int, progress io.Writer) error {
	began := time.Now()
	for last := began; ; {
		d, added, err := f.next(ctx, int64(1+partsPerScale*scale))
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

// othersFirst reports whether an error is that of a database which another process
// is filling.
func othersFirst(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrConflict)
}

// next adds the next part, if there is one, to a demo of so many parts or of as
// many as it was begun with.
func (f *filler) next(ctx context.Context, parts int64) (d demo, added bool, err error) {
	err = f.shop.Store.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		d, added, err = f.claim(ctx, tx, parts)
		if err != nil || !added {
			return err
		}
		f.parts = int(d.Parts)
		return f.add(ctx, int(d.Done-1))
	})
	return d, added, err
}

// claim counts the next part as done, before it is made: another process that reads
// the row meanwhile meets this transaction at once and not after its work. In a shop
// that has categories of its own there is no demo to begin.
func (f *filler) claim(ctx context.Context, tx store.Tx, parts int64) (d demo, ok bool, err error) {
	d, err = demos.Get(tx, 1)
	switch {
	case errors.Is(err, store.ErrNotFound):
		_, total, err := f.shop.Categories.Find(ctx, categories.Filter{ListOptions: resource.ListOptions{Limit: 1}})
		if err != nil || total > 0 {
			return d, false, err
		}
		d = demo{DemoID: 1, Parts: parts, Done: 1}
		return d, true, demos.Insert(tx, &d)
	case err != nil || d.Done >= d.Parts:
		return d, false, err
	}
	d.Done++
	return d, true, demos.Update(tx, &d)
}

// add makes the part with the number; 0 is the tree and the people.
func (f *filler) add(ctx context.Context, number int) error {
	f.part, f.random = number-1, rand.New(rand.NewPCG(1, uint64(number)))
	makers := []func(context.Context) error{f.addCategories, f.addGerman, f.addFeatures, f.addPeople, f.addMethods, f.addTenants}
	if number > 0 {
		makers = []func(context.Context) error{
			f.findLeaves, f.findFeatures, f.findMethods, f.addProducts, f.translateProducts, f.addVariations, f.addOptions, f.addReviews, f.addCallRequests, f.addCustomers, f.addOrders, f.addCarts,
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

// ago is a moment within the last year, recent ones more often.
func (f *filler) ago() int64 {
	share := f.random.Float64()
	return f.now.Add(-time.Duration(share * share * float64(365*24*time.Hour))).Unix()
}

// addCategories makes the tree: three levels, 68 categories.
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

// findLeaves reads the leaves of the tree, which another process may have made.
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
