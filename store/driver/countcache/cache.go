package countcache

import (
	"container/list"
	"sync"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// Limits of the cache of one table.
const (
	maxEntries      = 256       // sets of conditions
	maxIdle         = 4096      // changes applied to an entry that is not used
	maxPending      = 1024      // changes recorded for a fill in progress
	maxPendingBytes = 256 << 10 // and what their rows take
)

// A Cache holds the counts and anchors of all tables of a store, up to a number of
// bytes. Its methods may be called by many goroutines at once. The zero Cache holds
// nothing.
type Cache struct {
	capacity int64

	mu     sync.Mutex
	bytes  int64 // that the entries take
	tables map[string]*table
	recent list.List // of *entry, of all tables, the last used first
	ranked int       // entries that have rank indexes
}

// New returns a cache of at most so many bytes. With 0 or less it holds nothing.
func New(capacity int64) *Cache { return &Cache{capacity: capacity} }

// A table is the cache of one table, all of one version.
type table struct {
	schema  *store.Schema
	version uint64
	entries map[string]*entry // by their conditions

	fills        int       // in progress
	pending      []*change // by commits since the first of them began
	pendingBytes int64
	overflow     bool // pending lacks some
}

// A Commit is what one commit did to a table.
type Commit struct {
	Schema   *store.Schema
	From, To uint64 // versions
	Changes  []driver.RowChange
	Partial  bool // some changes were not recorded
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
		c.drop(t)
		return
	}
	t.version = commit.To
	if len(t.entries) == 0 && t.fills == 0 {
		return
	}
	c.limitWork(t, commit.Changes)
	for i := range commit.Changes {
		ch := newChange(t.schema, &commit.Changes[i])
		for _, e := range t.entries {
			if e.idle++; e.idle > maxIdle {
				c.evict(e)
				continue
			}
			e.apply(ch, t.version)
		}
		if t.fills > 0 {
			t.record(ch)
		}
	}
}

// record records a change for the fills in progress.
func (t *table) record(ch *change) {
	t.pendingBytes += ch.size()
	if t.overflow || len(t.pending) >= maxPending || t.pendingBytes > maxPendingBytes {
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
		if t != nil {
			c.drop(t)
		}
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

// drop drops a table with its entries.
func (c *Cache) drop(t *table) {
	for _, e := range t.entries {
		c.evict(e)
	}
	delete(c.tables, t.schema.Name)
}

// entry returns the entry of a fill. A new one evicts the entry of the table that was
// used least recently where there are too many.
func (c *Cache) entry(f *Fill) *entry {
	t := f.table
	e := t.entries[string(f.key)]
	if e == nil {
		if len(t.entries) >= maxEntries {
			c.evict(c.oldest(func(e *entry) bool { return e.table == t }))
		}
		e = newEntry(f)
		e.element = c.recent.PushFront(e)
		t.entries[e.key] = e
	}
	c.use(e)
	return e
}

func (c *Cache) use(e *entry) {
	c.recent.MoveToFront(e.element)
	e.idle = 0
}

// oldest returns the least recently used entry for which fits returns true.
func (c *Cache) oldest(fits func(*entry) bool) *entry {
	for at := c.recent.Back(); at != nil; at = at.Prev() {
		if e := at.Value.(*entry); fits(e) {
			return e
		}
	}
	return nil
}

// resized counts what an entry takes now, and makes room for it: first anchors go,
// which are large, then entries, in both cases those used least recently.
func (c *Cache) resized(e *entry) {
	if len(e.ranks) > 0 && !e.ranked {
		e.ranked = true
		c.ranked++
	}
	c.bytes -= e.bytes
	e.bytes = e.size()
	c.bytes += e.bytes
	for c.bytes > c.capacity && c.ranked > 0 {
		c.dropRanks(c.oldest(func(e *entry) bool { return e.ranked }))
	}
	for c.bytes > c.capacity {
		c.evict(c.recent.Back().Value.(*entry))
	}
}

// dropRanks drops the rank indexes of an entry.
func (c *Cache) dropRanks(e *entry) {
	c.ranked--
	e.ranks, e.ranked = nil, false
	c.bytes -= e.bytes
	e.bytes = e.size()
	c.bytes += e.bytes
}

// evict drops an entry.
func (c *Cache) evict(e *entry) {
	if e.ranked {
		c.ranked--
	}
	c.bytes -= e.bytes
	c.recent.Remove(e.element)
	delete(e.table.entries, e.key)
}
