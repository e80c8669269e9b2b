// Package jsontext looks at JSON texts that clients sent before encoding/json does.
package jsontext

import (
	"fmt"
	"strings"
)

// maxDepth is how deep a body may nest.
const maxDepth = 100

// A body may have maxNodes values in all, and maxContainers objects and arrays, or one in
// so many bytes of a long body. Each takes some hundred bytes once it is parsed.
const (
	maxNodes, nodeBytes           = 60_000, 16
	maxContainers, containerBytes = 25_000, 40
)

// An Error is a sentence for the client.
type Error string

func (e Error) Error() string { return string(e) }

// The errors of [Check] about one text of a body.
const (
	ErrNUL      = Error("The body holds a NUL character, which no field may have.")
	ErrHalfPair = Error("The body holds half of a surrogate pair, which is no character.")
)

// IsEmpty reports whether a body, without the space around it, holds nothing (§4):
// no text, null, or an object or array without members.
func IsEmpty(text string) bool {
	switch {
	case text == "" || text == "null":
		return true
	case text[0] == '[' && text[len(text)-1] == ']', text[0] == '{' && text[len(text)-1] == '}':
		return strings.TrimSpace(text[1:len(text)-1]) == ""
	}
	return false
}

// Nodes estimates the number of values in a body without parsing it: it counts commas,
// ampersands and opening brackets, also inside texts.
func Nodes(body []byte) int {
	n := 0
	for _, c := range body {
		if c == ',' || c == '{' || c == '[' || c == '&' {
			n++
		}
	}
	return min(n, max(maxNodes+maxContainers, len(body)/nodeBytes+len(body)/containerBytes))
}

// Check refuses what encoding/json would let pass or change: too many values, nesting beyond
// reason, escaped NUL characters, and half surrogate pairs, which it would replace.
// The error is an [Error].
func Check(body []byte) error {
	depth, inString := 0, false
	nodes, containers := max(maxNodes, len(body)/nodeBytes), max(maxContainers, len(body)/containerBytes)
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			size, err := checkEscape(body[i:])
			if err != nil {
				return err
			}
			i += size - 1
		case c == '"':
			inString = !inString
		case inString:
		case c == ',':
			if nodes--; nodes < 0 {
				return Error(fmt.Sprintf("The body has more than %d values.", max(maxNodes, len(body)/nodeBytes)))
			}
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return Error(fmt.Sprintf("The body is nested more than %d levels deep.", maxDepth))
			}
			if containers--; containers < 0 {
				return Error(fmt.Sprintf("The body has more than %d objects and arrays.", max(maxContainers, len(body)/containerBytes)))
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// checkEscape reads one escape sequence, two for a surrogate pair, and returns
// its length. Malformed ones are left to the JSON parser.
func checkEscape(s []byte) (int, error) {
	unit, ok := unicodeEscape(s)
	switch {
	case !ok:
		return min(2, len(s)), nil
	case unit == 0:
		return 0, ErrNUL
	case unit < 0xD800 || unit > 0xDFFF:
		return 6, nil
	}
	if low, ok := unicodeEscape(s[6:]); ok && unit < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF {
		return 12, nil
	}
	return 0, ErrHalfPair
}

func unicodeEscape(s []byte) (uint16, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var unit uint16
	for _, c := range s[2:6] {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 {
			return 0, false
		}
		unit = unit<<4 | uint16(d)
	}
	return unit, true
}
