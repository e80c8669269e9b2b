package sqlite

import (
	"sync/atomic"
	"unsafe"
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
