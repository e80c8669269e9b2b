package memory

import (
	"cmp"
	"slices"

	"github.com/shopapi/shopapi/store"
)

// A term is a [store.Order] made ready: the value by which it orders a row.
type term struct {
	value func(*row) store.Value
	desc  bool
}

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
		terms[i] = term{value: value, desc: o.Desc}
	}
	return terms, nil
}

func (t *tx) ordering(tb *table, o store.Order) (func(*row) store.Value, error) {
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

// arrange orders rows, which are in the order of their keys, by the terms. Keys
// break ties in the direction of the last term.
func arrange(rows []*row, terms []term) []*row {
	type item struct {
		row *row
		by  []store.Value // once per row, not once per comparison
	}
	items := make([]item, len(rows))
	by := make([]store.Value, len(rows)*len(terms))
	for i, r := range rows {
		items[i] = item{r, by[i*len(terms):][:len(terms)]}
		for j, term := range terms {
			items[i].by[j] = term.value(r)
		}
	}
	slices.SortFunc(items, func(a, b item) int {
		for j, term := range terms {
			if d := a.by[j].Compare(b.by[j]); d != 0 {
				return direct(d, term.desc)
			}
		}
		return direct(cmp.Compare(a.row.key(), b.row.key()), terms[len(terms)-1].desc)
	})
	for i := range items {
		rows[i] = items[i].row
	}
	return rows
}

func direct(d int, desc bool) int {
	if desc {
		return -d
	}
	return d
}
