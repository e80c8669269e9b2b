package apitest

import (
	"context"
	"sync"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A FailingStore wraps a store and fails on demand:
//
//	st := apitest.NewFailingStore(memory.New())
//	s := apitest.NewWithStore(t, st, nil)
//	st.FailCommit(store.ErrUnavailable)
//	answer := s.Post("/api/2.0/categories", `{"category": "Cups"}`) // 503
//
// Calls that join a transaction do not fail on their own. A response from the cache
// needs no View.
type FailingStore struct {
	store.Store

	mu     sync.Mutex
	views  error
	update error
	commit error
	lost   bool
}

// NewFailingStore wraps a store.
func NewFailingStore(st store.Store) *FailingStore { return &FailingStore{Store: st} }

// FailViews makes every View fail with err before it runs, until it is called with nil.
func (s *FailingStore) FailViews(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views = err
}

// FailUpdate makes the next Update fail with err before it runs.
func (s *FailingStore) FailUpdate(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update = err
}

// FailCommit makes the next Update whose function succeeds fail with err, and commits
// nothing.
func (s *FailingStore) FailCommit(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commit = err
}

// LoseCommit makes the next Update whose function succeeds commit and return
// [store.ErrOutcomeUnknown], as if the connection was lost during the commit.
func (s *FailingStore) LoseCommit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = true
}

// take returns and clears an error.
func (s *FailingStore) take(err *error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := *err
	*err = nil
	return taken
}

// View implements [store.Store].
func (s *FailingStore) View(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	if joined, err := driver.Join(ctx, s.Store, false, fn); joined {
		return err
	}
	s.mu.Lock()
	err := s.views
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.Store.View(ctx, fn)
}

// Update implements [store.Store].
func (s *FailingStore) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	if joined, err := driver.Join(ctx, s.Store, true, fn); joined {
		return err
	}
	if err := s.take(&s.update); err != nil {
		return err
	}
	s.mu.Lock()
	lost := s.lost
	s.mu.Unlock()
	if lost {
		return s.updateUnheard(ctx, fn)
	}
	return s.Store.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return s.take(&s.commit)
	})
}

// Unwrap returns the store that fails, for [driver.AtEnd].
func (s *FailingStore) Unwrap() store.Store { return s.Store }

// updateUnheard commits without running the functions that wait for the commit: fn has a
// session of its own, which is never notified.
func (s *FailingStore) updateUnheard(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	err := s.Store.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		ctx, session := driver.NewSession(ctx, s.Store, tx, true)
		if err := fn(ctx, session.Tx()); err != nil {
			return err
		}
		return session.Finish()
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.lost = false
	s.mu.Unlock()
	return store.ErrOutcomeUnknown
}
