package store_test

import (
	"testing"
	"unicode/utf8"

	"github.com/shopapi/shopapi/store"
	"golang.org/x/text/unicode/norm"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"Green TEA 100%", "green tea 100%"},
		{"@[`{", "@[`{"},
		{"Straße", "strasse"},
		{"STRASSE", "strasse"},
		{"STRAẞE", "strasse"},
		{"CAFÉ", "café"},
		{"CAFE\u0301", "café"},
		{"cafe", "cafe"},
		{"ЖУК", "жук"},
		{"ΣΊΣΥΦΟΣ", "σίσυφοσ"},
		{"ᾼ", "αι"},
		{"α\u0345\u0301", "άι"},
		{"α\u0301\u0345", "άι"},
		{"İ", "i\u0307"},
		{"ﬁx", "fix"},
		{"日本語", "日本語"},
		{"Ꭰꭰᏸ", "ᎠᎠᏰ"},
		{"Å\u212b", "åå"},
	} {
		if got := store.Fold(c.in); got != c.want {
			t.Errorf("Fold(%q) is %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"", "Straße", "CAFE\u0301", "α\u0345\u0301", "ΣΊΣΥΦΟΣ", "\u1e9e\u0323\u0307", "가각\u11a8", "\xff\xc3", "İ\u0345", "Ꭰꭰᏸ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := store.Fold(s)
		if again := store.Fold(folded); again != folded {
			t.Errorf("Fold(%q) is %q, folded again %q", s, folded, again)
		}
		if !utf8.ValidString(s) {
			return
		}
		if !utf8.ValidString(folded) {
			t.Errorf("Fold(%q) is no valid text: %q", s, folded)
		}
		for _, form := range []norm.Form{norm.NFC, norm.NFD} {
			if got := store.Fold(form.String(s)); got != folded {
				t.Errorf("%q folds to %q, composed otherwise to %q", s, folded, got)
			}
		}
	})
}
