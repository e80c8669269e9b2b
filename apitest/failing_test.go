package apitest_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/store/storetest"
)

func openSQLite(t testing.TB) store.Store {
	t.Helper()
	st, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// TestFailingStore_IsTheStoreOtherwise: without a failure it behaves as the wrapped
// store.
func TestFailingStore_IsTheStoreOtherwise(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return apitest.NewFailingStore(memory.New()) })
}

const cups = `{"category": "Cups"}`

func TestFailingStore(t *testing.T) {
	broken := errors.New("the disk is full")
	for _, c := range []struct {
		name      string
		fail      func(*apitest.FailingStore)
		status    int
		committed bool
	}{
		{"an Update fails", func(st *apitest.FailingStore) { st.FailUpdate(store.ErrUnavailable) }, 503, false},
		{"an Update fails for another reason", func(st *apitest.FailingStore) { st.FailUpdate(broken) }, 500, false},
		{"a commit fails", func(st *apitest.FailingStore) { st.FailCommit(store.ErrUnavailable) }, 503, false},
		{"a commit is lost", func(st *apitest.FailingStore) { st.LoseCommit() }, 503, true},
	} {
		for name, open := range map[string]func(testing.TB) store.Store{"memory": func(testing.TB) store.Store { return memory.New() }, "sqlite": openSQLite} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				st := apitest.NewFailingStore(open(t))
				s := apitest.NewWithStore(t, st, nil)
				c.fail(st)
				if answer := s.Post("/api/2.0/categories", cups); answer.Status != c.status {
					t.Errorf("POST is answered %d %s, want %d", answer.Status, answer.Body, c.status)
				}
				if events := s.Events(); len(events) != 0 {
					t.Errorf("the observer was told of %v, though nobody knows of a commit", events)
				}
				if got := s.Get("/api/2.0/categories/1").Status == 200; got != c.committed {
					t.Errorf("the category is there: %v, want %v", got, c.committed)
				}
				if answer := s.Post("/api/2.0/categories", cups); answer.Status != 201 {
					t.Errorf("the next POST is answered %d %s, want 201", answer.Status, answer.Body)
				}
			})
		}
	}
}

func TestFailingStore_Views(t *testing.T) {
	st := apitest.NewFailingStore(memory.New())
	s := apitest.NewWithStore(t, st, &shop.Options{Options: shopapi.Options{Limits: shopapi.Limits{CacheBytes: -1}}})
	s.Post("/api/2.0/categories", cups)
	get := func() int { return s.Get("/api/2.0/categories/1").Status }
	st.FailViews(store.ErrUnavailable)
	if got := [2]int{get(), get()}; got != [2]int{503, 503} {
		t.Errorf("GET is answered %v, want 503 each time", got)
	}
	st.FailViews(nil)
	if got := get(); got != 200 {
		t.Errorf("GET is answered %d, want 200 again", got)
	}
}

// TestFailingStore_JoinedCallsBelongToTheOuterOne: they neither fail on their own nor
// use up a failure.
func TestFailingStore_JoinedCallsBelongToTheOuterOne(t *testing.T) {
	st := apitest.NewFailingStore(memory.New())
	nothing := func(context.Context, store.Tx) error { return nil }
	err := st.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
		st.FailViews(store.ErrUnavailable)
		st.FailUpdate(store.ErrUnavailable)
		return errors.Join(st.View(ctx, nothing), st.Update(ctx, nothing))
	})
	if err != nil {
		t.Errorf("calls inside of an Update fail: %v", err)
	}
	if err := st.Update(t.Context(), nothing); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the next Update returns %v, want ErrUnavailable", err)
	}
	st.LoseCommit()
	broken := errors.New("broken")
	err = st.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
		_ = st.Update(ctx, func(context.Context, store.Tx) error { return broken })
		return nil
	})
	if !errors.Is(err, broken) {
		t.Errorf("an Update with a joined one that failed returns %v, want its error", err)
	}
}
