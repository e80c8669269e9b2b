package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi/apitest"
)

// TestConsole_E12_UndoFromAnotherPage: a change is undone in its object and language, whichever
// page is shown, and the form of that page keeps its values.
func TestConsole_E12_UndoFromAnotherPage(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, nil)
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	s.Post("/api/2.0/categories", `{"category": "Vases"}`)
	s.Post("/api/2.0/languages", `{"lang_code": "de", "name": "Deutsch"}`)
	s.Put("/api/2.0/categories/1?sl=de", `{"category": "Becher"}`)
	b := openSignedIn(t, s, "Categories")
	for _, c := range []struct{ name, next, title string }{
		{"another object", "#/categories/2?sl=de", "Vases"},
		{"another language", "#/categories/1?sl=en", "Cups"},
	} {
		b.visit("#/categories/1?sl=de")
		b.sees("h1", "Becher")
		b.do(chromedp.SetValue("#field-category", "Tassen", chromedp.ByQuery))
		b.click("button", "Save")
		b.sees("#status", "Saved")
		b.visit(c.next)
		b.sees("h1", c.title)
		b.click("#status button", "Undo")
		b.sees("#status", "Undone")
		if got := b.value("#field-category"); got != c.title {
			t.Errorf("%s: the form of the page has %q, want %q", c.name, got, c.title)
		}
		for address, want := range map[string]string{"1?sl=de": "Becher", "1?sl=en": "Cups", "2": "Vases"} {
			if got := s.Get("/api/2.0/categories/" + address).Field("category"); got != want {
				t.Errorf("%s: categories/%s is called %q, want %q", c.name, address, got, want)
			}
		}
	}
}
