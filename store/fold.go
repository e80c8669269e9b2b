package store

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s in which texts that differ only in case, or in
// how their accents are composed, are the same bytes: "Straße" and "STRASSE"
// both become "strasse". Accents themselves stay.
func Fold(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return fold(s)
		}
	}
	return strings.ToLower(s)
}

func fold(s string) string {
	// Decompose first: the Greek iota below becomes a separate letter, and must follow
	// all accents.
	s = cases.Fold().String(norm.NFD.String(s))
	return norm.NFC.String(strings.Map(foldCherokee, s))
}

// foldCherokee reverts the case folding of Cherokee by package cases, which swaps the
// cases of this script, whose letters fold to capitals, instead of joining them.
func foldCherokee(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return unicode.ToUpper(r)
	}
	return r
}
