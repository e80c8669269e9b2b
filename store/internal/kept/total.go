package kept

import (
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/internal/eval"
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
	if t == nil || t.at != at || t.schema != s {
		return 0, false
	}
	e := t.entries[string(key)]
	if e == nil || e.total < 0 {
		return 0, false
	}
	t.use(e)
	return e.total, true
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
		counted.apply(&missed[i])
	}
	w.table.entry(string(w.key), w.conds).total = counted.total
}
