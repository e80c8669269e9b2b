package e2e

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi/store/memory"
)

// TestConsole_Unsaved: typed input is not lost by a link, by the browser's back or by
// signing out without a confirmation.
func TestConsole_Unsaved(t *testing.T) {
	t.Parallel()
	s := newMug(t, memory.New())
	s.Put("/api/2.0/products/1", `{"short_description": "Thrown by hand.\r\nGlazed twice."}`)
	b := openSignedIn(t, s, "Products")
	b.click("nav a", "Products")
	b.click("th.label a", "Clay mug")
	b.sees("h1", "Clay mug")
	address := evaluate[string](b, "location.href")
	typePrice := func(price string) { b.do(chromedp.SetValue("#field-price", price, chromedp.ByQuery)) }
	stays := func(way string) {
		t.Helper()
		b.sees("dialog h2", "Leave without saving?")
		if focused := evaluate[string](b, "document.activeElement.innerText"); focused != "Stay here" {
			t.Errorf("%s: the focus is on %q", way, focused)
		}
		b.click("dialog button", "Stay here")
		b.do(chromedp.WaitNotPresent("dialog"))
		if typed, at := b.value("#field-price"), evaluate[string](b, "location.href"); typed != "12" || at != address {
			t.Errorf("%s: after staying the form has %s, and the address is %s", way, typed, at)
		}
	}

	typePrice("12")
	b.click("nav a", "Categories")
	stays("a link")
	b.do(chromedp.Evaluate("history.back()", nil))
	stays("back")
	b.click("button", "Sign out")
	stays("signing out")
	b.click("nav a", "Categories")
	b.sees("dialog", "not saved")
	b.do(chromedp.KeyEvent("\x1b"))
	b.do(chromedp.WaitNotPresent("dialog"))
	if typed := b.value("#field-price"); typed != "12" {
		t.Errorf("Escape: the form has %s", typed)
	}

	b.do(chromedp.Evaluate("history.back()", nil))
	b.click("dialog button.danger", "Leave")
	b.sees("h1", "Products")
	b.do(chromedp.Evaluate("history.forward()", nil))
	b.sees("h1", "Clay mug")
	if typed := b.value("#field-price"); typed != "9.50" {
		t.Errorf("after leaving the form has %s", typed)
	}

	// Without unsaved input there is no question.
	b.click("nav a", "Categories")
	b.sees("h1", "Categories")
	b.do(chromedp.Evaluate("history.back()", nil))
	b.sees("h1", "Clay mug")
	typePrice("13")
	typePrice("9.50")
	b.click("nav a", "Categories")
	b.sees("h1", "Categories")
	b.do(chromedp.Evaluate("history.back()", nil))
	b.sees("h1", "Clay mug")
	typePrice("14")
	b.click("button", "Save")
	b.sees("#status", "Saved")
	b.click("nav a", "Categories")
	b.sees("h1", "Categories")
	if price := mug(s, "price"); price != "14.00" {
		t.Errorf("the price is %s", price)
	}
	b.goTo("#/taxes/new")
	b.sees("label", "Tax")
	b.do(chromedp.SetValue("#field-tax", "VAT", chromedp.ByQuery))
	b.click("button", "Create")
	b.sees("h1", "VAT")
	b.do(chromedp.SetValue("#field-tax", "Sales tax", chromedp.ByQuery))
	b.click("button", "Delete")
	b.click("dialog button.danger", "Delete")
	b.sees("h1", "Taxes")
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}

// TestConsole_UnsavedWork: a link asks before it loses an order that is being entered, a note, or the answer to a
// review.
func TestConsole_UnsavedWork(t *testing.T) {
	t.Parallel()
	s := newStaffShop(t)
	if a := s.Post("/api/2.0/products/1/discussions", `{"name": "Ana", "message": "Fine.", "rating_value": 5}`); a.Status != 201 {
		t.Fatal(a.Body)
	}
	b := openSignedIn(t, s, "Orders")
	for _, c := range []struct{ address, control string }{
		{"#/orders/new", "#guest-email"}, {"#/orders/new", "#order-notes"}, {"#/orders/new", "#discount"},
		{"#/orders/1", "#details"}, {"#/discussions/1", "[name=reply]"},
	} {
		b.visit(c.address)
		b.click(".brand", "Store administration")
		b.sees("h1", "Store administration") // nothing was typed
		b.visit(c.address)
		b.set(c.control, "7")
		b.click(".brand", "Store administration")
		b.sees("dialog h2", "Leave without saving?")
		b.click("dialog button", "Stay here")
		b.do(chromedp.WaitNotPresent("dialog"))
		if typed := b.value(c.control); typed != "7" {
			t.Errorf("%s: %s has %q after staying", c.address, c.control, typed)
		}
		b.click(".brand", "Store administration")
		b.click("dialog button.danger", "Leave")
		b.sees("h1", "Store administration")
	}
}

// TestConsole_UnsavedTab: the browser asks before a tab with unsaved input is reloaded
// or closed, and not otherwise.
func TestConsole_UnsavedTab(t *testing.T) {
	t.Parallel()
	s := newMug(t, memory.New())
	b := open(t, s, desk, tall)
	var asked atomic.Int64
	chromedp.ListenTarget(b.ctx, func(event any) {
		if e, ok := event.(*page.EventJavascriptDialogOpening); ok && e.Type == page.DialogTypeBeforeunload {
			asked.Add(1)
			go func() { _ = chromedp.Run(b.ctx, page.HandleJavaScriptDialog(true)) }()
		}
	})
	b.signIn(s.Email, s.Key)
	b.sees("nav a", "Products")
	b.goTo("#/products/1")
	for _, c := range []struct {
		name string
		do   func()
		want int64
	}{
		{"nothing was typed", func() {}, 0},
		{"something was typed", func() {}, 1},
		{"it was saved", func() {
			b.click("button", "Save")
			b.sees("#status", "Saved")
		}, 0},
	} {
		b.sees("h1", "Clay mug")
		if c.name != "nothing was typed" {
			b.do(chromedp.Focus("#field-product", chromedp.ByQuery), chromedp.KeyEvent("1"))
		}
		c.do()
		asked.Store(0)
		b.do(chromedp.ActionFunc(func(ctx context.Context) error { return chromedp.Reload().Do(ctx) }))
		if n := asked.Load(); n != c.want {
			t.Errorf("%s: the browser asked %d times, want %d", c.name, n, c.want)
		}
	}
}
