package store

import (
	"context"
	"slices"
)

// Versioned is a [Store] that knows at any moment whether a table has changed
// since, whichever process changed it. What was computed from its tables can be
// kept for as long as they stay as they were.
type Versioned interface {
	Store

	// Version numbers the state that a View begun now would see. It is false when
	// the store cannot tell at present.
	Version() (version uint64, ok bool)

	// Unchanged reports whether a View begun now would find the tables as one
	// found them that was begun when Version returned since. It may say no where
	// the answer is yes, never the other way round.
	Unchanged(since uint64, schemas []*Schema) bool
}

// A ReadSet notes what the reads of one context depended on, so that their result
// can be kept until that changes. It is used by one goroutine at a time; once the
// reading is over, Valid may be called by many.
type ReadSet struct {
	store     Versioned
	since     uint64
	schemas   []*Schema
	untracked bool
}

type readSetKey struct{}

// WithReadSet returns a context in which reads are noted in t.
func WithReadSet(ctx context.Context, t *ReadSet) context.Context {
	return context.WithValue(ctx, readSetKey{}, t)
}

// ReadSetOf returns the read set of ctx, nil when there is none.
func ReadSetOf(ctx context.Context) *ReadSet {
	t, _ := ctx.Value(readSetKey{}).(*ReadSet)
	return t
}

// MarkUntracked says that the result depends on something that the read set cannot follow,
// such as the time. It does nothing on a nil ReadSet.
func (t *ReadSet) MarkUntracked() {
	if t != nil {
		t.untracked = true
	}
}

// Valid reports whether everything that was read is as it was. It is false when
// nothing was read, or something that the read set cannot follow.
func (t *ReadSet) Valid() bool {
	return !t.untracked && t.store != nil && t.store.Unchanged(t.since, t.schemas)
}

// Complete reports whether all that was read can be followed.
func (t *ReadSet) Complete() bool { return !t.untracked && t.store != nil }

// begin notes a View of st, before its snapshot is taken.
func (t *ReadSet) begin(st Store) {
	v, ok := st.(Versioned)
	if !ok || t.store != nil && t.store != v {
		t.untracked = true
		return
	}
	version, ok := v.Version()
	if !ok {
		t.untracked = true
		return
	}
	if t.store == nil || version < t.since {
		t.store, t.since = v, version
	}
}

func (t *ReadSet) read(s *Schema) {
	if !slices.Contains(t.schemas, s) {
		t.schemas = append(t.schemas, s)
	}
}

func (t *ReadSet) readConds(conds []Cond) {
	for i := range conds {
		if sub := conds[i].Sub; sub != nil {
			t.read(sub.Schema)
			t.readConds(sub.Where)
		}
		t.readConds(conds[i].Conds)
	}
}

func (t *ReadSet) readQuery(p *Projection, q *Query) {
	t.read(p.Schema)
	t.readConds(q.Where)
	for _, o := range q.Order {
		if o.Via != nil {
			t.read(o.Via.Schema)
		}
	}
}

// A readSetTx notes what it reads.
type readSetTx struct {
	Tx
	reads *ReadSet
}

func (t *readSetTx) Get(p *Projection, key int64, row []Value) error {
	t.reads.read(p.Schema)
	return t.Tx.Get(p, key, row)
}

func (t *readSetTx) Select(p *Projection, q *Query, each func([]Value) error) error {
	t.reads.readQuery(p, q)
	return t.Tx.Select(p, q, each)
}

func (t *readSetTx) Page(p *Projection, q *Query, each func([]Value) error) (int64, error) {
	t.reads.readQuery(p, q)
	return t.Tx.Page(p, q, each)
}

func (t *readSetTx) Count(s *Schema, where []Cond) (int64, error) {
	t.reads.read(s)
	t.reads.readConds(where)
	return t.Tx.Count(s, where)
}
