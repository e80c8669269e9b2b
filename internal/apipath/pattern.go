package apipath

import (
	"fmt"
	"slices"
	"strings"
)

// A Pattern is the segments of an address below the entry point. A segment in braces matches
// any one segment, as in "jobs/{id}/errors".
type Pattern []string

// ParsePattern reads a pattern. Its first segment is a name, and each further one a name with
// braces or without them. It returns an error for other segments, and for too many.
func ParsePattern(address string) (Pattern, error) {
	p := Pattern(strings.Split(address, "/"))
	if len(p) > MaxSegments || !IsName(p[0]) || slices.ContainsFunc(p, func(s string) bool { return !IsName(unbraced(s)) }) {
		return nil, fmt.Errorf("%q is not an address of at most %d segments, each a name or a {name}", address, MaxSegments)
	}
	return p, nil
}

// unbraced returns a segment without the braces around it.
func unbraced(s string) string {
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		if name, ok := strings.CutSuffix(inner, "}"); ok {
			return name
		}
	}
	return s
}

// Match compares an address with the pattern, and returns the segments that the braces match.
func (p Pattern) Match(segments []string) (values []string, ok bool) {
	if len(segments) != len(p) {
		return nil, false
	}
	for i, s := range p {
		switch {
		case s[0] == '{':
			values = append(values, segments[i])
		case s != segments[i]:
			return nil, false
		}
	}
	return values, true
}
