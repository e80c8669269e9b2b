package kept

import (
	"slices"
	"sort"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

const (
	firstStep    = 32    // rows from one mark to the next, to begin with
	maxMarks     = 4096  // of a sequence; then every other one goes
	maxSequences = 8     // of one set of conditions
	maxAllMarks  = 32768 // of a table, some 5 MB
)

// A Mark is a place in the rows that meet some conditions, in some order: the
// Rank rows that come before it. No row need stand there.
type Mark struct {
	eval.Position
	Rank int64
}

// A sequence is marks in ascending order.
type sequence struct {
	order   []store.Order
	columns []int
	looked  columns
	step    int
	marks   []Mark
}

// Ordered returns the terms of an order up to the key, after which there are no
// ties. It reports false for an order in which places are not kept: one that
// leads through a reference, by a column that may be null, or up and down at
// once.
func Ordered(s *store.Schema, order []store.Order) ([]store.Order, bool) {
	for i := range order {
		o := &order[i]
		at := s.Index(o.Column)
		if o.Via != nil || at < 0 || s.Columns[at].Null || o.Desc != order[0].Desc {
			return nil, false
		}
		if at == 0 {
			return order[:i+1], true
		}
	}
	return order, true
}

func newSequence(s *store.Schema, order []store.Order) *sequence {
	q := &sequence{order: slices.Clone(order), step: firstStep}
	for _, o := range order {
		at := s.Index(o.Column)
		q.columns = append(q.columns, at)
		q.looked.add(at)
	}
	return q
}

// place returns where a row stands.
func (q *sequence) place(r *row) eval.Position {
	p := eval.Position{Key: r.Values[0].Int(), By: make([]store.Value, len(q.columns))}
	for i, at := range q.columns {
		p.By[i] = r.Folded[at]
	}
	return p
}

func (q *sequence) apply(ch *change, before, after bool) {
	if before && after && !ch.touches(q.looked) {
		return
	}
	if before {
		q.shift(q.place(&ch.before), -1)
	}
	if after {
		q.shift(q.place(&ch.after), +1)
	}
}

// shift makes it one row more or less before the marks after p.
func (q *sequence) shift(p eval.Position, by int64) {
	first := sort.Search(len(q.marks), func(i int) bool { return eval.Compare(q.order, q.marks[i].Position, p) > 0 })
	for i := first; i < len(q.marks); i++ {
		q.marks[i].Rank += by
	}
}

// before returns the last mark of at most that rank, the zero Mark when there is
// none.
func (q *sequence) before(rank int64) Mark {
	after := sort.Search(len(q.marks), func(i int) bool { return q.marks[i].Rank > rank })
	if after == 0 {
		return Mark{}
	}
	return q.marks[after-1]
}

// add adds marks.
func (q *sequence) add(marks []Mark) {
	compare := func(a, b Mark) int { return eval.Compare(q.order, a.Position, b.Position) }
	for _, m := range marks {
		if i, there := slices.BinarySearchFunc(q.marks, m, compare); !there {
			q.marks = slices.Insert(q.marks, i, m)
		}
	}
	for len(q.marks) > maxMarks {
		for i := range len(q.marks) / 2 {
			q.marks[i] = q.marks[2*i+1]
		}
		half := len(q.marks) / 2
		clear(q.marks[half:])
		q.marks = q.marks[:half]
		q.step *= 2
	}
}

// Seek returns the last known mark before a rank, in a state of the table, and
// how many rows apart marks should be. It reports false for the beginning. The
// order must be one that [Ordered] returned.
func (r *Room) Seek(s *store.Schema, where []store.Cond, order []store.Order, at uint64, rank int64) (m Mark, step int64, ok bool) {
	step = firstStep
	var buf [128]byte
	key, ok := appendConds(buf[:0], where)
	if !ok {
		return m, step, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tables[s.Name]
	if t == nil || t.at != at || t.schema != s {
		return m, step, false
	}
	e := t.entries[string(key)]
	if e == nil {
		return m, step, false
	}
	q := e.orders[string(appendOrder(nil, order))]
	if q == nil {
		return m, step, false
	}
	t.use(e)
	m = q.before(rank)
	return m, int64(q.step), m.Rank > 0
}

// KeepMarks keeps marks in an order, as they are in the state that the work is
// about. The order must be one that [Ordered] returned.
func (w *Work) KeepMarks(order []store.Order, marks []Mark) {
	w.room.mu.Lock()
	defer w.room.mu.Unlock()
	missed, ok := w.missed()
	if !ok || len(marks) == 0 {
		return
	}
	found := newSequence(w.table.schema, order)
	found.marks = slices.Clone(marks) // the reader goes on in its own state
	passing := entry{conds: w.conds, total: -1, orders: map[string]*sequence{"": found}, columns: found.looked}
	passing.columns.addConds(w.conds)
	for i := range missed {
		passing.apply(&missed[i], w.table.at)
	}
	w.table.entry(string(w.key), w.conds).sequence(found).add(found.marks)
	w.table.limitMarks()
}

// limitMarks drops the marks that were used least recently while there are too
// many.
func (t *table) limitMarks() {
	all := 0
	for _, e := range t.entries {
		all += e.marks()
	}
	for all > maxAllMarks {
		e := t.entries[t.oldest(func(e *entry) bool { return e.orders != nil })]
		all -= e.marks()
		e.orders = nil
	}
}

func (e *entry) marks() (n int) {
	for _, q := range e.orders {
		n += len(q.marks)
	}
	return n
}

// sequence returns the entry's sequence in the order of another one.
func (e *entry) sequence(like *sequence) *sequence {
	key := string(appendOrder(nil, like.order))
	if q := e.orders[key]; q != nil {
		return q
	}
	if e.orders == nil || len(e.orders) >= maxSequences {
		e.orders = make(map[string]*sequence)
	}
	q := &sequence{order: like.order, columns: like.columns, looked: like.looked, step: firstStep}
	e.orders[key] = q
	e.columns |= like.looked
	return q
}
