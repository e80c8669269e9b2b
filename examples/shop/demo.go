package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// A filler makes the demo: a pottery shop, the same one each time.
type filler struct {
	shop     *shop.Shop
	scale    int
	random   *rand.Rand
	now      time.Time
	progress io.Writer

	leaves   []leaf
	products []int64
	company  int64 // that the demo's objects belong to
}

// A leaf is a category that holds products.
type leaf struct {
	id   int64
	noun string
}

// fill puts the demo into a shop without categories. The part that every demo
// has is one transaction; what -demo-scale adds comes in batches. Of several
// processes that start at once one fills the shop.
func fill(ctx context.Context, sh *shop.Shop, scale int, progress io.Writer) error {
	if filled, err := isFilled(ctx, sh); err != nil || filled {
		return err
	}
	f := &filler{
		shop: sh, scale: scale, progress: progress,
		random:  rand.New(rand.NewPCG(1, 2)),
		now:     sh.Now(ctx),
		company: sh.DefaultCompany(),
	}
	began := time.Now()
	var filled bool
	err := sh.Store.Update(ctx, func(ctx context.Context, _ store.Tx) (err error) {
		if filled, err = isFilled(ctx, sh); err != nil || filled {
			return err
		}
		f.random = rand.New(rand.NewPCG(1, 2)) // the same when this runs again
		f.leaves, f.products = nil, nil
		for _, part := range []func(context.Context) error{
			f.addCategories, f.addPeople, f.addProducts, f.addExceptions, f.addReviews, f.addCallRequests,
		} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil { // also that of a row which another process inserted first
		if by, again := isFilled(ctx, sh); again == nil && by {
			return nil
		}
	}
	if err != nil || filled {
		return err
	}
	for i := 1; i < scale; i++ {
		for _, part := range []func(context.Context) error{f.addProducts, f.addReviews, f.addCallRequests} {
			if err := sh.Store.Update(ctx, func(ctx context.Context, _ store.Tx) error { return part(ctx) }); err != nil {
				return err
			}
		}
		if i%20 == 0 {
			fmt.Fprintf(progress, "Demo data: %d of %d parts\n", i, scale)
		}
	}
	fmt.Fprintf(progress, "The demo shop was made in %.1f s.\n", time.Since(began).Seconds())
	return nil
}

// isFilled reports whether the shop has categories.
func isFilled(ctx context.Context, sh *shop.Shop) (bool, error) {
	_, total, err := sh.Categories.Find(ctx, categories.Filter{ListOptions: resource.ListOptions{Limit: 1}})
	return total > 0, err
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
				id, err := add(middleID, noun+"s")
				if err != nil {
					return err
				}
				f.leaves = append(f.leaves, leaf{id, noun})
			}
		}
	}
	return nil
}
