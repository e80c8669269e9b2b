package postgres

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// groupReads are the rows that members of a group have read, and the changes of members since then.
type groupReads struct {
	rows    map[aheadKey]*groupRead
	asked   map[aheadKey]bool // that are about to be read
	size    int
	changes map[*store.Schema][]driver.RowChange
	n       int  // of all changes
	dirty   bool // not all changes are known
}

// A groupRead is the result of a read.
type groupRead struct {
	rows
	byKey   bool // the rows have the keys that were asked for
	own     bool // the result depends on one table
	at, all int  // how many changes the result has: of its table, and of all tables
}

// get returns the rows of a read as they are now. It waits for a member that reads them.
func (r *groupReads) get(t *tx, keys ...aheadKey) (found rows, known bool) {
	for _, key := range keys {
		if t.gathers && r.rows[key] == nil && r.asked[key] && t.ahead.hand != nil {
			if t.handOver(nil) != nil {
				return rows{}, false
			}
			break
		}
	}
	for _, key := range keys {
		if read := r.rows[key]; read != nil && r.renew(read) {
			return read.rows, true
		} else if read != nil {
			delete(r.rows, key)
		}
	}
	if t.gathers && t.ahead.hand != nil {
		if r.asked == nil {
			r.asked = make(map[aheadKey]bool)
		}
		r.asked[keys[0]] = true
	}
	return rows{}, false
}

// renew brings a result up to date. It returns false where the rows have to be read again.
func (r *groupReads) renew(read *groupRead) bool {
	if !read.own {
		return read.all == r.n
	}
	changes := r.changes[read.projection.Schema]
	for ; read.at < len(changes); read.at++ {
		c := &changes[read.at]
		if !read.byKey || c.Before == nil || c.After == nil {
			return false
		}
		read.replace(c.After)
	}
	read.all = r.n
	return true
}

// replace replaces a row, if it is one of the result.
func (r *groupRead) replace(after []store.Value) {
	columns := r.projection.Columns
	width, key := len(columns), slices.Index(columns, 0)
	for i := range r.rows.n {
		row := r.values[i*width : (i+1)*width]
		if row[key] != after[0] {
			continue
		}
		for n, column := range columns {
			row[n] = after[column]
		}
	}
}

// keep caches the rows of a member's read for the other members. q is nil for a read of one key.
func (r *groupReads) keep(t *tx, key aheadKey, q *store.Query, result *rows) {
	size := sizeOf(result)
	if r.size+size > maxAhead || r.dirty && !t.direct { // what was read ahead may have changed since
		return
	}
	if r.rows == nil {
		r.rows = make(map[aheadKey]*groupRead)
	}
	r.size += size
	read := &groupRead{rows: rows{projection: result.projection, n: result.n, values: slices.Clone(result.values)}}
	p := result.projection
	read.own = len(p.Joined) == 0 && (q == nil || isOwn(q))
	read.byKey = read.own && slices.Contains(p.Columns, 0) && (q == nil || isOfKeys(p.Schema, q))
	if t.direct {
		read.at, read.all = len(r.changes[p.Schema]), r.n
	}
	r.rows[key] = read
}

// isOwn reports whether the result of a query depends on one table alone.
func isOwn(q *store.Query) bool {
	return !slices.ContainsFunc(q.Where, func(c store.Cond) bool { return c.Sub != nil || len(c.Conds) > 0 }) &&
		!slices.ContainsFunc(q.Order, func(o store.Order) bool { return o.Via != nil })
}

// isOfKeys reports whether a query asks for the rows of some keys.
func isOfKeys(s *store.Schema, q *store.Query) bool {
	return len(q.Where) == 1 && q.Where[0].Column == s.Key() && (q.Where[0].Op == store.OpEqual || q.Where[0].Op == store.OpIn) &&
		q.Limit <= 0 && q.Offset <= 0 && !slices.ContainsFunc(q.Order, func(o store.Order) bool { return o.Column != s.Key() })
}

// changed notes the changes of a member that succeeded.
func (r *groupReads) changed(t *tx) {
	if t.saved && t.changes.number == 0 {
		*r = groupReads{asked: r.asked, dirty: true}
		return
	}
	for s, changes := range t.changes.tables { // that were sent
		if changes.partial {
			r.add(s, driver.RowChange{})
		}
		r.add(s, changes.rows...)
	}
	for _, w := range t.ops {
		r.add(w.schema, driver.RowChange{Before: w.before, After: w.after})
	}
}

func (r *groupReads) add(s *store.Schema, changes ...driver.RowChange) {
	if r.changes == nil {
		r.changes = make(map[*store.Schema][]driver.RowChange)
	}
	r.changes[s] = append(r.changes[s], changes...)
	r.n += len(changes)
}

// unchanged reports whether no member has changed tables.
func (r *groupReads) unchanged(schemas []*store.Schema) bool {
	return !r.dirty && !slices.ContainsFunc(schemas, func(s *store.Schema) bool { return len(r.changes[s]) > 0 })
}
