package countcache

import (
	"slices"

	"github.com/shopapi/shopapi/store"
)

// Count returns how many rows match all conditions at a version of the table, if
// that is cached.
func (c *Cache) Count(s *store.Schema, where []store.Cond, version uint64) (int64, bool) {
	var buf [128]byte
	key, ok := appendConds(buf[:0], where)
	if !ok {
		return 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tables[s.Name]
	if t == nil || t.version < version || t.schema != s {
		return 0, false
	}
	e := t.entries[string(key)]
	if e == nil || e.count < 0 || version < e.since {
		return 0, false
	}
	c.use(e)
	return e.countAt(version), true
}

// countAt is the count at a version not before since.
func (e *entry) countAt(version uint64) int64 {
	for _, p := range e.past {
		if version < p.until {
			return p.count
		}
	}
	return e.count
}

// A past is a count that held until a version. Readers whose snapshot is some
// commits old ask for one.
type past struct {
	until uint64
	count int64
}

// maxPast is how many past counts an entry has.
const maxPast = 32

// setCount makes n the count from a version on.
func (e *entry) setCount(n int64, version uint64) {
	if e.count == n {
		return
	}
	if last := len(e.past) - 1; last < 0 || e.past[last].until != version {
		if len(e.past) == maxPast {
			e.since = e.past[0].until
			e.past = slices.Delete(e.past, 0, 1)
		}
		e.past = append(e.past, past{version, e.count})
	}
	e.count = n
}
