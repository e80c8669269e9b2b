package plain_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/plain"
)

func TestIsText(t *testing.T) {
	for s, want := range map[string]bool{"": true, "Tasse à café": true, "a\x00b": false, "\xff": false, "\xed\xa0\x80": false} {
		if got := plain.IsText(s); got != want {
			t.Errorf("%q: got %v, want %v", s, got, want)
		}
	}
}

func TestQuoted_IsShortAndPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"a\n\"b\"":               `"a\n\"b\""`,
		"\xff":                   `"\xff"`,
		strings.Repeat("ä", 60):  `"` + strings.Repeat("ä", 60) + `"`,
		strings.Repeat("ä", 61):  `"` + strings.Repeat("ä", 60) + `…"`,
		strings.Repeat("x", 1e6): `"` + strings.Repeat("x", 60) + `…"`,
	} {
		if got := plain.Quoted(s); got != want {
			t.Errorf("%.80q: got %s, want %s", s, got, want)
		}
	}
}
