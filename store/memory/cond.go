package memory

import (
	"fmt"
	"strings"

	"github.com/shopapi/shopapi/store"
)

// A cond is a [store.Cond] made ready for many rows: columns are positions,
// values are folded and lists are sets.
type cond struct {
	op     store.Op
	column int
	value  store.Value
	set    map[store.Value]struct{}
	conds  []cond
}

// conds makes conditions on a table ready. Sub-queries are answered here.
func (t *tx) conds(tb *table, where []store.Cond) ([]cond, error) {
	list := make([]cond, 0, len(where))
	for i := range where {
		c, err := t.cond(tb, &where[i])
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

func (t *tx) cond(tb *table, w *store.Cond) (c cond, err error) {
	c.op = w.Op
	switch w.Op {
	case store.OpAll, store.OpAny, store.OpNot:
		c.conds, err = t.conds(tb, w.Conds)
		return c, err
	}
	if c.column, err = tb.column(w.Column); err != nil {
		return c, err
	}
	switch w.Op {
	case store.OpIn:
		c.set = make(map[store.Value]struct{}, len(w.Values))
		for _, v := range w.Values {
			c.set[v] = struct{}{}
		}
	case store.OpInQuery:
		c.set, err = t.values(w.Sub)
	case store.OpContains, store.OpEqualFold:
		if !tb.schema.Columns[c.column].Fold {
			err = fmt.Errorf("memory: table %s: column %s is not marked fold", tb.schema.Name, w.Column)
		}
		c.value = fold(w.Values[0])
	case store.OpEqual, store.OpNotEqual, store.OpAtLeast, store.OpAtMost, store.OpLess:
		c.value = w.Values[0]
	default:
		err = fmt.Errorf("memory: unknown operator %d", w.Op)
	}
	return c, err
}

// values returns the values that a sub-query has.
func (t *tx) values(sub *store.Sub) (map[store.Value]struct{}, error) {
	tb, err := t.table(sub.Schema)
	if err != nil {
		return nil, err
	}
	column, err := tb.column(sub.Column)
	if err != nil {
		return nil, err
	}
	set := make(map[store.Value]struct{})
	err = t.visit(tb, sub.Where, false, func(r *row) bool {
		set[r.values[column]] = struct{}{}
		return true
	})
	return set, err
}

func matchAll(conds []cond, r *row) bool {
	for i := range conds {
		if !conds[i].match(r) {
			return false
		}
	}
	return true
}

func (c *cond) match(r *row) bool {
	switch c.op {
	case store.OpAll:
		return matchAll(c.conds, r)
	case store.OpAny:
		for i := range c.conds {
			if c.conds[i].match(r) {
				return true
			}
		}
		return false
	case store.OpNot:
		return !c.conds[0].match(r)
	}
	v := r.values[c.column]
	switch c.op {
	case store.OpEqual:
		return v == c.value
	case store.OpNotEqual:
		return v != c.value
	}
	if v.IsNull() {
		return false
	}
	switch c.op {
	case store.OpIn, store.OpInQuery:
		_, in := c.set[v]
		return in
	case store.OpContains:
		return strings.Contains(r.folded[c.column].Text(), c.value.Text())
	case store.OpEqualFold:
		return r.folded[c.column] == c.value
	case store.OpAtLeast:
		return v.Compare(c.value) >= 0
	case store.OpAtMost:
		return v.Compare(c.value) <= 0
	default: // store.OpLess: cond lets nothing else pass
		return v.Compare(c.value) < 0
	}
}
