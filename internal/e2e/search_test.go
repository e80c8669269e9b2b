package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestE12_SearchPages: the search finds pages by their titles and texts, for those who may
// view them.
func TestE12_SearchPages(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	id := s.Post("/api/2.0/pages", `{"page": "How we deliver", "page_type": "T", "description": "<p>By cargo bicycle.</p>"}`).Field("page_id")
	b := open(t, s, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("figcaption", "Orders per day")
	h := b.task(t)
	for _, text := range []string{"deliver", "bicycle"} {
		h.presses("/")
		h.waits(`document.activeElement.matches("site-search input")`, "the search")
		h.types(text)
		h.sees("site-search [role=option][aria-selected=true]", "Page")
		h.types(kb.Enter)
		h.sees("h1", "How we deliver")
		if at := evaluate[string](b, "location.hash"); at != "#/pages/"+id {
			t.Errorf("%s leads to %s", text, at)
		}
		h.click("nav a", "Orders")
		h.sees("h1", "Orders")
	}

	clerk := s.User("view_orders")
	c := open(t, s, desk, tall)
	c.signIn(clerk.Email, clerk.Key)
	c.sees("nav a", "Orders")
	loaded := c.traffic()
	h = c.task(t)
	h.presses("/")
	h.types("deliver")
	h.sees("site-search", "Nothing found")
	if _, refused, _ := loaded.read(); len(refused) > 0 {
		t.Errorf("the search asked for what is refused: %s", strings.Join(refused, ", "))
	}
	if heard := append(b.heard(), c.heard()...); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
