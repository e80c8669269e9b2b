package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// TestConsole_E13_CustomerFields: the form of a user shows the host's own fields of addresses beside
// the address, changes and clears them, and an undo restores them.
func TestConsole_E13_CustomerFields(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{CustomerFields: []shopapi.CustomField{
		{Name: "b_tax_number", Type: shopapi.CustomText, Length: 30},
		{Name: "s_kind", Type: shopapi.CustomOneOf, OneOf: []string{"house", "flat"}},
	}}})
	s.Post("/api/2.0/users", `{"user_type": "C", "email": "lee@example.org", "b_tax_number": "NO 12", "s_kind": "flat"}`)
	b := openSignedIn(t, s, "Users")
	b.goTo("#/users/2")
	b.click("summary", "Billing address")
	b.sees("label", "Billing tax number")
	for _, test := range []struct{ name, number, kind, fields string }{
		{"as it is", "NO 12", "flat", `{"b_tax_number":"NO 12","s_kind":"flat"}`},
		{"changed", "NO 13", "house", `{"b_tax_number":"NO 13","s_kind":"house"}`},
		{"cleared", "", "", `[]`},
	} {
		b.set("#field-b_tax_number", test.number)
		b.set("#field-s_kind", test.kind)
		b.clearStatus()
		b.click("button", "Save")
		if test.name == "as it is" {
			b.sees("#status", "Nothing was changed.")
		} else {
			b.sees("#status", "Saved.")
		}
		if number, kind := b.value("#field-b_tax_number"), b.value("#field-s_kind"); number != test.number || kind != test.kind {
			t.Errorf("%s: the form has %q and %q", test.name, number, kind)
		}
		if got := s.Get("/api/2.0/users/2").Body; !strings.Contains(got, `"fields":`+test.fields) {
			t.Errorf("%s: the user is %s, want the fields %s", test.name, got, test.fields)
		}
	}
	b.click("#status button", "Undo")
	b.sees("#status", "Undone")
	if number, kind := b.value("#field-b_tax_number"), b.value("#field-s_kind"); number != "NO 13" || kind != "house" {
		t.Errorf("after undo the form has %q and %q", number, kind)
	}
}

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
		b.clearStatus()
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

// set types a value into a control.
func (b *browser) set(selector, value string) {
	b.t.Helper()
	b.do(chromedp.WaitReady(selector, chromedp.ByQuery))
	evaluate[bool](b, fmt.Sprintf(`(e => { e.value = %q; return ["input", "change"].every(name => e.dispatchEvent(new Event(name, { bubbles: true }))) })(document.querySelector(%q))`, value, selector))
}
