package countcache

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// A row is one with all its columns, as they are and, as far as that was asked for,
// folded.
type row struct{ values, folded []store.Value }

// A change is a [driver.RowChange] prepared for matching.
type change struct {
	schema        *store.Schema
	before, after row
	differs       columns
	folds         columns // that are folded in both rows
}

// columns is a set of columns, by their positions. Those from the 64th on count
// as one.
type columns uint64

func (c *columns) add(column int) { *c |= 1 << min(column, 63) }

func (c columns) has(column int) bool { return c&(1<<min(column, 63)) != 0 }

func (c *columns) addConds(conds []eval.Cond) {
	for i := range conds {
		switch conds[i].Op {
		case store.OpAll, store.OpAny, store.OpNot:
			c.addConds(conds[i].Conds)
		case store.OpAtMostColumn:
			c.add(conds[i].Column)
			c.add(conds[i].Other)
		default:
			c.add(conds[i].Column)
		}
	}
}

func newChange(s *store.Schema, c *driver.RowChange) *change {
	ch := &change{schema: s, before: row{c.Before, c.Before}, after: row{c.After, c.After}}
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

// fold folds columns where that has not been done.
func (c *change) fold(read columns) {
	if read &^= c.folds; read == 0 {
		return
	}
	c.folds |= read
	for i := range c.schema.Columns {
		if !c.schema.Columns[i].Fold || !read.has(i) {
			continue
		}
		c.before.fold(i)
		if c.before.values != nil && c.after.values != nil && c.before.values[i] == c.after.values[i] {
			c.after.set(i, c.before.folded[i])
		} else {
			c.after.fold(i)
		}
	}
}

func (r *row) fold(column int) {
	if r.values != nil {
		r.set(column, eval.Fold(r.values[column]))
	}
}

// set sets the folded form of a column.
func (r *row) set(column int, folded store.Value) {
	if &r.folded[0] == &r.values[0] {
		r.folded = slices.Clone(r.values)
	}
	r.folded[column] = folded
}

// touches reports whether the change can matter to readers of some columns.
func (c *change) touches(read columns) bool {
	return c.before.values == nil || c.after.values == nil || c.differs&read != 0
}

// size is what the rows take, folded too, in bytes.
func (c *change) size() int64 {
	return 2 * int64(driver.RowSize(c.before.values)+driver.RowSize(c.after.values))
}
