package sqlite

import (
	"sync"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/countcache"
)

// counts is the store's cache of counts and anchors, and which tables it is for.
type counts struct {
	*countcache.Cache

	mu    sync.Mutex
	plain map[*store.Schema]plainness
}

// A plainness says whether a table is plain, and free of constraints that its schema does not
// have. It holds until any table may have changed, schemas included.
type plainness struct {
	plain, free bool
	since       uint64
}

// tableVersion returns the version of a table that the transaction sees. It is
// false in an Update, whose own changes are not committed, when another commit came
// while the snapshot was taken, and for a table that is not plain.
func (t *tx) tableVersion(s *store.Schema) (uint64, bool) {
	if t.state == nil {
		return 0, false
	}
	return t.state.changed(s.Name), t.store.counts.plainness(t.conn, s, t.state.all).plain
}

// plainness is isPlain of a table in a state in which any table may have changed last in
// the version all.
func (c *counts) plainness(conn *conn, s *store.Schema, all uint64) plainness {
	c.mu.Lock()
	known, ok := c.plain[s]
	c.mu.Unlock()
	if ok && known.since == all {
		return known
	}
	plain, free, err := isPlain(conn, s)
	if err != nil {
		return plainness{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.plain == nil {
		c.plain = make(map[*store.Schema]plainness)
	}
	known = plainness{plain, free, all}
	c.plain[s] = known
	return known
}

// records reports whether to record the rows of a table that the Update changes: only if
// the committed table is plain.
func (t *tx) records(s *store.Schema) bool {
	return t.store.log.capacity > 0 && !t.changes.all && t.plainness(s).plain
}

// plainness is the plainness of the committed table.
func (t *tx) plainness(s *store.Schema) plainness {
	now := t.store.versions.current()
	if now == nil {
		return plainness{}
	}
	return t.store.counts.plainness(t.conn, s, now.all)
}

// count counts the rows that match, from the cache where it can, and fills the
// cache.
func (t *tx) count(s *store.Schema, where []store.Cond) (int64, error) {
	version, ok := t.tableVersion(s)
	if !ok {
		n, _, err := t.countRows(s, where)
		return n, err
	}
	if n, ok := t.store.counts.Count(s, where, version); ok {
		return n, nil
	}
	fill := t.store.counts.Begin(s, where, version)
	if fill == nil {
		n, _, err := t.countRows(s, where)
		return n, err
	}
	defer fill.End()
	n, steps, err := t.countRows(s, where)
	// All rows of a table are counted in one long step. Beyond that, a quick count
	// is not worth the updates by all later commits.
	if err == nil && (steps >= slowSteps || len(where) == 0) {
		fill.PutCount(n)
	}
	return n, err
}

// slowSteps is how many steps a count takes whose result is cached: about ten
// microseconds.
const slowSteps = 400

func (t *tx) countRows(s *store.Schema, where []store.Cond) (n int64, steps int, err error) {
	where, narrowed, err := t.narrow(s, where)
	if err != nil {
		return 0, 0, translate(t.ctx, err)
	}
	hint := noHint
	if narrowed {
		hint = scanHint
	}
	st, err := t.conn.query(countRows, s, where, hint)
	if err != nil {
		return 0, 0, translate(t.ctx, err)
	}
	defer t.conn.release(st)
	if _, err := st.Step(); err != nil {
		return 0, 0, translate(t.ctx, err)
	}
	st.Row(st.row)
	return st.row[0].Int(), st.Steps(), nil
}
