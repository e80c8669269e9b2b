package sqlite

import (
	"slices"
	"sync"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A changeLog contains the last changed rows with the versions of their changes. Earlier
// reads are checked against it: most changes of a table do not affect most reads of it.
type changeLog struct {
	capacity int // bytes

	mu     sync.RWMutex
	tables map[string]*loggedTable
	order  []*loggedTable // of each change its table, the oldest first
	bytes  int            // that the rows take
}

// A loggedTable is the changes of a table since a version, all of them.
type loggedTable struct {
	schema  *store.Schema
	since   uint64
	changes []loggedChange
}

type loggedChange struct {
	driver.RowChange
	version uint64
	bytes   int
}

// maxLogged is how many changes are logged, of all tables.
const maxLogged = 1024

// A loggedCommit is what a commit did to a table, ready for the log.
type loggedCommit struct {
	schema  *store.Schema
	partial bool // changes are not all
	changes []loggedChange
}

// newLoggedCommit copies what the log keeps of the changes of a table. It takes no lock, so
// that nobody waits for it.
func newLoggedCommit(t *tableChanges) *loggedCommit {
	c := &loggedCommit{schema: t.schema, partial: t.partial, changes: make([]loggedChange, len(t.rows))}
	for i := range t.rows {
		c.changes[i] = loggedChange{RowChange: t.rows[i], bytes: t.rows[i].Size()}
		c.changes[i].OwnTexts()
	}
	return c
}

// commit adds what a commit did to a table, which led from a version to another.
func (l *changeLog) commit(c *loggedCommit, from, to uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	logged := l.tables[c.schema.Name]
	switch {
	case c.partial || logged != nil && logged.schema != c.schema:
		l.drop(logged)
		delete(l.tables, c.schema.Name)
		return
	case len(c.changes) == 0:
		return
	case logged == nil:
		if l.tables == nil {
			l.tables = make(map[string]*loggedTable)
		}
		logged = &loggedTable{schema: c.schema, since: from}
		l.tables[c.schema.Name] = logged
	}
	for i := range c.changes {
		c.changes[i].version = to
		l.order = append(l.order, logged)
		l.bytes += c.changes[i].bytes
	}
	logged.changes = append(logged.changes, c.changes...)
	for len(l.order) > maxLogged || l.bytes > l.capacity {
		l.dropOldest()
	}
}

func (l *changeLog) dropOldest() {
	t := l.order[0]
	l.order = l.order[1:]
	l.bytes -= t.changes[0].bytes
	t.since = t.changes[0].version
	t.changes[0] = loggedChange{}
	t.changes = t.changes[1:]
}

// drop drops the changes of a table, nil for none.
func (l *changeLog) drop(t *loggedTable) {
	if t == nil {
		return
	}
	l.order = slices.DeleteFunc(l.order, func(other *loggedTable) bool { return other == t })
	for i := range t.changes {
		l.bytes -= t.changes[i].bytes
	}
}

// unaffected reports whether no row changed after a version affects the read of its
// table.
func (l *changeLog) unaffected(read *driver.Read, since uint64) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	t := l.tables[read.Schema.Name]
	if t == nil || t.schema != read.Schema || since < t.since {
		return false
	}
	for i := len(t.changes) - 1; i >= 0 && t.changes[i].version > since; i-- {
		if c := &t.changes[i]; read.Affected(c.Before, c.After) {
			return false
		}
	}
	return true
}

// Unaffected implements [driver.RowVersioned].
func (s *Store) Unaffected(since uint64, reads []*driver.Read) (until uint64, ok bool) {
	now := s.versions.whileOpen()
	if now == nil || now.all > since {
		return 0, false
	}
	for _, read := range reads {
		if now.changed(read.Schema.Name) > since && !s.log.unaffected(read, since) {
			return 0, false
		}
	}
	return now.version, true
}
