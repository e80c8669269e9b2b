package sqlite

import (
	"context"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/countcache"
)

// Waiting returns the number of Updates that wait for the writer.
func (s *Store) Waiting() int {
	s.writer.mu.Lock()
	defer s.writer.mu.Unlock()
	return s.writer.queue.Len()
}

// SetBatchTime sets how long batches take further members. No Update may run.
func (s *Store) SetBatchTime(d time.Duration) { s.writer.batchTime = d }

// CommitTime is how long the commit of the last batch took. Call it in hooks, or while no Update runs.
func (s *Store) CommitTime() time.Duration { return s.writer.commitTime }

// Changes is how many rows Updates have written. No Update may run.
func (s *Store) Changes() int64 { return s.writer.conn.db.TotalChanges() }

// SetCareful sets how many further batches have a savepoint for each member. No Update may run.
func (s *Store) SetCareful(n int) { s.writer.careful = n }

// WaitingViews returns the number of Views that wait for a connection.
func (s *Store) WaitingViews() int { return s.readers.slots.Waiting() }

// Exec runs a statement on the connection that writes. No Update may run.
func (s *Store) Exec(sql string) error { return s.writer.conn.db.Exec(sql) }

// MaxPlans is how many statements a connection caches.
const MaxPlans = maxPlans

// TearWALHeader leaves the WAL-index header as a process does that is killed while it
// writes it.
func (s *Store) TearWALHeader() {
	first := *(**uint64)(unsafe.Pointer(&s.versions.index))
	atomic.AddUint64(first, 1)
}

// CachedCount is the cached count of some conditions, if it is valid now.
func (s *Store) CachedCount(schema *store.Schema, where ...store.Cond) (int64, bool) {
	now := s.versions.current()
	if now == nil {
		return 0, false
	}
	return s.counts.Count(schema, where, now.changed(schema.Name))
}

// CachedAnchor is the rank of the last cached anchor before the offset of a query, if
// it is valid now.
func (s *Store) CachedAnchor(schema *store.Schema, q store.Query) (int64, bool) {
	now := s.versions.current()
	if now == nil {
		return 0, false
	}
	a, _, ok := s.counts.Nearest(schema, q.Where, q.Order, now.changed(schema.Name), int64(q.Offset))
	return a.Rank, ok
}

// IndexHint is the index hint of a page, "" when the planner chooses.
func (s *Store) IndexHint(ctx context.Context, schema *store.Schema, q *store.Query) (text string, err error) {
	err = s.View(ctx, func(_ context.Context, t store.Tx) error {
		hint, err := t.(*tx).indexHint(schema, q)
		text = string(hint)
		return err
	})
	return text, err
}

// MaxHostStatements is how many statements of the host a connection caches.
const MaxHostStatements = maxHostStatements

// MaxQueued is how many short rows wait for their search index.
const MaxQueued = maxQueued

// MinQueued is how many long rows wait for it.
const MinQueued = minQueued

// Candidates is how many rows the search index leaves for conditions, if it is of use.
func (s *Store) Candidates(ctx context.Context, schema *store.Schema, where ...store.Cond) (n int, ok bool, err error) {
	err = s.View(ctx, func(_ context.Context, t store.Tx) error {
		narrowed, found, err := t.(*tx).narrow(schema, where)
		if ok = found; ok {
			n = len(narrowed[0].Values)
		}
		return err
	})
	return n, ok, err
}

// SelectPlain is Select of a View without index hints and without reading keys one by one.
func (s *Store) SelectPlain(ctx context.Context, p *store.Projection, q *store.Query, each func([]store.Value) error) error {
	return s.View(ctx, func(_ context.Context, view store.Tx) error {
		t := driver.Unwrap(view).(*tx)
		st, err := t.conn.queryAfter(selectRows, p, q, &countcache.Anchor{}, noHint)
		if err != nil {
			return err
		}
		_, err = t.rows(st, p, each)
		return err
	})
}

// WaitingTurns is the number of writers that wait for their turn.
func (s *Store) WaitingTurns() int { return s.turn.slot.Waiting() }

// HasTurn reports whether the Update that runs has the turn.
func (s *Store) HasTurn() bool { return s.writer.hasTurn }
