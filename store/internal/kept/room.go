package kept

import (
	"sync"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// Limits of what is kept of one table.
const (
	maxEntries = 256  // sets of conditions
	maxIdle    = 4096 // changes by which an entry is put right without being used
	maxPending = 1024 // changes remembered for a reader that is still working
)

// A Room holds what is kept of all tables of a store. Its methods may be called
// from many goroutines at once. The zero Room is empty.
type Room struct {
	mu     sync.Mutex
	tables map[string]*table
}

// A table is what is kept of one table. All of it belongs to one state.
type table struct {
	schema  *store.Schema
	at      uint64
	entries map[string]*entry // by their conditions
	uses    uint64

	works   int      // readers that are working something out
	pending []change // by commits since the first of them began
	lost    bool     // pending is not all of them
}

// An entry is what is kept for one set of conditions.
type entry struct {
	conds   []eval.Cond
	columns columns // that conds and orders look at
	total   int64   // less than 0 when it is not known
	since   uint64  // the first state whose total is known
	past    []past  // the totals until now, oldest first
	orders  map[string]*sequence
	used    uint64 // when, in uses of the table
	idle    int    // changes since then
}

// A Change is a row before and after, with all columns of its schema, nil where
// it is missing.
type Change struct{ Before, After []store.Value }

// Commit says what a commit did to a table: it led from the state numbered from
// to the one numbered to.
type Commit struct {
	Schema   *store.Schema
	From, To uint64
	Changes  []Change
	Partial  bool // not all changes were recorded
}

// Wants reports whether changes of the table are to be recorded.
func (r *Room) Wants(s *store.Schema) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tables[s.Name]
	return t != nil && (len(t.entries) > 0 || t.works > 0)
}

// Committed puts right what is kept. It is called once for each commit and table
// that it changed, in their order.
func (r *Room) Committed(c *Commit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tables[c.Schema.Name]
	if t == nil {
		return
	}
	if t.at != c.From || t.schema != c.Schema || c.Partial {
		delete(r.tables, c.Schema.Name)
		return
	}
	t.at = c.To
	if len(t.entries) == 0 && t.works == 0 {
		return
	}
	for i := range c.Changes {
		ch := newChange(t.schema, &c.Changes[i])
		for key, e := range t.entries {
			if e.idle++; e.idle > maxIdle {
				delete(t.entries, key)
				continue
			}
			e.apply(&ch, t.at)
		}
		if t.works > 0 {
			t.remember(ch)
		}
	}
}

func (t *table) remember(ch change) {
	if t.lost || len(t.pending) >= maxPending {
		t.lost, t.pending = true, nil
		return
	}
	t.pending = append(t.pending, ch)
}

// table returns what is kept of a table in a state, nil when a later one is
// kept already.
func (r *Room) table(s *store.Schema, at uint64) *table {
	t := r.tables[s.Name]
	if t == nil || t.at < at || t.schema != s && t.at == at {
		if r.tables == nil {
			r.tables = make(map[string]*table)
		}
		t = &table{schema: s, at: at, entries: make(map[string]*entry)}
		r.tables[s.Name] = t
	}
	if t.at != at || t.schema != s {
		return nil
	}
	return t
}

// entry returns the entry of some conditions, making room for it.
func (t *table) entry(key string, conds []eval.Cond) *entry {
	e := t.entries[key]
	if e == nil {
		if len(t.entries) >= maxEntries {
			delete(t.entries, t.oldest(func(*entry) bool { return true }))
		}
		e = &entry{conds: conds, total: -1}
		e.columns.addConds(conds)
		t.entries[key] = e
	}
	t.use(e)
	return e
}

func (t *table) use(e *entry) {
	t.uses++
	e.used, e.idle = t.uses, 0
}

// oldest returns the entry that was used least recently, among those that fit.
func (t *table) oldest(fits func(*entry) bool) (key string) {
	least := t.uses + 1
	for k, e := range t.entries {
		if e.used < least && fits(e) {
			key, least = k, e.used
		}
	}
	return key
}

// apply puts right what is kept by a change that led to the state numbered at.
func (e *entry) apply(ch *change, at uint64) {
	if !ch.touches(e.columns) {
		return
	}
	before := ch.before.Values != nil && eval.Match(e.conds, ch.before.Values, ch.before.Folded)
	after := ch.after.Values != nil && eval.Match(e.conds, ch.after.Values, ch.after.Folded)
	if e.total >= 0 {
		e.setTotal(e.total+delta(before, after), at)
	}
	for _, s := range e.orders {
		s.apply(ch, before, after)
	}
}

func delta(before, after bool) (d int64) {
	if before {
		d--
	}
	if after {
		d++
	}
	return d
}
