package batch

import (
	"net/url"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/plain"
)

// An Address is the url of a member.
type Address struct {
	Segments []string // decoded
	Literal  []bool   // by segment: a reference filled it in, and it is never read as a code
	Query    url.Values

	refs      map[int]Reference // of Segments
	queryRefs []queryReference
}

// A queryReference is a query value that is a reference.
type queryReference struct {
	name  string
	index int
	Reference
}

// Path is the address as a path, percent-encoded.
func (a *Address) Path() string {
	encoded := make([]string, len(a.Segments))
	for i, s := range a.Segments {
		encoded[i] = url.PathEscape(s)
	}
	return strings.Join(encoded, "/")
}

// parseAddress reads a url. The problem is "" for one of good form.
func parseAddress(text string, refs bool) (a Address, problem string) {
	path, query, _ := strings.Cut(text, "?")
	switch {
	case path == "":
		return a, "is required: an address below /api/2.0/, such as products/41"
	case path[0] == '/':
		return a, "must begin with the name of an entity, not with a slash"
	case strings.ContainsAny(text, "#\\"):
		return a, "must be without fragment and backslash"
	case !plain.IsText(text):
		return a, "must be valid UTF-8 without NUL characters"
	}
	for i, raw := range strings.Split(path, "/") {
		s, err := url.PathUnescape(raw)
		if err != nil {
			return a, "must be percent-encoded"
		}
		if i == 0 && strings.Contains(s, ":") {
			return a, "must be an address below /api/2.0/ without scheme and host"
		}
		if problem := badSegment(s); problem != "" {
			return a, problem
		}
		if ref, ok := parseReference(s); refs && ok {
			if a.refs == nil {
				a.refs = map[int]Reference{}
			}
			a.refs[i] = ref
		}
		a.Segments = append(a.Segments, s)
	}
	a.Literal = make([]bool, len(a.Segments))
	var err error
	if a.Query, err = url.ParseQuery(query); err != nil {
		return a, "must have a query of name=value pairs joined by &, percent-encoded"
	}
	delete(a.Query, "_d")
	for name, values := range a.Query {
		for i, value := range values {
			if !plain.IsText(name) || !plain.IsText(value) {
				return a, "must be valid UTF-8 without NUL characters"
			}
			if ref, ok := parseReference(value); refs && ok {
				a.queryRefs = append(a.queryRefs, queryReference{name, i, ref})
			}
		}
	}
	return a, a.refused()
}

func badSegment(s string) string {
	switch {
	case s == "" || s == "." || s == "..":
		return "must be without empty segments, . and .."
	case !plain.IsText(s):
		return "must be valid UTF-8 without NUL characters"
	}
	return ""
}

// refusedNames are the first segments of addresses that cannot be in a batch.
var refusedNames = []string{"batch", "auth", "changes", "jobs", "webhooks", "images"}

// refusedEntities are the refused names that may also follow a parent, as in stores/1/webhooks.
// The others are endpoints.
var refusedEntities = []string{"auth", "webhooks"}

// refused returns why the address cannot be in a batch, "" where it can.
func (a *Address) refused() string {
	for i := 0; i < len(a.Segments); i += 2 { // ids are between the names
		name := a.Segments[i]
		if i == 0 && slices.Contains(refusedNames, name) || slices.Contains(refusedEntities, name) ||
			i > 0 && name == "keys" && a.Segments[i-2] == "users" {
			return "must not be an address of " + name + ": send it alone"
		}
	}
	return ""
}
