package driver

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi/store"
)

// Versioned is a [store.Store] that knows at any moment whether a table has
// changed since an earlier one, whichever process changed it. What was computed
// from its tables can be cached until they change.
type Versioned interface {
	store.Store

	// Version numbers the state that a View begun now would see. ok is false when
	// the store cannot tell at present.
	Version() (version uint64, ok bool)

	// Unchanged reports whether a View begun now would find the tables in the same
	// state as one begun when Version returned since. It may return false
	// negatives, but no false positives.
	Unchanged(since uint64, schemas []*store.Schema) bool
}

// A ReadSet records the tables that were read under one context, so that the
// result can be cached until one of them changes. The zero ReadSet is empty. One
// goroutine uses it at a time; once the reading is over, Valid and Complete may
// be called by many.
type ReadSet struct {
	store     Versioned
	since     uint64
	schemas   []*store.Schema
	untracked bool
}

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

// Merge records in r what other recorded, which must be valid: r's result depends on
// what was cached with other. It does nothing on a nil ReadSet.
//
// As the tables of other have not changed since it was read, it is as if they had been
// read now: other tables that r reads may have changed in between.
func (r *ReadSet) Merge(other *ReadSet) {
	if r == nil {
		return
	}
	if !other.Complete() || r.store != nil && r.store != other.store {
		r.untracked = true
		return
	}
	version, ok := other.store.Version()
	if !ok || !other.Valid() {
		r.untracked = true
		return
	}
	if r.store == nil || version < r.since {
		r.store, r.since = other.store, version
	}
	for _, s := range other.schemas {
		r.add(s)
	}
}

// Valid reports whether nothing that was read has changed since. It is false
// when nothing was read, and when the read set is not complete.
func (r *ReadSet) Valid() bool {
	return r.Complete() && r.store.Unchanged(r.since, r.schemas)
}

// Began reports whether a transaction began under the context. One that joined another
// records its reads in the read set of that one.
func (r *ReadSet) Began() bool { return r.store != nil || r.untracked }

// Complete reports whether something was read and all of it is recorded.
func (r *ReadSet) Complete() bool { return !r.untracked && r.store != nil }

// begin records a View of st, before its snapshot is taken.
func (r *ReadSet) begin(st store.Store) {
	v, ok := st.(Versioned)
	if !ok || r.store != nil && r.store != v {
		r.untracked = true
		return
	}
	version, ok := v.Version()
	if !ok {
		r.untracked = true
		return
	}
	if r.store == nil || version < r.since {
		r.store, r.since = v, version
	}
}

func (r *ReadSet) add(s *store.Schema) {
	if !slices.Contains(r.schemas, s) {
		r.schemas = append(r.schemas, s)
	}
}

func (r *ReadSet) addConds(conds []store.Cond) {
	for i := range conds {
		if sub := conds[i].Sub; sub != nil {
			r.add(sub.Schema)
			r.addConds(sub.Where)
		}
		r.addConds(conds[i].Conds)
	}
}

func (r *ReadSet) addQuery(p *store.Projection, q *store.Query) {
	r.add(p.Schema)
	r.addConds(q.Where)
	for _, o := range q.Order {
		if o.Via != nil {
			r.add(o.Via.Schema)
		}
	}
}

// A readSetTx records what it reads.
type readSetTx struct {
	store.Tx
	reads *ReadSet
}

func (t *readSetTx) Get(p *store.Projection, key int64, row []store.Value) error {
	t.reads.add(p.Schema)
	return t.Tx.Get(p, key, row)
}

func (t *readSetTx) Select(p *store.Projection, q *store.Query, each func([]store.Value) error) error {
	t.reads.addQuery(p, q)
	return t.Tx.Select(p, q, each)
}

func (t *readSetTx) Page(p *store.Projection, q *store.Query, each func([]store.Value) error) (int64, error) {
	t.reads.addQuery(p, q)
	return t.Tx.Page(p, q, each)
}

func (t *readSetTx) Count(s *store.Schema, where []store.Cond) (int64, error) {
	t.reads.add(s)
	t.reads.addConds(where)
	return t.Tx.Count(s, where)
}
