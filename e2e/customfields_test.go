package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// TestConsole_E13_FormOfCustomFields: staff clears a flag and a choice of the host's own, and types a
// text of several lines.
func TestConsole_E13_FormOfCustomFields(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{CustomFields: map[string][]shopapi.CustomField{"taxes": {
		{Name: "x_flag", Type: shopapi.CustomFlag}, {Name: "x_season", Type: shopapi.CustomOneOf, OneOf: []string{"summer", "winter"}},
		{Name: "x_story", Type: shopapi.CustomText, Length: 5000},
	}}}})
	s.Post("/api/2.0/taxes", `{"tax": "VAT"}`)
	b := openSignedIn(t, s, "Taxes")
	b.goTo("#/taxes/1")
	b.sees("h1", "VAT")
	for _, typed := range [][3]string{{"Y", "winter", "One.\nTwo."}, {"N", "summer", "One."}, {"", "", ""}} {
		for i, name := range []string{"x_flag", "x_season", "x_story"} {
			b.set("#field-"+name, typed[i])
		}
		b.do(chromedp.Evaluate(`document.getElementById("status").replaceChildren()`, nil))
		b.click("button", "Save")
		b.sees("#status", "Saved.")
		var got struct {
			Flag   string `json:"x_flag"` // "" for null
			Season string `json:"x_season"`
			Story  string `json:"x_story"`
		}
		s.Get("/api/2.0/taxes/1").Decode(&got)
		if stored := [3]string{got.Flag, got.Season, got.Story}; stored != typed {
			t.Errorf("typed %q, stored %q", typed, stored)
		}
	}
}

// set gives a control a value, as a user who types it.
func (b *browser) set(selector, value string) {
	b.t.Helper()
	b.do(chromedp.WaitReady(selector, chromedp.ByQuery))
	evaluate[bool](b, fmt.Sprintf(`(e => { e.value = %q; return ["input", "change"].every(name => e.dispatchEvent(new Event(name, { bubbles: true }))) })(document.querySelector(%q))`, value, selector))
}
