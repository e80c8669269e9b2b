package memory

import (
	"cmp"
	"slices"

	"github.com/shopapi/shopapi/store"
)

// visit calls each for the rows that meet all conditions, in the order of keys
// or its reverse, until each returns false. Equality on the key or on an
// indexed column seeks; other conditions scan.
func (t *tx) visit(tb *table, where []store.Cond, reverse bool, each func(*row) bool) error {
	conds, err := t.conds(tb, where)
	if err != nil {
		return err
	}
	seen := 0
	look := func(r *row) bool {
		if seen++; seen%256 == 0 {
			if err = t.ctx.Err(); err != nil {
				return false
			}
		}
		return !matchAll(conds, r) || each(r)
	}
	switch rows, found := tb.seek(conds); {
	case found:
		slices.SortFunc(rows, func(a, b *row) int { return cmp.Compare(a.key(), b.key()) })
		if reverse {
			slices.Reverse(rows)
		}
		for _, r := range rows {
			if !look(r) {
				break
			}
		}
	case reverse:
		tb.rows.Reverse(look)
	default:
		tb.rows.Scan(look)
	}
	return err
}

// seek returns the rows among which are all that match, found by the key or an
// index, if a condition allows that.
func (tb *table) seek(conds []cond) (rows []*row, found bool) {
	for i := range conds {
		c := &conds[i]
		if c.op == store.OpAll {
			if rows, found = tb.seek(c.conds); found {
				return rows, true
			}
			continue
		}
		var probes map[store.Value]struct{}
		switch c.op {
		case store.OpEqual, store.OpEqualFold:
			probes = map[store.Value]struct{}{c.value: {}}
		case store.OpIn, store.OpInQuery:
			probes = c.set
		default:
			continue
		}
		if c.column == 0 {
			return tb.byKeys(probes), true
		}
		for j := range tb.indexes {
			if x := &tb.indexes[j]; x.columns[0] == c.column {
				return tb.byIndex(x, probes), true
			}
		}
	}
	return nil, false
}

func (tb *table) byKeys(keys map[store.Value]struct{}) (rows []*row) {
	for v := range keys {
		if r := tb.get(v.Int()); r != nil {
			rows = append(rows, r)
		}
	}
	return rows
}

func (tb *table) byIndex(x *index, probes map[store.Value]struct{}) (rows []*row) {
	if tb.schema.Columns[x.columns[0]].Fold {
		folded := make(map[store.Value]struct{}, len(probes))
		for v := range probes {
			folded[fold(v)] = struct{}{}
		}
		probes = folded
	}
	for v := range probes {
		x.ascend(v, func(r *row) bool {
			rows = append(rows, r)
			return true
		})
	}
	return rows
}
