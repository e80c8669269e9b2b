package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi/apitest"
)

// unready are what a page shows where it forgot something: links to nowhere, PHP's form of stored
// values, and texts of scripts.
const unready = `[...[...document.querySelectorAll("a[href*=undefined], a[href*=null], a[href*='[object']")].map(a => a.outerHTML.slice(0, 120)),
	...(document.querySelector("#page").innerText.match(/\b[aO]:\d+:\{|\bs:\d+:"|\bNaN\b|\[object |Invalid Date|\bundefined\b/g) || [])].join(", ")`

// TestE12_EveryPage: each page of a shop with all entities is shown without a problem, with links that
// lead somewhere, and with values in words.
func TestE12_EveryPage(t *testing.T) {
	t.Parallel()
	s := newStaffShop(t)
	b := open(t, s, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("figcaption", "Orders per day")
	for _, page := range append(everyPage(s), "#/orders/"+orderOfLee(s)) {
		if page == "#/nothing" {
			continue
		}
		b.visit(page)
		if got := evaluate[string](b, unready); got != "" {
			t.Errorf("%s shows %s", page, got)
		}
		if problem := evaluate[string](b, `document.querySelector("#page .problem")?.innerText || ""`); problem != "" {
			t.Errorf("%s says %q", page, problem)
		}
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}

// TestE12_WrongAddress: an address that names nothing, or is malformed, has a page that says so.
func TestE12_WrongAddress(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, nil)
	b := openSignedIn(t, s, "Products")
	for _, address := range []string{"#/products/%E0%A4%A", "#/products/7", "#/nothing", "#/products/1/nothing", "#/products/1/options/2/variants/3/4/5"} {
		b.visit(address)
		b.sees("h1", "Not shown")
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}

// TestE12_Back: from an object back to the list, the filter, the order and the page of the list stay.
// The links to the next and the previous object follow that list.
func TestE12_Back(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := openSignedIn(t, s, "Products")
	b.visit("#/products?status=A&sort_by=price&sort_order=desc")
	b.click(".pager a", "Next")
	b.sees(".pager", "21–22 of 22")
	before := evaluate[string](b, `location.hash + document.querySelector("tbody").innerText`)
	b.click("th.label a", " ") // the names have two words
	b.sees(".neighbours a", "Next")
	if shown := evaluate[string](b, `document.querySelector(".neighbours").innerText`); strings.Contains(shown, "Previous") {
		t.Errorf("the first object of the page has the neighbours %q", shown)
	}
	b.click("a.button", "Back")
	b.sees(".pager", "21–22 of 22")
	if after := evaluate[string](b, `location.hash + document.querySelector("tbody").innerText`); after != before {
		t.Errorf("the list was %q and is %q", before, after)
	}
}

// TestE12_LargeTree: a tree of more categories than one answer has is shown whole.
func TestE12_LargeTree(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, nil)
	const all = 1040
	for i := range all {
		if a := s.Post("/api/2.0/categories", fmt.Sprintf(`{"category": "Shelf %d", "parent_id": %d}`, i, i/20)); a.Status != 201 {
			t.Fatal(a.Body)
		}
	}
	b := openSignedIn(t, s, "Categories")
	b.visit("#/categories")
	if n := evaluate[int](b, `new Set([...document.querySelectorAll(".tree a")].map(a => a.hash)).size`); n != all {
		t.Errorf("the tree has %d categories, want %d", n, all)
	}
}

// TestE12_FindAll: a search that fills a page with orders of the last days counts these, and counts all
// when it is asked to.
func TestE12_FindAll(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	b := openSignedIn(t, s, "Orders")
	b.visit("#/orders")
	h := b.task(t)
	h.click("#find", "")
	h.types("kim\r")
	h.sees(".pager", "in the last 30 days")
	h.click(".pager a", "Next")
	h.sees(".pager", "21–40 of")
	h.click(".pager button", "Find all")
	h.waits(`!document.querySelector(".pager").innerText.includes("days")`, "the number of all")
	h.sees(".pager", "21–40 of 149")
	h.do(chromedp.SetValue("#find", "kim1@", chromedp.ByQuery))
	h.click(".quick button", "Find")
	h.waits(`document.querySelectorAll("tbody tr").length < 20 && !document.querySelector(".pager").innerText.includes("days")`, "few orders")
}
