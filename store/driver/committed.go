package driver

import (
	"context"

	"github.com/shopapi/shopapi/store"
)

// A CommittedTx is the [store.Tx] of an Update that knows whether it sees tables as they
// are committed, so that it may use the cache, and cache the rows that it reads.
type CommittedTx interface {
	store.Tx

	// IsCommitted reports whether the transaction sees the tables as they were committed
	// when it began: neither it nor another transaction that is committed together with
	// it has changed them. It may return false negatives, but no false positives.
	IsCommitted(schemas []*store.Schema) bool
}

// isCommitted is IsCommitted of the transaction of a session.
func (s *Session) isCommitted(schemas []*store.Schema) bool {
	tx, ok := s.own.(CommittedTx)
	return ok && tx.IsCommitted(schemas)
}

// updateOf returns the session of the Update of st that ctx belongs to, nil when there is
// none.
func updateOf(ctx context.Context, st store.Store) *Session {
	s := sessionOf(ctx)
	for s != nil && (s.store != st || !s.writable) {
		s = s.outer
	}
	return s
}

// MayUseCached reports whether a cached [ReadSet] of st can be valid in ctx. It cannot in
// an Update of an [Asked] store, which does not know the versions that it sees.
func MayUseCached(ctx context.Context, st store.Store) bool {
	_, asked := st.(Asked)
	return !asked || updateOf(ctx, st) == nil
}

// JoinInto is [Join] for a function that reads rows for a cache. In an Update of a
// [Versioned] store the reads are recorded in r, which is complete if they are of the
// committed state. Otherwise r stays as it is.
func (r *ReadSet) JoinInto(ctx context.Context, st store.Store, fn func(context.Context, store.Tx) error) (joined bool, err error) {
	s := updateOf(ctx, st)
	if _, ok := st.(Versioned); !ok || s == nil {
		return Join(ctx, st, false, fn)
	}
	r.begin(st)
	err = fn(ctx, &sessionTx{Tx: s.tx, reads: r})
	if !s.isCommitted(r.schemas()) {
		r.MarkUntracked()
	}
	return true, err
}

// kept is a value that was read from tables in an Update.
type kept struct {
	value  any
	tables []*store.Schema
}

// Keep keeps a value that was read from some tables in the Update of st that ctx belongs
// to, for [Kept] under a key.
func Keep(ctx context.Context, st store.Store, key, value any, tables ...*store.Schema) {
	s := updateOf(ctx, st)
	if s == nil || !s.isCommitted(tables) {
		return
	}
	if s.kept == nil {
		s.kept = map[any]kept{}
	}
	s.kept[key] = kept{value, tables}
}

// Kept returns the value that [Keep] keeps under a key until the Update changes one of its
// tables.
func Kept(ctx context.Context, st store.Store, key any) (value any, ok bool) {
	s := updateOf(ctx, st)
	if s == nil {
		return nil, false
	}
	k, ok := s.kept[key]
	return k.value, ok && s.isCommitted(k.tables)
}

// InUpdate reports whether ctx belongs to an Update of st.
func InUpdate(ctx context.Context, st store.Store) bool { return updateOf(ctx, st) != nil }
