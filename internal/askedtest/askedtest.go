// Package askedtest has a store for tests that knows the versions of its tables only when
// it is asked, as the store over PostgreSQL does.
package askedtest

import (
	"context"
	"maps"
	"sync"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/memory"
)

// A Store keeps its rows in memory. Its versions change by [Store.Change] alone. The fields
// are set before other goroutines use it.
type Store struct {
	store.Store

	Late bool  // a View reports its versions after the reads, in place of before
	Mute bool  // a View does not report its versions
	Err  error // of Versions

	// Asked, unless nil, runs when the store is asked for its versions.
	Asked func()

	mu        sync.Mutex
	versions  driver.Versions
	questions int
}

var _ driver.Asked = (*Store)(nil)

// New returns a store of epoch 1 with these tables, all of version 1.
func New(ctx context.Context, schemas ...*store.Schema) (*Store, error) {
	s := &Store{Store: memory.New(), versions: driver.Versions{Epoch: 1, Tables: map[string]uint64{}}}
	for _, schema := range schemas {
		s.versions.Tables[schema.Name] = 1
	}
	return s, s.Migrate(ctx, schemas...)
}

// View reports the versions as of its begin to the read set of ctx.
func (s *Store) View(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	return s.Store.View(driver.WithReadSet(ctx, nil), func(_ context.Context, tx store.Tx) error {
		ctx, session := driver.NewSession(ctx, s, tx, false)
		reads, snapshot := driver.ReadSetOf(ctx), s.current()
		if s.Mute {
			return fn(ctx, session.Tx())
		}
		if s.Late {
			defer reads.Saw(snapshot)
		} else {
			reads.Saw(snapshot)
		}
		return fn(ctx, session.Tx())
	})
}

// Update runs fn in a session of this store. It changes no version.
func (s *Store) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	var session *driver.Session
	err := s.Store.Update(driver.WithReadSet(ctx, nil), func(_ context.Context, tx store.Tx) error {
		ctx, session = driver.NewSession(ctx, s, tx, true)
		return fn(ctx, session.Tx())
	})
	if err == nil {
		session.Committed()
	}
	return err
}

// Versions counts as a question.
func (s *Store) Versions(context.Context) (*driver.Versions, error) {
	if s.Asked != nil {
		s.Asked()
	}
	s.mu.Lock()
	s.questions++
	s.mu.Unlock()
	return s.current(), s.Err
}

func (s *Store) current() *driver.Versions {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &driver.Versions{Epoch: s.versions.Epoch, Tables: maps.Clone(s.versions.Tables)}
}

// Change gives a table a new version.
func (s *Store) Change(schema *store.Schema) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versions.Tables[schema.Name]++
}

// Forget removes the version of a table.
func (s *Store) Forget(schema *store.Schema) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.versions.Tables, schema.Name)
}

// BeginEpoch gives the database a new epoch.
func (s *Store) BeginEpoch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versions.Epoch++
}

// Questions is how often the store was asked.
func (s *Store) Questions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.questions
}
