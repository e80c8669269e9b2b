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

// A Trace notes what the reads of one context depended on, so that their result
// can be kept until that changes. It is used by one goroutine at a time; once the
// reading is over, Fresh may be called by many.
type Trace struct {
	store   Versioned
	since   uint64
	schemas []*Schema
	lost    bool
}

type traceKey struct{}

// WithTrace returns a context in which reads are noted in t.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf returns the trace of ctx, nil when there is none.
func TraceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}

// Lose says that the result depends on something that the trace cannot follow,
// such as the time. It does nothing on a nil Trace.
func (t *Trace) Lose() {
	if t != nil {
		t.lost = true
	}
}

// Fresh reports whether everything that was read is as it was. It is false when
// nothing was read, or something that the trace cannot follow.
func (t *Trace) Fresh() bool {
	return !t.lost && t.store != nil && t.store.Unchanged(t.since, t.schemas)
}

// Followed reports whether all that was read can be followed.
func (t *Trace) Followed() bool { return !t.lost && t.store != nil }

// begin notes a View of st, before its snapshot is taken.
func (t *Trace) begin(st Store) {
	v, ok := st.(Versioned)
	if !ok || t.store != nil && t.store != v {
		t.lost = true
		return
	}
	version, ok := v.Version()
	if !ok {
		t.lost = true
		return
	}
	if t.store == nil || version < t.since {
		t.store, t.since = v, version
	}
}

func (t *Trace) read(s *Schema) {
	if !slices.Contains(t.schemas, s) {
		t.schemas = append(t.schemas, s)
	}
}

func (t *Trace) readConds(conds []Cond) {
	for i := range conds {
		if sub := conds[i].Sub; sub != nil {
			t.read(sub.Schema)
			t.readConds(sub.Where)
		}
		t.readConds(conds[i].Conds)
	}
}

func (t *Trace) readQuery(p *Projection, q *Query) {
	t.read(p.Schema)
	t.readConds(q.Where)
	for _, o := range q.Order {
		if o.Via != nil {
			t.read(o.Via.Schema)
		}
	}
}

// A tracedTx notes what it reads.
type tracedTx struct {
	Tx
	trace *Trace
}

func (t *tracedTx) Get(p *Projection, key int64, row []Value) error {
	t.trace.read(p.Schema)
	return t.Tx.Get(p, key, row)
}

func (t *tracedTx) Select(p *Projection, q *Query, each func([]Value) error) error {
	t.trace.readQuery(p, q)
	return t.Tx.Select(p, q, each)
}

func (t *tracedTx) Page(p *Projection, q *Query, each func([]Value) error) (int64, error) {
	t.trace.readQuery(p, q)
	return t.Tx.Page(p, q, each)
}

func (t *tracedTx) Count(s *Schema, where []Cond) (int64, error) {
	t.trace.read(s)
	t.trace.readConds(where)
	return t.Tx.Count(s, where)
}
