// Package memory stores the rows of a shop in memory, for tests: the rows are lost when
// the program ends. For a permanent shop, open [github.com/shopapi/shopapi/store/sqlite].
//
// A memory store behaves like every other store, including transactions and snapshots;
// package storetest checks that.
//
//	st := memory.New()
//	err := st.Migrate(ctx, pages.Schema())
//
// Tables are persistent B-trees. A reader uses the last committed trees, a writer copies
// that share their nodes, so that neither waits for the other and a failed writer only
// drops its copies.
package memory

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/shopapi/shopapi/internal/fair"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A Store is a [store.Store] in memory.
type Store struct {
	committed atomic.Pointer[state]
	writer    *fair.Semaphore // of size 1, taken during an Update

	mu      sync.Mutex // guards closed, and running against a Close that waits
	closed  bool
	running sync.WaitGroup
}

// A state is what one commit left. Nothing in it changes.
type state struct {
	version uint64 // the number of commits before
	tables  map[string]*table
}

var _ driver.Versioned = (*Store)(nil)

// New returns an empty store.
func New() *Store {
	s := &Store{writer: fair.New(1, 1)}
	s.committed.Store(&state{})
	return s
}

// Migrate implements [store.Store]. It also fails, with a
// [*store.ConflictError], when rows that are there break a new unique index.
func (s *Store) Migrate(ctx context.Context, schemas ...*store.Schema) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock(ctx)
	next := s.next()
	if err := next.checkNumber(); err != nil {
		return err
	}
	for _, schema := range schemas {
		old := next.tables[schema.Name]
		t, err := old.migrate(schema)
		if err != nil {
			return fmt.Errorf("memory: migrate %s: %w", schema.Name, err)
		}
		if t != old {
			t.changed = next.version
			next.tables[schema.Name] = t
		}
	}
	s.committed.Store(next)
	return nil
}

// View implements [store.Store].
func (s *Store) View(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	if joined, err := driver.Join(ctx, s, false, fn); joined {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	t := &tx{}
	defer t.end()
	ctx, session := driver.NewSession(ctx, s, t, false)
	t.ctx, t.state = ctx, s.committed.Load()
	if err := t.state.checkNumber(); err != nil {
		return err
	}
	return fn(ctx, session.Tx())
}

// Update implements [store.Store]. It runs fn once.
func (s *Store) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	if joined, err := driver.Join(ctx, s, true, fn); joined {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock(ctx)

	t := &tx{state: s.next(), own: make(map[string]bool)}
	defer t.end()
	if err := t.state.checkNumber(); err != nil {
		return err
	}
	ctx, session := driver.NewSession(ctx, s, t, true)
	t.ctx = ctx
	if err := fn(ctx, session.Tx()); err != nil {
		return err
	}
	if err := session.Finish(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.committed.Store(t.state)
	t.end()
	session.Committed()
	return nil
}

// Close implements [store.Store].
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.running.Wait()
	s.committed.Store(&state{})
	return nil
}

// Version implements [driver.Versioned].
func (s *Store) Version() (version uint64, ok bool) { return s.committed.Load().version, true }

// Unchanged implements [driver.Versioned].
func (s *Store) Unchanged(since uint64, reads []*driver.Read) bool {
	tables := s.committed.Load().tables
	var last *store.Schema // reads of one table often follow each other
	for _, read := range reads {
		if read.Schema == last {
			continue
		}
		last = read.Schema
		if t := tables[last.Name]; t == nil || t.changed > since {
			return false
		}
	}
	return true
}

// next returns the state that the writer will commit; at first it is the committed one.
func (s *Store) next() *state {
	last := s.committed.Load()
	tables := maps.Clone(last.tables)
	if tables == nil {
		tables = make(map[string]*table)
	}
	return &state{version: last.version + 1, tables: tables}
}

// checkNumber returns [store.ErrNewerSchema] where the rows are a newer version's.
func (s *state) checkNumber() error {
	t := s.tables[driver.SchemaNumber().Schema.Name]
	if t == nil {
		return nil
	}
	r := t.get(store.SchemaNumberKey)
	if r == nil {
		return nil
	}
	return driver.CheckSchemaNumber(r.values[t.schema.Index("number")].Int())
}

// begin counts a call as running, unless the store is closed or ctx has ended.
func (s *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.ErrUnavailable
	}
	s.running.Add(1)
	return nil
}

// lock waits for the turn to write.
func (s *Store) lock(ctx context.Context) error {
	return s.writer.Acquire(ctx, driver.ClientOf(ctx), 1)
}

func (s *Store) unlock(ctx context.Context) { s.writer.Release(driver.ClientOf(ctx), 1) }
