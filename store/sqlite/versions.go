package sqlite

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/internal/kept"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// versions knows which tables have changed since when, whoever changed them.
//
// The engine's head of the log tells any two states of the database apart. What
// the store knows of one state is kept together with its head: who finds the
// head of the database equal to that, has found the database in that very state,
// and the numbers of its tables are right. That needs no lock and costs
// nanoseconds.
//
// Where the head is another one, somebody has committed. The writer holds mu from
// before its COMMIT until it has published the new state, so whoever then gets mu
// and still finds another head than the published one knows that it was somebody
// else, who may have changed any table. The head is written after the log is on
// the disk, so nobody meets a head that he has to wait for during the sync, but
// for the one commit that begins the log anew and says so in the head first.
//
// The writer compares once it holds the write lock of the file: from then on
// nobody else commits. After its COMMIT others may at once, before it looks at
// the head; so it takes the head for its own only if that counts one commit more
// and the log ends where this commit ended it.
type versions struct {
	index  engine.LogIndex
	shared bool // index is there; without it nothing is known

	mu  sync.Mutex
	now atomic.Pointer[state]
}

// A state is what is known of one state of the database. It does not change.
type state struct {
	head    engine.LogHead
	version uint64            // counts the states known
	all     uint64            // the version in which any table may have changed last
	tables  map[string]uint64 // the version in which a table changed last, if after all
}

// changed is the version in which the table changed last.
func (s *state) changed(table string) uint64 { return max(s.all, s.tables[table]) }

// Version implements [driver.Versioned].
func (s *Store) Version() (version uint64, ok bool) {
	if now := s.versions.current(); now != nil {
		return now.version, true
	}
	return 0, false
}

// Unchanged implements [driver.Versioned].
func (s *Store) Unchanged(since uint64, schemas []*store.Schema) bool {
	now := s.versions.current()
	if now == nil {
		return false
	}
	for _, schema := range schemas {
		if now.changed(schema.Name) > since {
			return false
		}
	}
	return true
}

func (v *versions) init(db *engine.Conn) {
	v.now.Store(&state{})
	v.index, v.shared = db.LogIndex()
}

// current returns the state that the database is in, nil when that cannot be
// told.
func (v *versions) current() *state {
	if !v.shared {
		return nil
	}
	if s := v.now.Load(); v.index.Is(&s.head) {
		return s
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.look()
}

// is reports whether s is still the state of the database.
func (v *versions) is(s *state) bool { return v.index.Is(&s.head) }

// look returns the state that the database is in. Where that is not the one
// published last, any table may have changed. The caller holds mu.
func (v *versions) look() *state {
	head, ok := v.index.Head()
	if !ok {
		return nil
	}
	last := v.now.Load()
	if last.head != head {
		last = &state{head: head, version: last.version + 1, all: last.version + 1}
		v.now.Store(last)
	}
	return last
}

// commit runs COMMIT on the writer's connection, which changed some tables, and
// publishes the state that it leaves.
func (v *versions) commit(w *writer, changed *changes) error {
	if !v.shared {
		return run(w.commit)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	before, logged := v.look(), w.conn.db.Logged()
	if err := run(w.commit); err != nil || before == nil {
		v.forget() // nobody knows what was written
		return err
	}
	head, ok := v.index.Head()
	switch {
	case ok && head == before.head:
		// It left everything as it was.
	case ok && w.conn.db.Logged() == logged+1 && !changed.all &&
		head.Commits() == before.head.Commits()+1 && head.Pages() == w.conn.db.LogPages():
		next := &state{head: head, version: before.version + 1, all: before.all, tables: maps.Clone(before.tables)}
		if next.tables == nil {
			next.tables = make(map[string]uint64)
		}
		for name, t := range changed.tables {
			next.tables[name] = next.version
			w.store.keeping.Committed(&kept.Commit{
				Schema: t.schema, From: before.changed(name), To: next.version, Changes: t.rows, Partial: t.partial,
			})
		}
		v.now.Store(next)
	default:
		v.forget()
	}
	return nil
}

// forget takes every table for changed. The caller holds mu.
func (v *versions) forget() {
	last := v.now.Load()
	v.now.Store(&state{version: last.version}) // no database has this head
	v.look()
}
