package shopapi

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/shopapi/shopapi/internal/structfields"
)

// deprecations returns when the parameters of a filter were deprecated, by name: the date
// in the tag deprecated of their fields.
func deprecations(filter reflect.Type) (map[string]time.Time, error) {
	if filter == nil {
		return nil, nil
	}
	var list map[string]time.Time
	for _, f := range structfields.Of(filter) {
		tag := f.Tag.Get("deprecated")
		if tag == "" {
			continue
		}
		at, err := time.Parse(time.DateOnly, tag)
		if err != nil {
			return nil, fmt.Errorf("shopapi: the tag deprecated of %s is not a date: %w", f.Name, err)
		}
		if list == nil {
			list = map[string]time.Time{}
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		list[name] = at
	}
	return list, nil
}

// addDeprecation adds the header Deprecation (RFC 9745) to the response to a list that was
// asked for by a deprecated parameter.
func (e *entry) addDeprecation(resp *response, filter url.Values) {
	var first time.Time
	for name, at := range e.deprecated {
		if filter.Has(name) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if !first.IsZero() {
		resp.add("Deprecation", fmt.Sprintf("@%d", first.Unix()))
	}
}
