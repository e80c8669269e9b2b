package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestE12_Palette: Ctrl+K goes to pages and does what the page offers by its name, in each
// language of the console, by the keyboard alone.
func TestE12_Palette(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	b := open(t, s, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("figcaption", "Orders per day")
	h := b.task(t)
	asks := func(text, want string) {
		t.Helper()
		h.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(input.ModifierCtrl)))
		h.waits(`document.activeElement.matches("command-palette input")`, "the palette")
		h.types(text)
		h.sees("command-palette [role=option][aria-selected=true]", want)
		// Without the character of the key, since the palette prevents it.
		h.do(input.DispatchKeyEvent(input.KeyRawDown).WithKey("Enter").WithWindowsVirtualKeyCode(13), input.DispatchKeyEvent(input.KeyUp).WithKey("Enter").WithWindowsVirtualKeyCode(13))
	}
	for _, c := range []struct{ method, methods, newProduct, remove, question, language string }{
		{"ship met", "Shipping methods", "New product", "Delete", "cannot be undone", "Deutsch"},
		{"versandart", "Versandarten", "Neu: Produkt", "Löschen", "nicht zurücknehmen", "English"},
	} {
		asks(c.method, c.methods)
		h.sees("h1", c.methods)
		asks(c.newProduct, c.newProduct)
		h.sees("h1", c.newProduct)
		h.visit("#/products/1")
		asks(c.remove, c.remove)
		h.sees("dialog", c.question)
		h.types(kb.Enter) // keeps it
		h.waits(`!document.querySelector("dialog")`, "no question")
		asks(c.language, c.language)
		h.do(chromedp.WaitVisible(fmt.Sprintf("html[lang=%s] site-search", map[string]string{"Deutsch": "de", "English": "en"}[c.language]), chromedp.ByQuery))
	}

	h.click(`button[aria-label="Commands"]`, "")
	h.waits(`document.querySelectorAll("command-palette [role=option]").length > 5`, "all commands")
	h.types("nothing like it")
	h.sees("command-palette", "Nothing found")
	h.types(kb.Escape)
	h.waits(`!document.querySelector("dialog")`, "the page")
	if a := s.Get("/api/2.0/products/1"); a.Status != 200 {
		t.Error("the product is gone")
	}

	clerk := s.User("view_orders")
	c := open(t, s, desk, tall)
	c.signIn(clerk.Email, clerk.Key)
	c.sees("nav a", "Orders")
	h = c.task(t)
	asks("order", "Orders")
	h.sees("h1", "Orders")
	for _, closed := range []string{"products", "new order", "delete"} {
		h.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(input.ModifierCtrl)))
		h.waits(`document.activeElement.matches("command-palette input")`, "the palette")
		h.types(closed)
		h.sees("command-palette", "Nothing found")
		h.types(kb.Escape)
		h.waits(`!document.querySelector("dialog")`, "the page")
	}
	if heard := append(b.heard(), c.heard()...); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
