package countcache

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// A Fill is the computation of a missing entry from one version of a table, while
// commits go on. It must be ended.
type Fill struct {
	cache     *Cache
	table     *table
	from      int // pending changes that came before
	key       []byte
	conds     []eval.Cond
	condBytes int64
}

// Begin begins a fill for the rows that match all conditions. It returns nil when
// its result would not be cached: for conditions with sub-queries, whose result
// depends on other tables, and for long ones.
func (c *Cache) Begin(s *store.Schema, where []store.Cond, version uint64) *Fill {
	if c.capacity <= 0 {
		return nil
	}
	key, ok := appendConds(nil, where)
	if !ok {
		return nil
	}
	where = cloneConds(where)
	conds, err := eval.Prepare(s, where, nil)
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.table(s, version)
	if t == nil {
		return nil
	}
	t.fills++
	return &Fill{cache: c, table: t, from: len(t.pending), key: key, conds: conds, condBytes: sizeOfConds(where, conds)}
}

// End ends the fill. Nothing can be put after it.
func (f *Fill) End() {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	if f.table.fills--; f.table.fills == 0 {
		f.table.pending, f.table.pendingBytes, f.table.overflow = nil, 0, false
	}
}

// missed returns the changes committed since the fill began. It reports false if they are
// unknown: then the result cannot be cached.
func (f *Fill) missed() ([]*change, bool) {
	t := f.table
	if t.overflow || f.cache.tables[t.schema.Name] != t {
		return nil, false
	}
	return t.pending[f.from:], true
}

// PutCount caches the count at the version of the fill, updated by the commits since.
func (f *Fill) PutCount(n int64) {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	missed, ok := f.missed()
	if !ok {
		return
	}
	counted := newEntry(f)
	counted.count = n
	for _, ch := range missed {
		counted.apply(ch, f.table.version)
	}
	e := f.cache.entry(f)
	e.count, e.since, e.past = counted.count, f.table.version, nil
	f.cache.resized(e)
}

// PutAnchors caches anchors in an order, at the version of the fill. The order must come
// from [Ordered].
func (f *Fill) PutAnchors(order []store.Order, anchors []Anchor) {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	missed, ok := f.missed()
	if !ok || len(anchors) == 0 {
		return
	}
	found := newRankIndex(f.table.schema, order)
	found.anchors = slices.Clone(anchors) // the reader goes on at its own version
	updated := newEntry(f)
	updated.ranks = map[string]*rankIndex{"": found}
	updated.columns |= found.reads
	for _, ch := range missed {
		updated.apply(ch, f.table.version)
	}
	e := f.cache.entry(f)
	e.rankIndex(found).add(found.anchors)
	for e.size() > f.cache.capacity/4 && e.halve() {
	}
	f.cache.resized(e)
}
