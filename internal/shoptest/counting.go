package shoptest

import (
	"context"
	"sync/atomic"

	"github.com/shopapi/shopapi/store"
)

// A CountingStore counts the reads that transactions make. It hides the optional
// interfaces of the store from code that asserts them; an API over it may still cache.
type CountingStore struct {
	store.Store
	Views atomic.Int64 // transactions that only read
	Reads atomic.Int64 // in all transactions
}

// View implements [store.Store].
func (s *CountingStore) View(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	s.Views.Add(1)
	return s.Store.View(ctx, func(ctx context.Context, tx store.Tx) error { return fn(ctx, countingTx{tx, s}) })
}

// Update implements [store.Store].
func (s *CountingStore) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	return s.Store.Update(ctx, func(ctx context.Context, tx store.Tx) error { return fn(ctx, countingTx{tx, s}) })
}

// Unwrap returns the store that is counted, for driver.AtEnd.
func (s *CountingStore) Unwrap() store.Store { return s.Store }

// In counts the reads that do makes.
func (s *CountingStore) In(do func()) int64 {
	before := s.Reads.Load()
	do()
	return s.Reads.Load() - before
}

type countingTx struct {
	store.Tx
	s *CountingStore
}

func (c countingTx) Get(p *store.Projection, key int64, row []store.Value) error {
	c.s.Reads.Add(1)
	return c.Tx.Get(p, key, row)
}

func (c countingTx) Select(p *store.Projection, q *store.Query, each func([]store.Value) error) error {
	c.s.Reads.Add(1)
	return c.Tx.Select(p, q, each)
}

func (c countingTx) Page(p *store.Projection, q *store.Query, each func([]store.Value) error) (int64, error) {
	c.s.Reads.Add(1)
	return c.Tx.Page(p, q, each)
}

func (c countingTx) Count(s *store.Schema, where []store.Cond) (int64, error) {
	c.s.Reads.Add(1)
	return c.Tx.Count(s, where)
}
