package sqlite

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/countcache"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// versions tracks the version of the last change of each table, by any process.
//
// The engine's WAL-index header differs between any two states of the database. A state
// contains the versions of the tables and their header: while the database has that
// header, the versions are right. The comparison needs no lock and costs nanoseconds.
//
// Another header means another commit. The writer holds mu from before its COMMIT until
// it has published the new state, so a header that still differs under mu belongs to a
// commit by another connection, which may have changed any table. The header is written
// after the WAL is synced, so no reader waits for it during the sync.
//
// A transaction that begins the WAL anew writes a header of the same state before it writes
// pages. While the writer's own transaction is open, writing is the state that it began in, and
// a restart of that state's header is known to be its own.
//
// The writer compares headers once it holds the write lock of the file: from then on no
// other connection commits. After its COMMIT others may commit before it reads the
// header; so it takes the header for its own only if the header counts one commit more
// and the WAL ends where this commit ended it.
type versions struct {
	index  engine.WALIndex
	shared bool // there is an index; without it nothing is known
	files  *fileWatch

	open   sync.RWMutex // held to read the index where Close may come
	closed bool

	mu      sync.Mutex
	now     atomic.Pointer[state]
	writing atomic.Pointer[state] // nil without a transaction of the writer, and where the state is not known
}

// A state is the versions of all tables in one state of the database. It does not
// change.
type state struct {
	header  engine.WALHeader
	version uint64            // counts the states
	all     uint64            // the version in which any table may have changed last
	tables  map[string]uint64 // the version in which a table changed last, if after all
}

// changed is the version in which the table changed last.
func (s *state) changed(table string) uint64 { return max(s.all, s.tables[table]) }

// Version implements [driver.Versioned].
func (s *Store) Version() (version uint64, ok bool) {
	if now := s.versions.whileOpen(); now != nil {
		return now.version, true
	}
	return 0, false
}

// Unchanged implements [driver.Versioned].
func (s *Store) Unchanged(since uint64, reads []*driver.Read) bool {
	now := s.versions.whileOpen()
	if now == nil {
		return false
	}
	var last *store.Schema // reads of one table often follow each other
	for _, read := range reads {
		if read.Schema == last {
			continue
		}
		if last = read.Schema; now.changed(last.Name) > since {
			return false
		}
	}
	return true
}

func (v *versions) init(db *engine.Conn, files *fileWatch) {
	v.files = files
	v.now.Store(&state{})
	v.index, v.shared = db.WALIndex()
}

// close has the index be read no more: its memory goes with the connection.
func (v *versions) close() {
	v.open.Lock()
	defer v.open.Unlock()
	v.closed = true
}

// whileOpen is current for callers outside transactions, which Close does not wait
// for.
func (v *versions) whileOpen() *state {
	v.open.RLock()
	defer v.open.RUnlock()
	if v.closed {
		return nil
	}
	return v.current()
}

// current returns the state of the database, or nil if it is unknown. Call it inside
// transactions.
func (v *versions) current() *state {
	if !v.shared || v.files.lost.Load() != nil {
		return nil
	}
	if s := v.now.Load(); v.is(s) {
		return s
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.refresh()
}

// is reports whether s is still the state of the database.
func (v *versions) is(s *state) bool {
	if v.index.Is(&s.header) {
		return true
	}
	header, ok := v.index.Header()
	return ok && v.restarted(s, &header)
}

// restarted reports whether a header is that of s after the writer's open transaction has
// begun the WAL anew.
func (v *versions) restarted(s *state, header *engine.WALHeader) bool {
	return v.writing.Load() == s && header.IsRestartOf(&s.header)
}

// began notes that the writer's transaction has begun in a state, nil for an unknown one.
func (v *versions) began(s *state) { v.writing.Store(s) }

// rollback ends the writer's transaction, unless the engine has done so. It publishes the
// header of a WAL that the transaction has begun anew.
func (v *versions) rollback(w *writer) error {
	w.rows.rollback(w.conn.db.TotalChanges())
	if v.shared {
		v.mu.Lock()
		v.refresh()
		v.writing.Store(nil)
		v.mu.Unlock()
	}
	if !w.conn.db.InTransaction() {
		return nil
	}
	return run(w.rollback)
}

// refresh returns the state that the database is in. Where that is not the one
// published last, any table may have changed. The caller holds mu.
func (v *versions) refresh() *state {
	header, ok := v.index.Header()
	if !ok {
		return nil
	}
	last := v.now.Load()
	switch {
	case last.header == header:
	case v.restarted(last, &header):
		last = &state{header: header, version: last.version, all: last.all, tables: last.tables}
		v.now.Store(last)
	default:
		last = &state{header: header, version: last.version + 1, all: last.version + 1}
		v.now.Store(last)
	}
	return last
}

// commit runs COMMIT on the writer's connection, which changed some tables, and
// publishes the state that it leaves.
func (v *versions) commit(w *writer, changed *changes) error {
	if !v.shared {
		return w.conn.db.Commit(w.commit)
	}
	logged := make(map[string]*loggedCommit, len(changed.tables))
	for name, t := range changed.tables {
		logged[name] = newLoggedCommit(t)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	defer v.writing.Store(nil)
	before, commits := v.refresh(), w.conn.db.WALCommits()
	if err := w.conn.db.Commit(w.commit); err != nil || before == nil {
		return err // the header, if it is another one, invalidates all tables
	}
	header, ok := v.index.Header()
	if ok && w.conn.db.WALCommits() == commits+1 && !changed.all &&
		header.Commits() == before.header.Commits()+1 && header.Pages() == w.conn.db.WALPages() {
		next := &state{header: header, version: before.version + 1, all: before.all, tables: maps.Clone(before.tables)}
		if next.tables == nil {
			next.tables = make(map[string]uint64)
		}
		for name, t := range changed.tables {
			next.tables[name] = next.version
			w.store.log.commit(logged[name], before.version, next.version)
			w.store.counts.Committed(&countcache.Commit{
				Schema: t.schema, From: before.changed(name), To: next.version, Changes: t.rows, Partial: t.partial,
			})
		}
		v.now.Store(next)
		w.rows.committed(before.version, next.version)
	}
	return nil // other headers are of commits that may have changed any table
}
