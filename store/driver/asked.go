package driver

import (
	"context"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store"
)

// Asked is a [store.Store] that knows the versions of its tables only by asking its
// database. Results computed from its tables can be cached until one of the versions is
// another.
//
// In each View under a [ReadSet] it calls [ReadSet.Saw] with the versions that the
// snapshot of the View shows, before the first read returns, or [ReadSet.MarkUntracked].
type Asked interface {
	store.Store

	// Versions returns the versions in a snapshot that is taken after the call.
	Versions(ctx context.Context) (*Versions, error)
}

// Versions are the versions of tables in one snapshot of a database. They do not change.
type Versions struct {
	// Epoch is that of the database: versions of different epochs are never equal.
	Epoch uint64

	// Tables are the versions by the names of the tables. Snapshots that show the same
	// version of a table show the same rows. The version of a missing table is unknown.
	Tables map[string]uint64
}

type questionKey struct{}

// A question is what one request asks a store.
type question struct {
	mu     sync.Mutex
	asked  Asked // nil before the first question
	at     time.Time
	answer *Versions
}

// answerAge is how long an answer is used under one context.
const answerAge = time.Second

// AskOnce returns a context under which an [Asked] store is asked once, again after each
// Update, and again after a second: what is cached is valid if it was when the context was
// made, or later. It is for one request.
func AskOnce(ctx context.Context) context.Context {
	return context.WithValue(ctx, questionKey{}, new(question))
}

// questionOf returns the question of ctx, nil when there is none.
func questionOf(ctx context.Context) *question {
	q, _ := ctx.Value(questionKey{}).(*question)
	return q
}

// versions asks st, unless that was done under ctx.
func versions(ctx context.Context, st Asked) (*Versions, error) {
	q := questionOf(ctx)
	if q == nil {
		return st.Versions(ctx)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if q.asked == st && now.Sub(q.at) < answerAge {
		return q.answer, nil
	}
	answer, err := st.Versions(ctx)
	if err == nil {
		q.asked, q.at, q.answer = st, now, answer
	}
	return answer, err
}

// forget has the store be asked again. It does nothing on a nil question.
func (q *question) forget() {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked, q.answer = nil, nil
}

// seen are the tables that were read from an [Asked] store, with their versions.
type seen struct {
	store    Asked
	snapshot *Versions // of the View, nil before its first read has returned
	pending  []*store.Schema
	known    bool // epoch is known
	epoch    uint64
	tables   []seenTable
}

type seenTable struct {
	name    string
	version uint64
}

// begin notes that a View begins. It returns false if what is read cannot be recorded.
func (s *seen) begin(st Asked) bool {
	ok := (s.store == nil || s.store == st) && len(s.pending) == 0
	s.store, s.snapshot = st, nil
	return ok
}

// read notes that a table is read in the View. It returns false if the table has no
// version, or another one than an earlier View saw.
func (s *seen) read(table *store.Schema) bool {
	if s.snapshot == nil {
		s.pending = append(s.pending, table)
		return true
	}
	version, ok := s.snapshot.Tables[table.Name]
	return ok && s.add(seenTable{table.Name, version})
}

// saw notes the versions that the snapshot of the View shows.
func (s *seen) saw(v *Versions) bool {
	s.snapshot = v
	ok := s.in(v.Epoch)
	for _, table := range s.pending {
		ok = ok && s.read(table)
	}
	s.pending = nil
	return ok
}

// in notes the epoch, which must be the same for all reads.
func (s *seen) in(epoch uint64) bool {
	if s.known {
		return s.epoch == epoch
	}
	s.known, s.epoch = true, epoch
	return true
}

// add adds the version of a table.
func (s *seen) add(t seenTable) bool {
	for _, other := range s.tables {
		if other.name == t.name {
			return other.version == t.version
		}
	}
	s.tables = append(s.tables, t)
	return true
}

// merge adds what another read set has seen.
func (s *seen) merge(other *seen) bool {
	if s.store != nil && s.store != other.store || !s.in(other.epoch) {
		return false
	}
	s.store = other.store
	for _, t := range other.tables {
		if !s.add(t) {
			return false
		}
	}
	return true
}

// complete reports whether all versions are known.
func (s *seen) complete() bool { return s.known && len(s.pending) == 0 }

// valid reports whether all tables have the versions that were seen.
func (s *seen) valid(ctx context.Context) bool {
	now, err := versions(ctx, s.store)
	if err != nil || now.Epoch != s.epoch {
		return false
	}
	for _, t := range s.tables {
		if version, ok := now.Tables[t.name]; !ok || version != t.version {
			return false
		}
	}
	return true
}

// size is what it takes, in bytes.
func (s *seen) size() int {
	const perSet, perTable = 128, 24
	if s.store == nil {
		return 0
	}
	return perSet + perTable*cap(s.tables)
}

// Saw records the versions that the snapshot of a View of an [Asked] store shows. It does
// nothing on a nil ReadSet.
func (r *ReadSet) Saw(v *Versions) {
	if r != nil && !r.seen.saw(v) {
		r.untracked = true
	}
}

// Asks reports whether a store has to be asked whether the read set is valid.
func (r *ReadSet) Asks() bool { return r.seen.store != nil }
