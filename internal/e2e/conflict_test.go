package e2e

import (
	"strings"
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
	b.clearStatus()
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

// TestConsole_E12_ConflictOfImages: an image is added although somebody else changed other fields
// meanwhile. A field of the form that both changed keeps what was typed, and shows both values when it is saved.
func TestConsole_E12_ConflictOfImages(t *testing.T) {
	t.Parallel()
	s := newMug(t, memory.New())
	b := openSignedIn(t, s, "Products")
	b.visit("#/products/1")
	b.sees("h1", "Clay mug")
	add := func(address string) {
		b.set("#image-address", address)
		b.click("button", "Add by address")
	}
	b.set("#field-price", "12")
	s.Put("/api/2.0/products/1", `{"price": "15"}`)
	add("/drawing.svg")
	b.sees("#status", "Saved")
	if body := s.Get("/api/2.0/products/1").Body; !strings.Contains(body, "/drawing.svg") {
		t.Errorf("the product is %s", body)
	}
	if typed := b.value("#field-price"); typed != "12" {
		t.Errorf("after the image was added the form has the price %q", typed)
	}
	b.click("#change button", "Save")
	b.sees("#field-price-error", "“15.00”")
	if price := mug(s, "price"); price != "15.00" {
		t.Errorf("the price is %s", price)
	}
	s.Put("/api/2.0/products/1", `{"image_pairs": [{"detailed": {"image_path": "/theirs.svg"}}]}`)
	add("/mine.svg")
	b.sees(".pictures-editor .problem", "Somebody changed the images meanwhile")
	add("/mine.svg")
	b.do(chromedp.WaitNotPresent(".pictures-editor .problem"))
	b.do(chromedp.Poll(`document.querySelectorAll(".pictures-editor li").length === 3`, nil))
	if body := s.Get("/api/2.0/products/1").Body; !strings.Contains(body, "/theirs.svg") || !strings.Contains(body, "/mine.svg") {
		t.Errorf("with the images of both the product is %s", body)
	}
}

// TestConsole_E12_ReviewWithoutNetwork: a review that cannot be approved says so.
func TestConsole_E12_ReviewWithoutNetwork(t *testing.T) {
	t.Parallel()
	s := newMug(t, memory.New())
	if a := s.Post("/api/2.0/products/1/discussions", `{"name": "Ana", "message": "Fine.", "rating_value": 5, "status": "D"}`); a.Status != 201 {
		t.Fatal(a.Body)
	}
	g := &gate{api: s.API}
	b := openOn(t, s, g, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("nav a", "Products")
	b.visit("#/discussions/1")
	g.set(lost)
	b.click("button", "Approve")
	b.sees(".problem", "cannot be reached")
	g.clear()
	b.click("button", "Approve")
	b.sees("h1 .chip", "Active")
}
