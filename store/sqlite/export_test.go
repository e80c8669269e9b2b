package sqlite

import (
	"context"
	"sync/atomic"
	"unsafe"

	"github.com/shopapi/shopapi/store"
)

// Waiting is how many Updates have queued up behind the one that writes.
func (s *Store) Waiting() int {
	s.writer.mu.Lock()
	defer s.writer.mu.Unlock()
	return len(s.writer.queue)
}

// Exec runs a statement on the connection that writes. Nobody may write.
func (s *Store) Exec(sql string) error { return s.writer.conn.db.Exec(sql) }

// MaxPlans is how many statements a connection keeps.
const MaxPlans = maxPlans

// SpoilHead leaves the head of the log as a process does that is killed while it
// writes it.
func (s *Store) SpoilHead() {
	first := *(**uint64)(unsafe.Pointer(&s.versions.index))
	atomic.AddUint64(first, 1)
}

// KeptTotal is the total that is kept for some conditions, if it is right now.
func (s *Store) KeptTotal(schema *store.Schema, where ...store.Cond) (int64, bool) {
	now := s.versions.current()
	if now == nil {
		return 0, false
	}
	return s.keeping.Total(schema, where, now.changed(schema.Name))
}

// KeptMark is the rank of the last mark that is kept before a rank, if it is
// right now.
func (s *Store) KeptMark(schema *store.Schema, q store.Query) (int64, bool) {
	now := s.versions.current()
	if now == nil {
		return 0, false
	}
	m, _, ok := s.keeping.Seek(schema, q.Where, q.Order, now.changed(schema.Name), int64(q.Offset))
	return m.Rank, ok
}

// Way is how the engine is told to read a page, "" when that is left to it.
func (s *Store) Way(ctx context.Context, schema *store.Schema, q *store.Query) (text string, err error) {
	err = s.View(ctx, func(_ context.Context, t store.Tx) error {
		way, err := t.(*tx).way(schema, q)
		text = string(way)
		return err
	})
	return text, err
}

// MaxHostStatements is how many statements of the host a connection caches.
const MaxHostStatements = maxHostStatements
