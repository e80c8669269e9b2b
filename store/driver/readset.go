package driver

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/shopapi/shopapi/store"
)

// Versioned is a [store.Store] that knows at any time whether a table has changed since
// an earlier version, whichever process changed it. Results computed from its tables can
// be cached until they change.
type Versioned interface {
	store.Store

	// Version returns the version of the state that a View begun now would see. ok is
	// false if the store cannot determine it at present.
	Version() (version uint64, ok bool)

	// Unchanged reports whether a View begun now would find the tables of the reads in the
	// same state as one begun when Version returned since. It may return false
	// negatives, but no false positives.
	Unchanged(since uint64, reads []*Read) bool
}

// RowVersioned is a [Versioned] that remembers the rows that were changed last.
type RowVersioned interface {
	Versioned

	// Unaffected reports whether no row that was changed after a version affects the
	// reads, and up to which version that is so. It may return false negatives, but no
	// false positives.
	Unaffected(since uint64, reads []*Read) (until uint64, ok bool)
}

// A ReadSet records the reads under one context, so that a result can be cached until
// they are no longer valid. The zero ReadSet is empty. One goroutine uses it at a time;
// after the last read, many goroutines may call Valid and Complete.
type ReadSet struct {
	store     Versioned
	since     atomic.Uint64 // the version up to which nothing that was read has changed
	reads     []*Read
	while     []func() bool
	seen      *seen // in place of the store and its reads, for an [Asked] store; else nil
	untracked bool
	merged    int32 // the bytes of reads that other read sets have too
}

// maxReads is how many reads of a table are recorded one by one.
const maxReads = 16

type readSetKey struct{}

// WithReadSet returns a context whose reads are recorded in r.
func WithReadSet(ctx context.Context, r *ReadSet) context.Context {
	return context.WithValue(ctx, readSetKey{}, r)
}

// ReadSetOf returns the read set of ctx, nil when there is none.
func ReadSetOf(ctx context.Context) *ReadSet {
	r, _ := ctx.Value(readSetKey{}).(*ReadSet)
	return r
}

// MarkUntracked says that the result depends on something that is not recorded,
// such as the time. It does nothing on a nil ReadSet.
func (r *ReadSet) MarkUntracked() {
	if r != nil {
		r.untracked = true
	}
}

// While says that the result also depends on a condition, such as that it is the same
// day, which holds now. It does nothing on a nil ReadSet.
func (r *ReadSet) While(holds func() bool) {
	if r != nil {
		r.while = append(r.while, holds)
	}
}

// Merge adds the reads of other, which must be valid, to r, because r's result depends on
// a result that was cached with other. It does nothing on a nil ReadSet.
//
// The tables of other have not changed since it was read, so its reads count as made now.
// Other tables that r reads may have changed in between.
func (r *ReadSet) Merge(other *ReadSet) {
	if r == nil {
		return
	}
	if !other.Complete() || !other.holds() || r.store != nil && r.store != other.store || r.seen != nil && other.store != nil {
		r.untracked = true
		return
	}
	if other.seen != nil {
		if r.seen == nil {
			r.seen = new(seen)
		}
		if !r.seen.merge(other.seen) {
			r.untracked = true
		}
		r.while = append(r.while, other.while...)
		return
	}
	version, ok := other.store.Version()
	if !ok || !other.unchanged() {
		r.untracked = true
		return
	}
	r.from(other.store, version)
	for _, read := range other.reads {
		if r.add(read) {
			r.merged += int32(read.size())
		}
	}
	r.while = append(r.while, other.while...)
}

// from has the read set hold from a version of a store on, unless it does so from an
// earlier one on.
func (r *ReadSet) from(st Versioned, version uint64) {
	if r.store == nil || version < r.since.Load() {
		r.store = st
		r.since.Store(version)
	}
}

// Valid reports whether nothing that was read has changed since. It is false when
// nothing was read, when the read set is not complete, and when an [Asked] store gives no
// answer. In an Update it is also false if the transaction may see rows that are not committed.
// With an Asked store each Update may.
func (r *ReadSet) Valid(ctx context.Context) bool {
	if !r.Complete() || !r.holds() {
		return false
	}
	if r.seen != nil {
		return updateOf(ctx, r.seen.store) == nil && r.seen.valid(ctx)
	}
	if s := updateOf(ctx, r.store); s != nil && !s.isCommitted(r.schemas()) {
		return false
	}
	return r.unchanged()
}

// holds reports whether the conditions hold.
func (r *ReadSet) holds() bool {
	return !slices.ContainsFunc(r.while, func(holds func() bool) bool { return !holds() })
}

// unchanged is Valid of a complete read set of a [Versioned] store, but for its
// conditions.
func (r *ReadSet) unchanged() bool {
	since := r.since.Load()
	if r.store.Unchanged(since, r.reads) {
		return true
	}
	rows, ok := r.store.(RowVersioned)
	if !ok {
		return false
	}
	until, ok := rows.Unaffected(since, r.reads)
	if ok { // earlier changes need not be checked again
		r.since.CompareAndSwap(since, until)
	}
	return ok
}

// schemas returns the tables that were read.
func (r *ReadSet) schemas() []*store.Schema {
	var schemas []*store.Schema
	for _, read := range r.reads {
		if !slices.Contains(schemas, read.Schema) {
			schemas = append(schemas, read.Schema)
		}
	}
	return schemas
}

// Size is what the read set takes, in bytes.
func (r *ReadSet) Size() int {
	const perSet, perCondition = 96, 64
	size := perSet + 8*cap(r.reads) + perCondition*cap(r.while) - int(r.merged)
	if r.seen != nil {
		size += r.seen.size()
	}
	for _, read := range r.reads {
		size += read.size()
	}
	return size
}

// Began reports whether a transaction began under the context. A joined transaction
// records its reads in the read set of the outer one.
func (r *ReadSet) Began() bool { return r.store != nil || r.seen != nil || r.untracked }

// Complete reports whether something was read and all of it is recorded.
func (r *ReadSet) Complete() bool {
	return !r.untracked && (r.store != nil || r.seen != nil && r.seen.complete())
}

// begin records a View of st, before its snapshot is taken.
func (r *ReadSet) begin(st store.Store) {
	if asked, ok := st.(Asked); ok {
		if r.seen == nil {
			r.seen = new(seen)
		}
		if r.store != nil || !r.seen.begin(asked) {
			r.untracked = true
		}
		return
	}
	v, ok := st.(Versioned)
	if !ok || r.store != nil && r.store != v || r.seen != nil {
		r.untracked = true
		return
	}
	version, ok := v.Version()
	if !ok {
		r.untracked = true
		return
	}
	r.from(v, version)
}

// add records a read, and reports whether it stores it: beyond a number of reads of one
// table, only the table is recorded.
func (r *ReadSet) add(read *Read) (kept bool) {
	if r.seen != nil {
		if !r.seen.read(read) {
			r.untracked = true
		}
		return true
	}
	n := 0
	for _, other := range r.reads {
		if other.Schema != read.Schema {
			continue
		}
		if n++; other.whole || other == read {
			return false
		}
	}
	if n >= maxReads {
		r.reads = append(r.reads, &Read{Schema: read.Schema, whole: true})
		return false
	}
	r.reads = append(r.reads, read)
	return true
}

// addWhere records a read of rows, and of the tables that it depends on beside its own.
func (r *ReadSet) addWhere(s *store.Schema, shown []int, where []store.Cond, order []store.Order, all bool) *Read {
	read := readWhere(s, shown, where, order, all)
	r.add(read)
	r.addConds(where)
	for _, o := range order {
		if o.Via != nil {
			r.addTable(o.Via.Schema)
		}
	}
	return read
}

func (r *ReadSet) addConds(conds []store.Cond) {
	for i := range conds {
		if sub := conds[i].Sub; sub != nil {
			r.addTable(sub.Schema)
			r.addConds(sub.Where)
		}
		r.addConds(conds[i].Conds)
	}
}

func (r *ReadSet) addTable(s *store.Schema) { r.add(&Read{Schema: s, whole: true}) }

// addQuery records a read of rows with their columns.
func (r *ReadSet) addQuery(p *store.Projection, q *store.Query) *Read {
	r.addJoined(p)
	return r.addWhere(p.Schema, p.Columns, q.Where, q.Order, q.Limit == 0 && q.Offset == 0)
}

// addJoined records a read of rows together with the rows that they refer to: every
// change of any of these tables affects it.
func (r *ReadSet) addJoined(p *store.Projection) {
	if len(p.Joined) > 0 {
		r.addTable(p.Schema)
	}
	for i := range p.Joined {
		r.addTable(p.Joined[i].Schema)
	}
}
