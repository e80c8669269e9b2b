package countcache

import (
	"sync"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// Limits of the cache of one table.
const (
	maxEntries = 256  // sets of conditions
	maxIdle    = 4096 // changes applied to an entry that is not used
	maxPending = 1024 // changes recorded for a fill in progress
)

// A Cache holds the counts and anchors of all tables of a store. Its methods may
// be called by many goroutines at once. The zero Cache is empty.
type Cache struct {
	mu     sync.Mutex
	tables map[string]*table
}

// A table is the cache of one table, all of one version.
type table struct {
	schema  *store.Schema
	version uint64
	entries map[string]*entry // by their conditions
	uses    uint64

	fills    int      // in progress
	pending  []change // by commits since the first of them began
	overflow bool     // pending lacks some
}

// An entry is the cache for one set of conditions.
type entry struct {
	conds   []eval.Cond
	columns columns // that conds and orders read
	count   int64   // less than 0 when unknown
	since   uint64  // the first version whose count is known
	past    []past  // the earlier counts, oldest first
	ranks   map[string]*rankIndex
	used    uint64 // when, in uses of the table
	idle    int    // changes since then
}

// A Change is a row before and after, with all columns of its schema, nil where
// it is missing.
type Change struct{ Before, After []store.Value }

// A Commit is what one commit did to a table.
type Commit struct {
	Schema   *store.Schema
	From, To uint64 // versions
	Changes  []Change
	Partial  bool // some changes were not recorded
}

// Wants reports whether changes of the table are to be recorded.
func (c *Cache) Wants(s *store.Schema) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tables[s.Name]
	return t != nil && (len(t.entries) > 0 || t.fills > 0)
}

// Committed updates the entries of a table. It is called once for each commit and
// table that it changed, in their order.
func (c *Cache) Committed(commit *Commit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tables[commit.Schema.Name]
	if t == nil {
		return
	}
	if t.version != commit.From || t.schema != commit.Schema || commit.Partial {
		delete(c.tables, commit.Schema.Name)
		return
	}
	t.version = commit.To
	if len(t.entries) == 0 && t.fills == 0 {
		return
	}
	for i := range commit.Changes {
		ch := newChange(t.schema, &commit.Changes[i])
		for key, e := range t.entries {
			if e.idle++; e.idle > maxIdle {
				delete(t.entries, key)
				continue
			}
			e.apply(&ch, t.version)
		}
		if t.fills > 0 {
			t.record(ch)
		}
	}
}

// record records a change for the fills in progress.
func (t *table) record(ch change) {
	if t.overflow || len(t.pending) >= maxPending {
		t.overflow, t.pending = true, nil
		return
	}
	t.pending = append(t.pending, ch)
}

// table returns the cache of a table at a version, nil when it is at a later one
// already.
func (c *Cache) table(s *store.Schema, version uint64) *table {
	t := c.tables[s.Name]
	if t == nil || t.version < version || t.schema != s && t.version == version {
		if c.tables == nil {
			c.tables = make(map[string]*table)
		}
		t = &table{schema: s, version: version, entries: make(map[string]*entry)}
		c.tables[s.Name] = t
	}
	if t.version != version || t.schema != s {
		return nil
	}
	return t
}

// entry returns the entry of some conditions. A new one evicts the entry used
// least recently where there are too many.
func (t *table) entry(key string, conds []eval.Cond) *entry {
	e := t.entries[key]
	if e == nil {
		if len(t.entries) >= maxEntries {
			delete(t.entries, t.oldest(func(*entry) bool { return true }))
		}
		e = &entry{conds: conds, count: -1}
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

// oldest returns the entry used least recently, among those that fit.
func (t *table) oldest(fits func(*entry) bool) (key string) {
	least := t.uses + 1
	for k, e := range t.entries {
		if e.used < least && fits(e) {
			key, least = k, e.used
		}
	}
	return key
}

// apply updates the entry by a change that led to a version.
func (e *entry) apply(ch *change, version uint64) {
	if !ch.touches(e.columns) {
		return
	}
	before := ch.before.Values != nil && eval.Match(e.conds, ch.before.Values, ch.before.Folded)
	after := ch.after.Values != nil && eval.Match(e.conds, ch.after.Values, ch.after.Folded)
	if e.count >= 0 {
		e.setCount(e.count+delta(before, after), version)
	}
	for _, x := range e.ranks {
		x.apply(ch, before, after)
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
