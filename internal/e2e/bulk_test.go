package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// TestE12_Bulk: ticked rows are changed and deleted by one request where the API takes batches,
// else one by one. A row that is refused stays ticked, with the reason.
func TestE12_Bulk(t *testing.T) {
	t.Parallel()
	for name, on := range map[string]bool{"batch": true, "one by one": false} {
		t.Run(name, func(t *testing.T) {
			o := everything()
			o.Batch = on
			testBulk(t, o)
		})
	}
}

func testBulk(t *testing.T, o *shop.Options) {
	s := newShopWith(t, o)
	for i := range 3 {
		if a := s.Post("/api/2.0/users", fmt.Sprintf(`{"email": "old%d@example.com", "user_type": "C"}`, i)); a.Status != 201 {
			t.Fatal(a.Body)
		}
	}
	b := openSignedIn(t, s, "Users")
	b.visit("#/users?email=old")
	h := b.task(t)
	h.waits(`document.querySelectorAll("tbody tr").length === 3`, "three users")
	loaded := b.traffic()
	rows := func(n int) int { // requests for so many rows, beside batches
		if o.Batch {
			return 0
		}
		return n
	}
	sent := func(batches, singles int) {
		t.Helper()
		requests, _, _ := loaded.read()
		together := 0
		for _, r := range requests {
			switch {
			case r == "POST /api/2.0/batch":
				together++
			case !strings.HasPrefix(r, "GET"):
				singles--
			}
		}
		if singles != 0 || o.Batch && together != batches || !o.Batch && together > 0 {
			t.Errorf("the page sent %s", requests)
		}
	}
	h.click("thead .tick input", "")
	h.choose(".bulk select", "email")
	h.click("#bulk-email", "")
	h.types("new@example.com")
	h.click(".bulk button", "Change 3")
	h.sees("#status", "2 were refused")
	h.sees(".bulk [role=alert]", "mail")
	h.sees(".bulk strong", "2 ticked")
	sent(1, rows(3))
	h.click(".bulk button", "Delete")
	h.click("dialog button", "Delete")
	h.sees("#status", "Saved")
	sent(2, rows(3+2))
	if a := s.Get("/api/2.0/users?email=new@example.com").Body; !strings.Contains(a, `"total_items":"1"`) {
		t.Errorf("the users with the new address are %s", a)
	}
	if a := s.Get("/api/2.0/users?email=old").Body; !strings.Contains(a, `"total_items":"0"`) {
		t.Errorf("the other users are %s", a)
	}
}

// TestE12_ListInALanguage: ticked rows are changed, and a list is exported, in the language of the page.
func TestE12_ListInALanguage(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{Batch: true, Export: true})
	s.Post("/api/2.0/languages", `{"lang_code": "de", "name": "Deutsch"}`)
	s.Post("/api/2.0/taxes", `{"tax": "Sales tax"}`)
	b := openSignedIn(t, s, "Taxes")
	b.visit("#/taxes?sl=de")
	b.sees("th.label", "Sales tax")
	evaluate[bool](b, `document.querySelector("thead .tick input").click() === undefined`)
	b.set(".bulk select", "tax")
	b.set("#bulk-tax", "Steuer")
	b.click(".bulk button.primary", "Change")
	b.sees("#status", "Saved")
	for code, want := range map[string]string{"de": "Steuer", "en": "Sales tax"} {
		if got := s.Get("/api/2.0/taxes/1?sl=" + code).Field("tax"); got != want {
			t.Errorf("%s: the tax is called %q, want %q", code, got, want)
		}
	}
	b.do(chromedp.Evaluate(`window.file = ""; URL.createObjectURL = (blob) => { blob.text().then((text) => { window.file = text; }); return "data:,"; }`, nil))
	b.click("button", "Export as CSV")
	b.do(chromedp.Poll(`window.file !== ""`, nil))
	if file := evaluate[string](b, "window.file"); !strings.Contains(file, "Steuer") || strings.Contains(file, "Sales tax") {
		t.Errorf("the file is %s", file)
	}
}
