package respcache

import (
	"slices"
	"strings"
)

// canonicalQuery returns a query with the names of its parameter fields in ascending order,
// so that equal choices of fields share a response.
func canonicalQuery(query string) string {
	start := strings.Index(query, "fields=")
	if start < 0 || start > 0 && query[start-1] != '&' {
		return query
	}
	start += len("fields=")
	end := len(query)
	if n := strings.IndexByte(query[start:], '&'); n >= 0 {
		end = start + n
	}
	list := query[start:end]
	if strings.ContainsAny(list, "+ ") || isSorted(list) {
		return query
	}
	names := strings.Split(strings.NewReplacer("%2C", ",", "%2c", ",").Replace(list), ",")
	slices.Sort(names)
	return query[:start] + strings.Join(slices.Compact(names), ",") + query[end:]
}

// isSorted reports whether a list of names is in the canonical form already.
func isSorted(list string) bool {
	if strings.Contains(list, "%") {
		return false
	}
	last := ""
	for name := range strings.SplitSeq(list, ",") {
		if name <= last {
			return false
		}
		last = name
	}
	return true
}
