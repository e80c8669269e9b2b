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

	whole bool // every change matters

	// equal says that all rows with a number in a column were asked for: one row by its key,
	// or the children of an object.
	equal  bool
	column int32
	number int64

	rows  *selection // that were asked for by other conditions
	shown []int      // the columns that were returned
}

// A selection is rows that match conditions.
type selection struct {
	conds   []eval.Cond
	decides []int   // the columns that conds and the order read
	keys    []int64 // of the rows that were returned
}

// maxKeys is how many rows a read may return of which it is known which they were.
const maxKeys = 1000

// readKey is the read of some columns of one row.
func readKey(p *store.Projection, key int64) *Read {
	return &Read{Schema: p.Schema, shown: p.Columns, equal: true, number: key}
}

// readWhere is a read of some columns of the matching rows, all of them or a page; no columns for
// a count. Every change affects a read that depends on other tables, and a search of texts,
// because deciding would cost another search.
func readWhere(s *store.Schema, shown []int, where []store.Cond, order []store.Order, all bool) *Read {
	if column, number, ok := equalNumber(s, where); ok && all && shows(shown, s, order) {
		return &Read{Schema: s, shown: shown, equal: true, column: column, number: number}
	}
	rows := new(selection)
	if !rows.decideConds(s, where) || !rows.decideOrder(s, order) || len(shown) > 0 && !slices.Contains(shown, 0) {
		return &Read{Schema: s, whole: true}
	}
	var err error
	if rows.conds, err = eval.Prepare(s, where, nil); err != nil {
		return &Read{Schema: s, whole: true}
	}
	return &Read{Schema: s, shown: shown, rows: rows}
}

// equalNumber returns the column, and the number that the condition asks for there. Ok is false
// for other conditions.
func equalNumber(s *store.Schema, where []store.Cond) (column int32, number int64, ok bool) {
	if len(where) != 1 || len(where[0].Values) != 1 || where[0].Op != store.OpEqual && where[0].Op != store.OpIn {
		return 0, 0, false
	}
	number = where[0].Values[0].Int()
	at := s.Index(where[0].Column)
	return int32(at), number, at >= 0 && where[0].Values[0] == store.Int(number)
}

// shows reports whether the columns of an order are among those shown.
func shows(shown []int, s *store.Schema, order []store.Order) bool {
	return !slices.ContainsFunc(order, func(o store.Order) bool { return o.Via != nil || !slices.Contains(shown, s.Index(o.Column)) })
}

// decideConds adds the columns of conditions. It reports whether a row's own values
// decide the conditions.
func (r *selection) decideConds(s *store.Schema, where []store.Cond) bool {
	for i := range where {
		switch c := &where[i]; c.Op {
		case store.OpAll, store.OpAny, store.OpNot:
			if !r.decideConds(s, c.Conds) {
				return false
			}
		case store.OpInQuery, store.OpContains, store.OpEqualFold, store.OpBeginsFold:
			return false
		case store.OpAtMostColumn:
			r.decides = append(r.decides, s.Index(c.Column), s.Index(c.Values[0].Text()))
		default:
			r.decides = append(r.decides, s.Index(c.Column))
		}
	}
	return true
}

func (r *selection) decideOrder(s *store.Schema, order []store.Order) bool {
	for i := range order {
		if order[i].Via != nil {
			return false
		}
		r.decides = append(r.decides, s.Index(order[i].Column))
	}
	return !slices.Contains(r.decides, -1)
}

// collect returns a function that notes the key of each row and calls the given one.
func (r *Read) collect(each func([]store.Value) error) func([]store.Value) error {
	if r.rows == nil {
		return each
	}
	at := slices.Index(r.shown, 0)
	return func(row []store.Value) error {
		switch {
		case r.whole: // since an earlier row
		case len(r.rows.keys) < maxKeys:
			r.rows.keys = append(r.rows.keys, row[at].Int())
		default:
			r.whole, r.rows = true, nil
		}
		return each(row)
	}
}

// Affected reports whether the change of a row may have changed the result of the read.
// Both slices have all columns of the schema. For a new row before is nil, and the key in after may
// be null: the store does not know it yet. For a deleted row after is nil. Affected may return true
// for an unaffected read, but never false for an affected one.
func (r *Read) Affected(before, after []store.Value) bool {
	switch {
	case r.whole:
		return true
	case before == nil && after[0].IsNull() && r.asksForKey():
		return true
	case r.equal:
		was, is := r.has(before), r.has(after)
		return was != is || was && differ(r.shown, before, after)
	case r.rows == nil: // all rows of the table were asked for, and no columns
		return (&selection{}).affected(r.shown, before, after)
	}
	return r.rows.affected(r.shown, before, after)
}

// asksForKey reports whether the key of a row decides whether it was asked for.
func (r *Read) asksForKey() bool {
	return r.equal && r.column == 0 || r.rows != nil && useKey(r.rows.conds)
}

func useKey(conds []eval.Cond) bool {
	return slices.ContainsFunc(conds, func(c eval.Cond) bool {
		switch c.Op {
		case store.OpAll, store.OpAny, store.OpNot:
			return useKey(c.Conds)
		case store.OpAtMostColumn:
			return c.Column == 0 || c.Other == 0
		}
		return c.Column == 0
	})
}

func (s *selection) affected(shown []int, before, after []store.Value) bool {
	switch {
	case before == nil:
		return eval.Match(s.conds, after, after)
	case after == nil:
		return eval.Match(s.conds, before, before)
	case differ(s.decides, before, after):
		return eval.Match(s.conds, before, before) || eval.Match(s.conds, after, after)
	}
	// The row is where it was.
	return slices.Contains(s.keys, before[0].Int()) && differ(shown, before, after)
}

func (r *Read) has(row []store.Value) bool { return row != nil && row[r.column] == store.Int(r.number) }

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
	const perRead, perSelection, perCond = 64, 80, 96
	if r.rows == nil {
		return perRead
	}
	size := perRead + perSelection + 8*(cap(r.rows.keys)+cap(r.rows.decides))
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
	add(r.rows.conds)
	return size
}
