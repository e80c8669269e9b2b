package sqlite

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/internal/kept"
	"github.com/shopapi/shopapi/store/internal/sqltext"
)

// walk names an index along which the page is to be read, passing over rows that
// do not match; "" leaves the way to the engine.
//
// The engine knows nothing of how many rows match. Where a condition asks for one
// value of an indexed column it takes that index, and sorts all rows that it
// finds there: nearly the whole table, when the value is the usual one. Totals
// tell when a walk along the order meets enough matching rows sooner.
func (t *tx) walk(s *store.Schema, q *store.Query) (string, error) {
	if q.Limit <= 0 || t.state == nil {
		return "", nil
	}
	order, ok := kept.Ordered(s, q.Order)
	if !ok || len(order) == 0 || order[len(order)-1].Column == s.Key() {
		return "", nil
	}
	index, ok := detour(s, q.Where, order)
	if !ok {
		return "", nil
	}
	if _, ok := t.number(s); !ok {
		return "", nil // each look would count
	}
	matching, err := t.count(s, q.Where)
	if err != nil || matching == 0 {
		return "", err
	}
	all, err := t.count(s, nil)
	if err != nil {
		return "", err
	}
	met := int64(q.Offset+q.Limit) * all / matching
	if met > matching/2 {
		return "", nil
	}
	return sqltext.SQLite.IndexName(s, index), nil
}

// detour returns the index that has the order, when the engine would take another
// one that has not.
func detour(s *store.Schema, where []store.Cond, order []store.Order) (*store.Index, bool) {
	var equal []string
	for i := range where {
		if where[i].Op == store.OpEqual {
			equal = append(equal, where[i].Column)
		}
	}
	var ordered *store.Index
	attracted := false
	for i := range s.Indexes {
		x := &s.Indexes[i]
		rest := x.Columns
		for len(rest) > 0 && slices.Contains(equal, rest[0]) {
			rest = rest[1:]
		}
		isOrder := slices.EqualFunc(rest, order, func(column string, o store.Order) bool { return column == o.Column })
		switch found := len(rest) < len(x.Columns); {
		case found && isOrder:
			return nil, false
		case found:
			attracted = true
		case isOrder:
			ordered = x
		}
	}
	return ordered, attracted && ordered != nil
}
