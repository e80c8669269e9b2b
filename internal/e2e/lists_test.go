package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestE12_Lists: a user saves the filters of a list as a view, chooses columns, and gets the list as a
// file; all stays after the page is loaded again.
func TestE12_Lists(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	b := openSignedIn(t, s, "Products")
	h := b.task(t)
	columns := func(want string) {
		t.Helper()
		h.waits(fmt.Sprintf(`[...document.querySelectorAll("thead th:not(.tick)")].map(e => e.innerText.replace(/ [↑↓]/, "")).join() === %q`, want), "the columns "+want)
	}

	h.visit("#/products?status=H")
	h.click("#view", "")
	h.types("Hidden ones")
	h.click(".views button", "Save view")
	h.sees("#status", "saved")
	h.click("nav a", "Products")
	h.sees(".pager", "of 24")
	h.click(".views .pick a", "Hidden ones")
	h.sees(".pager", "1–2 of 2")
	h.click("summary", "Columns")
	for _, title := range []string{"Image", "Product ID", "Amount", "Date", "List price", "Status"} {
		if evaluate[bool](b, fmt.Sprintf(`[...document.querySelectorAll(".column-choice label")].some(e => e.innerText.trim() === %q)`, title)) {
			h.click(".column-choice label", title)
		}
	}
	shown := evaluate[string](b, `[...document.querySelectorAll("thead th:not(.tick)")].map(e => e.innerText.replace(/ [↑↓]/, "")).join()`)
	b.goTo("?again#/products")
	b.sees("th.label", "mug")
	columns(shown)
	b.sees(".views .pick", "Hidden ones")
	h.click("summary", "Columns")
	h.click(".column-choice button", "The usual ones")
	h.waits(fmt.Sprintf(`[...document.querySelectorAll("thead th:not(.tick)")].map(e => e.innerText.replace(/ [↑↓]/, "")).join() !== %q`, shown), "the usual columns")
	h.click(".views .drop", "×")
	b.gone(".views .pick")

	h.visit("#/products?status=H")
	b.do(chromedp.Evaluate(`window.file = ""; URL.createObjectURL = (blob) => { blob.text().then((text) => { window.file = text; }); return "data:,"; }`, nil))
	h.click("button", "Export as CSV")
	h.waits(`window.file !== ""`, "a file")
	lines := strings.Split(strings.TrimSpace(evaluate[string](b, "window.file")), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "product_id") {
		t.Errorf("the file of two hidden products has the lines %q", lines)
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}

// TestE12_Shortcuts: each key in the list of keys does what the list says.
func TestE12_Shortcuts(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	b := open(t, s, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("figcaption", "Orders per day")
	h := b.task(t)
	for _, c := range []struct{ keys, words, heading string }{
		{"go", "Orders", "Orders"}, {"n", "New", "New order"}, {"gp", "Products", "Products"}, {"gc", "Customers", "Users"}, {"gk", "Categories", "Categories"}, {"gh", "First page", "Store administration"},
	} {
		h.presses("?")
		h.sees("dialog .keys", c.words)
		h.click("dialog button", "Close")
		b.gone("dialog")
		for _, key := range c.keys {
			h.presses(string(key))
		}
		h.sees("h1", c.heading)
	}
	h.presses("/")
	h.waits(`document.activeElement.matches("site-search input")`, "the search")
	h.types("go") // which is text there
	h.waits(`document.querySelector("site-search input").value === "go"`, "the typed text")
	h.sees("h1", "Store administration")
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}

// TestE12_FilterBySeveralCodes: a user ticks the codes of a filter, and a filter of several codes in an
// address stays when another one is added (decisions §26).
func TestE12_FilterBySeveralCodes(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	b := openSignedIn(t, s, "Products")
	h := b.task(t)
	chosen := func(want string) {
		t.Helper()
		h.waits(fmt.Sprintf(`new URLSearchParams(location.hash.split("?")[1]).get("status") === %q`, want), "an address with the status "+want)
		h.waits(fmt.Sprintf(`[...document.querySelectorAll(".filters [name=status]:checked")].map(e => e.value).join() === %q`, want), "boxes of the status "+want)
	}
	h.visit("#/products?status=D,H")
	chosen("D,H")
	h.click(".filters legend + div label", "Active")
	h.click(".filters button", "Apply")
	chosen("A,D,H")
	h.sees(".pager", "of 24")
	h.click(".filters legend + div label", "Active")
	h.click(".filters legend + div label", "Disabled")
	h.click(".filters button", "Apply")
	chosen("H")
	h.sees(".pager", "1–2 of 2")

	h.visit("#/orders")
	h.click(".filters summary", "Filter")
	h.click(".codes label", "Open")
	h.click(".codes label", "Complete")
	h.click(".filters button", "Apply")
	chosen("C,O")
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
