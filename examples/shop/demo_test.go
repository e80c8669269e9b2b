package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// TestDemo_GoesOnWhereAStartEnded, after each part: the shop is the one that a start
// which nothing interrupted makes.
func TestDemo_GoesOnWhereAStartEnded(t *testing.T) {
	const scale = 2
	ctx := t.Context()
	begun := func(t *testing.T, parts int) string {
		sh := newTestShop(t, "memory")
		if err := sh.Store.Migrate(ctx, demos.Schema()); err != nil {
			t.Fatal(err)
		}
		f := &filler{shop: sh, now: sh.Now(ctx), company: sh.DefaultCompany()}
		for range parts {
			if _, added, err := f.next(ctx, 1+partsPerScale*scale); !added || err != nil {
				t.Fatal(added, err)
			}
		}
		for _, scale := range []int{scale, 7} { // that of the first start counts
			if err := fill(ctx, sh, scale, io.Discard); err != nil {
				t.Fatal(err)
			}
		}
		return contents(t, sh)
	}
	whole := begun(t, 0)
	for parts := 1; parts <= 1+partsPerScale*scale; parts++ {
		if diff := cmp.Diff(whole, begun(t, parts)); diff != "" {
			t.Errorf("after %d parts (-whole +continued):\n%s", parts, diff)
		}
	}
}

// TestDemo_LeavesAShopAlone that has categories of its own.
func TestDemo_LeavesAShopAlone(t *testing.T) {
	sh := newTestShop(t, filepath.Join(t.TempDir(), "shop.db"))
	if _, err := sh.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "Own"}}); err != nil {
		t.Fatal(err)
	}
	before := contents(t, sh)
	if err := fill(t.Context(), sh, 1, io.Discard); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, contents(t, sh)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func newTestShop(t *testing.T, db string) *shop.Shop {
	t.Helper()
	if db == "memory" {
		sh, err := shop.New(t.Context(), memory.New(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return sh
	}
	st, err := sqlite.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	sh, err := shop.New(t.Context(), st, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// contents tells how much of everything a shop has, and the links between
// categories and products.
func contents(t *testing.T, sh *shop.Shop) string {
	t.Helper()
	ctx := context.Background()
	tree, totalTree, err1 := sh.Categories.Find(ctx, categories.Filter{})
	catalogue, totalProducts, err2 := sh.Products.Find(ctx, products.Filter{})
	_, reviews, err3 := sh.Discussions.Find(ctx, discussions.Filter{})
	_, requests, err4 := sh.CallRequests.Find(ctx, callrequests.Filter{})
	_, people, err5 := sh.Users.Find(ctx, users.Filter{})
	for _, err := range []error{err1, err2, err3, err4, err5} {
		if err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprintf("%d categories, %d products, %d reviews, %d callback requests, %d people\n", totalTree, totalProducts, reviews, requests, people)
	for _, c := range tree {
		text += fmt.Sprintln(c.IDPath, c.Name, c.ProductCount)
	}
	for _, p := range catalogue {
		text += fmt.Sprintln(p.Code, p.Name, p.Price, p.CategoryIDs)
	}
	return text
}
