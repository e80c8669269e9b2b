package sqlite

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/countcache"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

// An indexHint is the INDEXED BY clause of a page query, which follows the name of
// the table.
type indexHint string

const (
	noHint   indexHint = ""             // the planner chooses
	scanHint indexHint = " NOT INDEXED" // scan the table, then sort
)

// indexedBy has the planner use an index, whose order the page has.
func indexedBy(s *store.Schema, x *store.Index) indexHint {
	return indexHint(" INDEXED BY " + quote(sqltext.SQLite.IndexName(s, x)))
}

// indexHint returns the hint for a page.
//
// The planner does not know how many rows match. If a condition requires one value of an
// indexed column, it prefers that index and sorts all rows found: nearly the whole table,
// if the value is the usual one. If no condition has an index, it walks the index of the
// order and fetches each row: ten times as slow as a scan, if few rows match. The count
// of matching rows decides which is cheaper.
func (t *tx) indexHint(s *store.Schema, q *store.Query) (indexHint, error) {
	if q.Limit <= 0 || len(q.Where) == 0 || t.state == nil {
		return noHint, nil
	}
	order, ok := countcache.Ordered(s, q.Order)
	if !ok || len(order) == 0 || order[len(order)-1].Column == s.Key() {
		return noHint, nil
	}
	ordered, preferred := indexes(s, q.Where, order)
	if ordered == nil {
		return noHint, nil
	}
	if _, ok := t.tableVersion(s); !ok {
		return noHint, nil // each page would count
	}
	matching, err := t.count(s, q.Where)
	if err != nil {
		return noHint, err
	}
	all, err := t.count(s, nil)
	if err != nil {
		return noHint, err
	}
	walked := all // rows of the index before the page is full
	if matching > 0 {
		walked = min(all, int64(q.Offset+q.Limit)*all/matching)
	}
	switch {
	case preferred && walked < matching/2:
		return indexedBy(s, ordered), nil
	case !preferred && walked > all/8:
		return scanHint, nil
	}
	return noHint, nil
}

// indexes returns the index of the order, and whether the planner prefers another index
// for a condition. It returns nil if one index serves both, and if the planner's choice
// is unknown.
func indexes(s *store.Schema, where []store.Cond, order []store.Order) (ordered *store.Index, preferred bool) {
	var equal []string
	for i := range where {
		switch c := &where[i]; c.Op {
		case store.OpEqual:
			equal = append(equal, c.Column)
		case store.OpNotEqual, store.OpContains, store.OpNot, store.OpAtMostColumn: // no index serves them
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
		if x.Sparse && !slices.Contains(equal, x.Columns[0]) {
			continue // it does not have all rows
		}
		rest := x.Columns
		for len(rest) > 0 && slices.Contains(equal, rest[0]) {
			rest = rest[1:]
		}
		isOrder := slices.EqualFunc(rest, order, func(column string, o store.Order) bool { return column == o.Column })
		switch found := len(rest) < len(x.Columns); {
		case found && isOrder:
			return nil, false
		case found:
			preferred = true
		case isOrder:
			ordered = x
		}
	}
	return ordered, preferred
}

// isIndexed reports whether an index, or the key, begins with the column.
func isIndexed(s *store.Schema, column string) bool {
	return column == s.Key() || slices.ContainsFunc(s.Indexes, func(x store.Index) bool { return x.Columns[0] == column })
}
