package sqlite

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
	"github.com/shopapi/shopapi/store/internal/kept"
)

// A way is how the engine is told to find the rows of a page: text that follows
// the name of the table.
type way string

const (
	anyWay way = ""             // as the engine likes
	scan   way = " NOT INDEXED" // through the whole table, then sort
)

// along is the way along the order of an index, passing over rows that do not
// match.
func along(s *store.Schema, x *store.Index) way {
	return way(" INDEXED BY " + quote(sqltext.SQLite.IndexName(s, x)))
}

// way returns how a page is to be read.
//
// The engine knows nothing of how many rows match. Where a condition asks for one
// value of an indexed column, it takes that index and sorts all rows that it
// finds there: nearly the whole table, when the value is the usual one. Where no
// condition has an index, it walks along the order and looks at each row wherever
// it lies: ten times as slow as a scan, when next to none match. Totals tell which
// is shorter.
func (t *tx) way(s *store.Schema, q *store.Query) (way, error) {
	if q.Limit <= 0 || len(q.Where) == 0 || t.state == nil {
		return anyWay, nil
	}
	order, ok := kept.Ordered(s, q.Order)
	if !ok || len(order) == 0 || order[len(order)-1].Column == s.Key() {
		return anyWay, nil
	}
	ordered, attracted := indexes(s, q.Where, order)
	if ordered == nil {
		return anyWay, nil
	}
	if _, ok := t.number(s); !ok {
		return anyWay, nil // each look would count
	}
	matching, err := t.count(s, q.Where)
	if err != nil {
		return anyWay, err
	}
	all, err := t.count(s, nil)
	if err != nil {
		return anyWay, err
	}
	met := all // rows on the walk
	if matching > 0 {
		met = min(all, int64(q.Offset+q.Limit)*all/matching)
	}
	switch {
	case attracted && met < matching/2:
		return along(s, ordered), nil
	case !attracted && met > all/8:
		return scan, nil
	}
	return anyWay, nil
}

// indexes returns the index that has the order, and whether the engine would take
// another one for a condition. It returns nil when one index serves both, and
// when what the engine would do cannot be told.
func indexes(s *store.Schema, where []store.Cond, order []store.Order) (ordered *store.Index, attracted bool) {
	var equal []string
	for i := range where {
		switch c := &where[i]; c.Op {
		case store.OpEqual:
			equal = append(equal, c.Column)
		case store.OpNotEqual, store.OpContains, store.OpNot: // have no use for an index
		default:
			if c.Column == "" || isIndexed(s, c.Column) {
				return nil, false
			}
		}
	}
	if slices.Contains(equal, s.Key()) {
		return nil, false
	}
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
	return ordered, attracted
}

// isIndexed reports whether an index, or the key, begins with the column.
func isIndexed(s *store.Schema, column string) bool {
	return column == s.Key() || slices.ContainsFunc(s.Indexes, func(x store.Index) bool { return x.Columns[0] == column })
}
