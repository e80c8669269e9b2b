package apipath

import (
	"cmp"
	"fmt"
	"slices"
)

// Routes find values by addresses with patterns. The zero value has none.
type Routes[E any] struct {
	list     []route[E]
	reserved map[string]bool // first segments, which nothing else can have as its name
}

type route[E any] struct {
	address string
	pattern Pattern
	at      E
}

// Add registers e at an address. It returns an error for an address that cannot be one, or
// that is registered already.
func (r *Routes[E]) Add(address string, e E) error {
	pattern, err := ParsePattern(address)
	if err != nil {
		return fmt.Errorf("an endpoint: %w", err)
	}
	if slices.ContainsFunc(r.list, func(o route[E]) bool { return o.address == address }) {
		return fmt.Errorf("the address %s is registered already", address)
	}
	r.list = append(r.list, route[E]{address, pattern, e})
	return nil
}

// Reserve reserves the first segment of an address.
func (r *Routes[E]) Reserve(address string) {
	if r.reserved == nil {
		r.reserved = map[string]bool{}
	}
	r.reserved[First(address)] = true
}

// First returns the first segment of an address.
func First(address string) string {
	for i := range len(address) {
		if address[i] == '/' {
			return address[:i]
		}
	}
	return address
}

// Reserved reports whether a first segment is reserved.
func (r *Routes[E]) Reserved(name string) bool { return r.reserved[name] }

// Cede removes the value at the address name, unless that is reserved.
func (r *Routes[E]) Cede(name string) {
	r.list = slices.DeleteFunc(r.list, func(o route[E]) bool { return o.address == name && !r.reserved[name] })
}

// All returns the registered values in the order of the addresses.
func (r *Routes[E]) All() []E {
	sorted := slices.SortedFunc(slices.Values(r.list), func(a, b route[E]) int { return cmp.Compare(a.address, b.address) })
	list := make([]E, 0, len(sorted))
	for _, o := range sorted {
		list = append(list, o.at)
	}
	return list
}

// Find returns the value registered at an address, and the segments that its braces match.
func (r *Routes[E]) Find(segments []string) (e E, values []string, ok bool) {
	for _, o := range r.list {
		if values, ok := o.pattern.Match(segments); ok {
			return o.at, values, true
		}
	}
	return e, nil, false
}

// TakesSegment reports whether an address at which something is registered may go on: its last
// segment is in braces, or there are others below it.
func (r *Routes[E]) TakesSegment(segments []string) bool {
	found := false
	return slices.ContainsFunc(r.list, func(o route[E]) bool {
		p := o.pattern
		if len(p) < len(segments) {
			return false
		}
		_, ok := p[:len(segments)].Match(segments)
		if len(p) > len(segments) || !ok || found {
			return ok && len(p) > len(segments)
		}
		found = true // the first one answers
		return p[len(p)-1][0] == '{'
	})
}
