package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi/store/memory"
)

// TestConsole_E12_ConflictOfNotes: a note that somebody else wrote meanwhile is shown, and replaced
// once the user saves again.
func TestConsole_E12_ConflictOfNotes(t *testing.T) {
	t.Parallel()
	s := newStaffShop(t)
	details := func() string { return s.Get("/api/2.0/orders/1").Field("details") }
	b := openSignedIn(t, s, "Orders")
	b.visit("#/orders/1")
	b.sees("h2", "Notes")
	s.Put("/api/2.0/orders/1", `{"details": "Theirs."}`)
	b.set("#details", "Mine.")
	b.click("button", "Save note")
	b.sees("[aria-labelledby=notes] .problem", "Somebody changed this meanwhile to “Theirs.”")
	if got, typed := details(), b.value("#details"); got != "Theirs." || typed != "Mine." {
		t.Errorf("the note is %q, and the form has %q", got, typed)
	}
	b.click("button", "Save note")
	b.sees("#status", "Saved")
	if got := details(); got != "Mine." {
		t.Errorf("saved again, the note is %q", got)
	}
	s.Put("/api/2.0/orders/1", `{"notes": "Please ring."}`)
	b.do(chromedp.Evaluate(`document.getElementById("status").replaceChildren()`, nil))
	b.set("#details", "Mine again.")
	b.click("button", "Save note")
	b.sees("#status", "Saved")
	if got := details(); got != "Mine again." {
		t.Errorf("after a change of another field the note is %q", got)
	}
}

// TestConsole_E12_ConflictOfTexts: the texts in all languages show what somebody else changed
// meanwhile, and say so where the API cannot be reached.
func TestConsole_E12_ConflictOfTexts(t *testing.T) {
	t.Parallel()
	s := newMug(t, memory.New())
	s.Post("/api/2.0/languages", `{"lang_code": "de", "name": "Deutsch"}`)
	name := func(code string) string { return s.Get("/api/2.0/categories/1?sl=" + code).Field("category") }
	g := &gate{api: s.API}
	b := openOn(t, s, g, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("nav a", "Products")
	b.visit("#/categories/1")
	b.click("summary", "Texts in all languages")
	b.sees("th", "Deutsch")
	s.Put("/api/2.0/categories/1?sl=de", `{"category": "Becher"}`)
	b.set(`[name="de/category"]`, "Tassen")
	b.set(`[name="en/category"]`, "Mugs")
	b.click("button", "Save all languages")
	b.sees(".texts .problem", "Deutsch: Category: Somebody changed this meanwhile to “Becher”")
	if got, typed := name("de"), b.value(`[name="de/category"]`); got != "Becher" || typed != "Tassen" {
		t.Errorf("the category is called %q, and the form has %q", got, typed)
	}
	g.set(lost)
	b.click("button", "Save all languages")
	b.sees(".texts .problem", "cannot be reached")
	g.clear()
	b.click("button", "Save all languages")
	b.sees("#status", "Saved")
	if de, en := name("de"), name("en"); de != "Tassen" || en != "Mugs" {
		t.Errorf("saved again, the category is called %q and %q", de, en)
	}
}
