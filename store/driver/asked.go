package driver

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
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

// RowAsked is an [Asked] store that remembers the rows that it changed last.
type RowAsked interface {
	Asked

	// Unaffected reports whether a table got from one version to another by changes that
	// the store remembers, none of which affects the reads. It may return false
	// negatives, but no false positives.
	Unaffected(table *store.Schema, from, to uint64, reads []*Read) bool
}

// Versions are the versions of tables in one snapshot of a database. They do not change.
type Versions struct {
	// Epoch is that of the database: versions of different epochs are never equal.
	Epoch uint64

	// Tables are the versions by the names of the tables. Snapshots that show the same
	// version of a table show the same rows. The version of a missing table is unknown.
	Tables map[string]uint64

	// Position is one of the database's log up to which a replica that has read the log
	// shows them, or later ones. The versions may have been there before. 0 is unknown.
	Position uint64
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
// Update, and again after a second: a cached answer is valid if it was when the context was
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
	pending  []*Read
	known    bool // epoch is known
	epoch    uint64
	tables   []seenTable

	// The versions of the tables up to which nothing that was read has changed, nil while
	// they are those of tables.
	later atomic.Pointer[[]uint64]
}

type seenTable struct {
	schema  *store.Schema
	version uint64
	reads   []*Read
}

// begin notes that a View begins. It returns false if what is read cannot be recorded.
func (s *seen) begin(st Asked) bool {
	ok := (s.store == nil || s.store == st) && len(s.pending) == 0
	s.store, s.snapshot = st, nil
	return ok
}

// read notes a read in the View. It returns false if the table has no version, or another
// one than an earlier View saw.
func (s *seen) read(read *Read) bool {
	if s.snapshot == nil {
		s.pending = append(s.pending, read)
		return true
	}
	version, ok := s.snapshot.Tables[read.Schema.Name]
	return ok && s.add(read.Schema, version, read)
}

// saw notes the versions that the snapshot of the View shows.
func (s *seen) saw(v *Versions) bool {
	s.snapshot = v
	ok := s.in(v.Epoch)
	for _, read := range s.pending {
		ok = ok && s.read(read)
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

// add adds a read of a version of a table.
func (s *seen) add(schema *store.Schema, version uint64, read *Read) bool {
	for i := range s.tables {
		t := &s.tables[i]
		if t.schema.Name != schema.Name {
			continue
		}
		if len(t.reads) >= maxReads || t.schema != schema {
			t.reads = []*Read{{Schema: schema, whole: true}}
		}
		if !t.reads[0].whole {
			t.reads = append(t.reads, read)
		}
		return t.version == version
	}
	s.tables = append(s.tables, seenTable{schema, version, []*Read{read}})
	return true
}

// merge adds what another read set has seen.
func (s *seen) merge(other *seen) bool {
	if s.store != nil && s.store != other.store || !s.in(other.epoch) {
		return false
	}
	s.store = other.store
	later := other.later.Load()
	for i, t := range other.tables {
		version := t.version
		if later != nil {
			version = (*later)[i]
		}
		for _, read := range t.reads {
			if !s.add(t.schema, version, read) {
				return false
			}
		}
	}
	return true
}

// complete reports whether all versions are known.
func (s *seen) complete() bool { return s.known && len(s.pending) == 0 }

// valid reports whether all tables have the versions that were seen, or have got their
// versions by changes that do not affect the reads.
func (s *seen) valid(ctx context.Context) bool {
	now, err := versions(ctx, s.store)
	if err != nil || now.Epoch != s.epoch {
		return false
	}
	later := s.later.Load()
	var moved []uint64
	for i := range s.tables {
		t := &s.tables[i]
		was := t.version
		if later != nil {
			was = (*later)[i]
		}
		is, ok := now.Tables[t.schema.Name]
		switch {
		case !ok:
			return false
		case is == was:
			continue
		}
		rows, ok := s.store.(RowAsked)
		if !ok || !rows.Unaffected(t.schema, was, is, t.reads) {
			return false
		}
		if moved == nil {
			moved = s.versions(later)
		}
		moved[i] = is
	}
	if moved != nil { // these changes need not be checked again
		s.later.CompareAndSwap(later, &moved)
	}
	return true
}

// versions returns the versions of the tables in a slice of its own.
func (s *seen) versions(later *[]uint64) []uint64 {
	if later != nil {
		return slices.Clone(*later)
	}
	list := make([]uint64, len(s.tables))
	for i := range s.tables {
		list[i] = s.tables[i].version
	}
	return list
}

// size is what it takes, in bytes.
func (s *seen) size() int {
	const perSet, perTable = 160, 64
	size := perSet + perTable*cap(s.tables)
	for i := range s.tables {
		for _, read := range s.tables[i].reads {
			size += 8 + read.size()
		}
	}
	return size
}

// Saw records the versions that the snapshot of a View of an [Asked] store shows. It does
// nothing on a nil ReadSet.
func (r *ReadSet) Saw(v *Versions) {
	if r != nil && (r.seen == nil || !r.seen.saw(v)) {
		r.untracked = true
	}
}

// Asks reports whether a store has to be asked whether the read set is valid.
func (r *ReadSet) Asks() bool { return r.seen != nil }
