package memory

import (
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// conds prepares conditions on a table, sub-queries included.
func (t *tx) conds(tb *table, where []store.Cond) ([]eval.Cond, error) {
	return eval.Prepare(tb.schema, where, t.values)
}

// values returns the values that a sub-query has.
func (t *tx) values(sub *store.Sub) (eval.Set, error) {
	tb, err := t.table(sub.Schema)
	if err != nil {
		return nil, err
	}
	column, err := tb.column(sub.Column)
	if err != nil {
		return nil, err
	}
	set := make(eval.Set)
	err = t.visit(tb, sub.Where, false, func(r *row) bool {
		set[r.values[column]] = struct{}{}
		return true
	})
	return set, err
}
