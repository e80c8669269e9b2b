package countcache

import (
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// A row is one with all its columns, as they are and folded.
type row struct{ Values, Folded []store.Value }

// A change is a [Change] prepared for matching.
type change struct {
	before, after row
	differs       columns
}

// columns is a set of columns, by their positions. Those from the 64th on count
// as one.
type columns uint64

func (c *columns) add(column int) { *c |= 1 << min(column, 63) }

func (c *columns) addConds(conds []eval.Cond) {
	for i := range conds {
		switch conds[i].Op {
		case store.OpAll, store.OpAny, store.OpNot:
			c.addConds(conds[i].Conds)
		default:
			c.add(conds[i].Column)
		}
	}
}

func newChange(s *store.Schema, c *Change) change {
	ch := change{before: newRow(s, c.Before), after: newRow(s, c.After)}
	if c.Before == nil || c.After == nil {
		return ch
	}
	for i := range c.Before {
		if c.Before[i] != c.After[i] {
			ch.differs.add(i)
		}
	}
	return ch
}

func newRow(s *store.Schema, values []store.Value) row {
	r := row{values, values}
	if values == nil {
		return r
	}
	for i := range s.Columns {
		if !s.Columns[i].Fold {
			continue
		}
		if &r.Folded[0] == &values[0] {
			r.Folded = append([]store.Value(nil), values...)
		}
		r.Folded[i] = eval.Fold(values[i])
	}
	return r
}

// touches reports whether the change can matter to readers of some columns.
func (c *change) touches(read columns) bool {
	return c.before.Values == nil || c.after.Values == nil || c.differs&read != 0
}
