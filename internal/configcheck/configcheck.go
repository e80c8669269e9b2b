// Package configcheck finds mistakes in the options of a host.
package configcheck

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/cors"
)

// Mistakes collects mistakes in options. Prefix comes before the names of the options.
type Mistakes struct {
	Prefix string
	Found  []error
}

// Add adds the mistake of an option.
func (m *Mistakes) Add(format string, args ...any) {
	m.Found = append(m.Found, fmt.Errorf(m.Prefix+format, args...))
}

// Negative adds the integers of a struct, and of structs in it, that are below 0, except some by
// name.
func (m *Mistakes) Negative(name string, v any, except ...string) {
	s := reflect.ValueOf(v)
	for i := range s.NumField() {
		field := s.Type().Field(i).Name
		if f := s.Field(i); f.CanInt() && f.Int() < 0 && !slices.Contains(except, field) {
			m.Add("%s%s must not be negative: it is %d", name, field, f.Int())
		}
	}
}

// Proxies adds prefixes that match no address.
func (m *Mistakes) Proxies(name string, prefixes []netip.Prefix) {
	for _, p := range prefixes {
		switch {
		case !p.IsValid():
			m.Add("%s has %v", name, p)
		case p.Addr().Is4In6():
			m.Add("%s has %v: write an address of IPv4 as such, without the prefix ::ffff: of IPv6", name, p)
		}
	}
}

// Header adds a text that is not the name of a header, unless it is empty.
func (m *Mistakes) Header(name, header string) {
	if strings.Trim(header, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		m.Add("%s is %q, which is not the name of a header", name, header)
	}
}

// Origins adds texts that are not origins of sites.
func (m *Mistakes) Origins(name string, origins []string) {
	for _, origin := range origins {
		if err := cors.CheckOrigin(origin); err != nil {
			m.Add("%s has an %w", name, err)
		}
	}
}

// Word adds a text that is not one word.
func (m *Mistakes) Word(name, text string) {
	if fields := strings.Fields(text); len(fields) != 1 || fields[0] != text {
		m.Add("%s must be one word: it is %q", name, text)
	}
}
