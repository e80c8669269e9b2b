package driver

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// A Read records what one read of a table depended on. Most changes of the table do not
// affect its result: see [Read.Affected].
type Read struct {
	Schema *store.Schema

	whole   bool        // every change matters
	byKey   bool        // one row was asked for, by its key
	key     int64       // its key
	conds   []eval.Cond // of the rows
	decides []int       // the columns that conds and the order read
	shown   []int       // the columns that were returned
	keys    []int64     // of the rows that were returned
}

// maxKeys is how many rows a read may return of which it is known which they were.
const maxKeys = 1000

// readKey is the read of some columns of one row.
func readKey(p *store.Projection, key int64) *Read {
	return &Read{Schema: p.Schema, shown: p.Columns, byKey: true, key: key}
}

// readWhere is a read of some columns of the matching rows; no columns for a count. Every
// change affects a read that depends on other tables, and a search of texts, because
// deciding would cost another search.
func readWhere(s *store.Schema, shown []int, where []store.Cond, order []store.Order) *Read {
	r := &Read{Schema: s, shown: shown}
	if !r.decideConds(where) || !r.decideOrder(order) || len(shown) > 0 && !slices.Contains(shown, 0) {
		return &Read{Schema: s, whole: true}
	}
	conds, err := eval.Prepare(s, where, nil)
	if err != nil {
		return &Read{Schema: s, whole: true}
	}
	r.conds = conds
	return r
}

// decideConds adds the columns of conditions. It reports whether a row's own values
// decide the conditions.
func (r *Read) decideConds(where []store.Cond) bool {
	for i := range where {
		switch c := &where[i]; c.Op {
		case store.OpAll, store.OpAny, store.OpNot:
			if !r.decideConds(c.Conds) {
				return false
			}
		case store.OpInQuery, store.OpContains, store.OpEqualFold, store.OpBeginsFold:
			return false
		case store.OpAtMostColumn:
			r.decides = append(r.decides, r.Schema.Index(c.Column), r.Schema.Index(c.Values[0].Text()))
		default:
			r.decides = append(r.decides, r.Schema.Index(c.Column))
		}
	}
	return true
}

func (r *Read) decideOrder(order []store.Order) bool {
	for i := range order {
		if order[i].Via != nil {
			return false
		}
		r.decides = append(r.decides, r.Schema.Index(order[i].Column))
	}
	return !slices.Contains(r.decides, -1)
}

// collect returns a function that notes the key of each row and calls the given one.
func (r *Read) collect(each func([]store.Value) error) func([]store.Value) error {
	if r.whole {
		return each
	}
	at := slices.Index(r.shown, 0)
	return func(row []store.Value) error {
		if len(r.keys) < maxKeys {
			r.keys = append(r.keys, row[at].Int())
		} else {
			r.whole, r.keys = true, nil
		}
		return each(row)
	}
}

// Affected reports whether the change of a row may have changed the result of the read.
// Both slices have all columns of the schema; before is nil for a new row, and after for
// a deleted one. Affected may return true for an unaffected read, but never false for an
// affected one.
func (r *Read) Affected(before, after []store.Value) bool {
	switch {
	case r.whole:
		return true
	case r.byKey:
		return r.affectedKey(before, after)
	case before == nil:
		return eval.Match(r.conds, after, after)
	case after == nil:
		return eval.Match(r.conds, before, before)
	case differ(r.decides, before, after):
		return eval.Match(r.conds, before, before) || eval.Match(r.conds, after, after)
	}
	// The row is where it was.
	return slices.Contains(r.keys, before[0].Int()) && differ(r.shown, before, after)
}

func (r *Read) affectedKey(before, after []store.Value) bool {
	was, is := hasKey(before, r.key), hasKey(after, r.key)
	return was != is || was && differ(r.shown, before, after)
}

func hasKey(row []store.Value, key int64) bool { return row != nil && row[0].Int() == key }

func differ(columns []int, a, b []store.Value) bool {
	for _, i := range columns {
		if a[i] != b[i] {
			return true
		}
	}
	return false
}

// size is what the read takes, in bytes.
func (r *Read) size() int {
	const perRead, perCond = 128, 96
	size := perRead + 8*(cap(r.keys)+cap(r.decides))
	var add func([]eval.Cond)
	add = func(conds []eval.Cond) {
		for i := range conds {
			size += perCond + len(conds[i].Value.Text())
			for v := range conds[i].Set {
				size += perCond + len(v.Text())
			}
			add(conds[i].Conds)
		}
	}
	add(r.conds)
	return size
}
