package memory

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// A term is a [store.Order] made ready: the value by which it orders a row.
type term func(*row) store.Value

// byKey reports whether an ordering is that of the key alone.
func byKey(tb *table, order []store.Order) (yes, reverse bool) {
	if len(order) == 0 {
		return true, false
	}
	return order[0].Via == nil && order[0].Column == tb.schema.Key(), order[0].Desc
}

func (t *tx) terms(tb *table, order []store.Order) ([]term, error) {
	terms := make([]term, len(order))
	for i, o := range order {
		value, err := t.ordering(tb, o)
		if err != nil {
			return nil, err
		}
		terms[i] = value
	}
	return terms, nil
}

func (t *tx) ordering(tb *table, o store.Order) (term, error) {
	if o.Via == nil {
		column, err := tb.column(o.Column)
		return func(r *row) store.Value { return r.folded[column] }, err
	}
	reference, err := tb.column(o.Via.Column)
	if err != nil {
		return nil, err
	}
	target, err := t.table(o.Via.Schema)
	if err != nil {
		return nil, err
	}
	column, err := target.column(o.Column)
	return func(r *row) store.Value {
		v := r.values[reference]
		if v.IsNull() {
			return store.Null
		}
		if to := target.get(v.Int()); to != nil {
			return to.folded[column]
		}
		return store.Null
	}, err
}

// arrange orders rows by the terms.
func arrange(rows []*row, order []store.Order, terms []term) []*row {
	type item struct {
		row *row
		at  eval.Position // once per row, not once per comparison
	}
	items := make([]item, len(rows))
	by := make([]store.Value, len(rows)*len(terms))
	for i, r := range rows {
		items[i] = item{r, eval.Position{By: by[i*len(terms):][:len(terms)], Key: r.key()}}
		for j, value := range terms {
			items[i].at.By[j] = value(r)
		}
	}
	slices.SortFunc(items, func(a, b item) int { return eval.Compare(order, a.at, b.at) })
	for i := range items {
		rows[i] = items[i].row
	}
	return rows
}
