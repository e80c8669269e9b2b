package memory

import (
	"cmp"
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// visit calls each for the rows that meet all conditions, in the order of keys
// or its reverse, until each returns false. Equality on the key or on an
// indexed column uses the index; other conditions scan.
func (t *tx) visit(tb *table, where []store.Cond, reverse bool, each func(*row) bool) error {
	conds, err := t.conds(tb, where)
	if err != nil {
		return err
	}
	seen := 0
	test := func(r *row) bool {
		if seen++; seen%256 == 0 {
			if err = t.ctx.Err(); err != nil {
				return false
			}
		}
		return !eval.Match(conds, r.values, r.folded) || each(r)
	}
	switch rows, found := tb.lookup(conds); {
	case found:
		slices.SortFunc(rows, func(a, b *row) int { return cmp.Compare(a.key(), b.key()) })
		if reverse {
			slices.Reverse(rows)
		}
		for _, r := range rows {
			if !test(r) {
				break
			}
		}
	case reverse:
		tb.rows.Reverse(test)
	default:
		tb.rows.Scan(test)
	}
	return err
}

// lookup returns the rows among which are all that match, found by the key or an
// index, if a condition allows that.
func (tb *table) lookup(conds []eval.Cond) (rows []*row, found bool) {
	for i := range conds {
		c := &conds[i]
		if c.Op == store.OpAll {
			if rows, found = tb.lookup(c.Conds); found {
				return rows, true
			}
			continue
		}
		var probes eval.Set
		switch c.Op {
		case store.OpEqual, store.OpEqualFold:
			probes = eval.Set{c.Value: {}}
		case store.OpIn, store.OpInQuery:
			probes = c.Set
		default:
			continue
		}
		if c.Column == 0 {
			return tb.byKeys(probes), true
		}
		for j := range tb.indexes {
			if x := &tb.indexes[j]; x.columns[0] == c.Column {
				return tb.byIndex(x, probes), true
			}
		}
	}
	return nil, false
}

func (tb *table) byKeys(keys eval.Set) (rows []*row) {
	for v := range keys {
		if r := tb.get(v.Int()); r != nil {
			rows = append(rows, r)
		}
	}
	return rows
}

func (tb *table) byIndex(x *index, probes eval.Set) (rows []*row) {
	if tb.schema.Columns[x.columns[0]].Fold {
		folded := make(eval.Set, len(probes))
		for v := range probes {
			folded[eval.Fold(v)] = struct{}{}
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
