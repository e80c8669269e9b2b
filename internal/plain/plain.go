// Package plain looks at texts that clients sent: whether they are fit to be
// stored, and how a message may show them.
package plain

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// IsText reports whether s is valid UTF-8 without NUL characters.
func IsText(s string) bool {
	return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
}

// Quoted shows a client's value in a message.
func Quoted(s string) string { return strconv.Quote(Short(s)) }

// Short cuts what a client sent to a length that a log and a screen can bear.
func Short(s string) string {
	const most = 60
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}
