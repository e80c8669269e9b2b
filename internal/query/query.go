// Package query reads the parameters of an address (§1, §4).
package query

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi/internal/form"
	"github.com/shopapi/shopapi/internal/plain"
)

// Filter returns the parameters of a list: parameters of the address itself and empty ones
// are left out, arrays become repeated parameters.
func Filter(query url.Values) url.Values {
	var filter url.Values
	for _, key := range slices.Sorted(maps.Keys(query)) { // so that repeats keep one order
		name := form.PlainName(key)
		if name == "_d" || name == "ajax_custom" {
			continue
		}
		for _, v := range query[key] {
			if v == "" {
				continue
			}
			if filter == nil {
				filter = url.Values{}
			}
			filter.Add(name, v)
		}
	}
	return filter
}

// Malformed returns the names of parameters that are not valid UTF-8 without NUL characters,
// in their order: a query has no order once it is read.
func Malformed(query url.Values) []string {
	var names []string
	for name, values := range query {
		if !plain.IsText(name) || slices.ContainsFunc(values, func(v string) bool { return !plain.IsText(v) }) {
			names = append(names, plain.Short(form.PlainName(name)))
		}
	}
	slices.Sort(names)
	return names
}

// Last returns the last value of a parameter, "" for none.
func Last(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// Positive reads a whole number from 1. Otherwise it returns the problem of the text.
func Positive(s string) (n int64, problem string) {
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && s[0] != '+':
		return 0, fmt.Sprintf("must be a whole number from 1 to %d, not %s", int64(math.MaxInt64), plain.Quoted(s))
	case err != nil || n < 1 || s[0] == '+':
		return 0, "must be a whole number from 1, not " + plain.Quoted(s)
	}
	return n, ""
}
