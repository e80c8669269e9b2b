// Package accept reads header fields that are lists of elements with parameters,
// Accept above all (RFC 9110 §12.5.1).
package accept

import (
	"strconv"
	"strings"
)

// Quality returns the weight that an Accept header gives to a media type, by the
// most specific range that names it; -1 when none does.
func Quality(header, wantType, wantSubtype string) float64 {
	best, weight := -1, -1.0
	for _, element := range Split(header, ',') {
		parts := Split(element, ';')
		mediaType, subtype, ok := strings.Cut(strings.TrimSpace(parts[0]), "/")
		if !ok {
			continue
		}
		specificity := 2
		switch {
		case strings.EqualFold(mediaType, wantType) && strings.EqualFold(subtype, wantSubtype):
		case strings.EqualFold(mediaType, wantType) && subtype == "*":
			specificity = 1
		case mediaType == "*" && subtype == "*":
			specificity = 0
		default:
			continue
		}
		q, plain, valid := parameters(parts[1:])
		if !valid || !plain {
			continue
		}
		if specificity > best || specificity == best && q > weight {
			best, weight = specificity, q
		}
	}
	return weight
}

// cut returns an Accept header without the elements that name a media type itself, and
// whether one of them accepts it.
func cut(header, mediaType string) (rest string, accepted bool) {
	var others []string
	for _, element := range Split(header, ',') {
		parts := Split(element, ';')
		if !strings.EqualFold(strings.TrimSpace(parts[0]), mediaType) {
			others = append(others, element)
			continue
		}
		q, _, valid := parameters(parts[1:])
		accepted = accepted || valid && q > 0
	}
	return strings.Join(others, ","), accepted
}

// parameters reads the parameters of a media range: its weight, and whether it
// has no others than that and the charset, which responses have anyway.
func parameters(parts []string) (q float64, plain, valid bool) {
	q = 1
	for _, part := range parts {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch value = strings.Trim(value, `"`); {
		case strings.EqualFold(name, "q"):
			n, err := strconv.ParseFloat(value, 64)
			if err != nil || !(n >= 0 && n <= 1) {
				return 0, false, false
			}
			return n, true, true // the remaining parameters are extensions of Accept
		case name == "" || strings.EqualFold(name, "charset") && strings.EqualFold(value, "utf-8"):
		default:
			return 0, false, true
		}
	}
	return q, true, true
}

// Split splits a header at separators outside quotation marks.
func Split(s string, separator byte) []string {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == separator && !quoted:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}
