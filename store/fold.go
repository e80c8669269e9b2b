package store

import (
	"strings"
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
			return norm.NFC.String(cases.Fold().String(s))
		}
	}
	return strings.ToLower(s)
}
