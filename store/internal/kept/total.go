package kept

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// Total returns how many rows meet all conditions in a state of the table, if
// that is kept.
func (r *Room) Total(s *store.Schema, where []store.Cond, at uint64) (int64, bool) {
	var buf [128]byte
	key, ok := appendConds(buf[:0], where)
	if !ok {
		return 0, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tables[s.Name]
	if t == nil || t.at < at || t.schema != s {
		return 0, false
	}
	e := t.entries[string(key)]
	if e == nil || e.total < 0 || at < e.since {
		return 0, false
	}
	t.use(e)
	return e.totalAt(at), true
}

// totalAt is the total in a state not before since.
func (e *entry) totalAt(at uint64) int64 {
	for _, p := range e.past {
		if at < p.until {
			return p.total
		}
	}
	return e.total
}

// A past is a total that held until a state. Readers whose snapshot is a moment
// old ask for one.
type past struct {
	until uint64
	total int64
}

// maxPast is how many totals of the past an entry has.
const maxPast = 32

// setTotal makes n the total from the state numbered at on.
func (e *entry) setTotal(n int64, at uint64) {
	if e.total == n {
		return
	}
	if last := len(e.past) - 1; last < 0 || e.past[last].until != at {
		e.past = append(e.past, past{at, e.total})
	}
	if len(e.past) > maxPast {
		e.since = e.past[0].until
		e.past = slices.Delete(e.past, 0, 1)
	}
	e.total = n
}

// A Work is something that is being worked out over one state of a table, while
// commits go on. It must be ended.
type Work struct {
	room  *Room
	table *table
	from  int // pending changes that came before
	key   []byte
	conds []eval.Cond
}

// Begin begins to work something out about the rows that meet all conditions. It
// returns nil when that would not be kept.
func (r *Room) Begin(s *store.Schema, where []store.Cond, at uint64) *Work {
	key, ok := appendConds(nil, where)
	if !ok {
		return nil
	}
	conds, err := eval.Prepare(s, where, nil)
	if err != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.table(s, at)
	if t == nil {
		return nil
	}
	t.works++
	return &Work{room: r, table: t, from: len(t.pending), key: key, conds: conds}
}

// End ends the work. Nothing more is kept of it.
func (w *Work) End() {
	w.room.mu.Lock()
	defer w.room.mu.Unlock()
	if w.table.works--; w.table.works == 0 {
		w.table.pending, w.table.lost = nil, false
	}
}

// missed returns what was committed since the work began. It reports false when
// that is not known: what was worked out cannot be kept.
func (w *Work) missed() ([]change, bool) {
	t := w.table
	if t.lost || w.room.tables[t.schema.Name] != t {
		return nil, false
	}
	return t.pending[w.from:], true
}

// KeepTotal keeps how many rows there are in the state that the work is about.
func (w *Work) KeepTotal(n int64) {
	w.room.mu.Lock()
	defer w.room.mu.Unlock()
	missed, ok := w.missed()
	if !ok {
		return
	}
	counted := entry{conds: w.conds, total: n}
	counted.columns.addConds(w.conds)
	for i := range missed {
		counted.apply(&missed[i], w.table.at)
	}
	e := w.table.entry(string(w.key), w.conds)
	e.total, e.since, e.past = counted.total, w.table.at, nil
}
