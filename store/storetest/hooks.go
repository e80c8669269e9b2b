package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/store"
)

var hookCases = []testCase{
	{"RunsOnceBeforeUpdateReturns", testHookRuns},
	{"SeesTheCommit", testHookSees},
	{"NeverRunsOnRollback", testHookRollback},
	{"RunsAtOnceWhereNothingIsWritten", testHookOutside},
	{"RunsInTheOrderOfCommits", testHookOrder},
}

func testHookRuns(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	var ran []string
	update(t, st, func(ctx context.Context, tx store.Tx) error {
		store.AfterCommit(ctx, func() { ran = append(ran, "outer") })
		err := st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			store.AfterCommit(ctx, func() { ran = append(ran, "joined Update") })
			return st.View(ctx, func(ctx context.Context, _ store.Tx) error {
				store.AfterCommit(ctx, func() { ran = append(ran, "joined View") })
				return nil
			})
		})
		if err != nil {
			return err
		}
		same(t, "no hook runs before the commit", 0, len(ran))
		return add(tx, 1)
	})
	same(t, "hooks run once, in their order, before Update returns", []string{"outer", "joined Update", "joined View"}, ran)
}

func testHookSees(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	seen := int64(-1)
	update(t, st, func(ctx context.Context, tx store.Tx) error {
		store.AfterCommit(ctx, func() {
			err := st.View(context.Background(), func(_ context.Context, tx store.Tx) (err error) {
				seen, err = counters.Count(tx)
				return err
			})
			if err != nil {
				t.Errorf("View in a hook: %v", err)
			}
		})
		return add(tx, 1)
	})
	same(t, "a hook reads what was committed", int64(1), seen)
}

func testHookRollback(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	never := func() { t.Error("a hook runs after a rollback") }
	for name, fn := range map[string]func(context.Context) error{
		"error": func(context.Context) error { return errTest },
		"panic": func(context.Context) error { panic(errTest) },
		"joined failure": func(ctx context.Context) error {
			st.Update(ctx, func(context.Context, store.Tx) error { return errTest })
			return nil
		},
		"conflicting key": func(ctx context.Context) error {
			return st.Update(ctx, func(_ context.Context, tx store.Tx) error { return counters.Insert(tx, &counter{CounterID: 1}) })
		},
	} {
		func() {
			defer func() { recover() }()
			err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
				store.AfterCommit(ctx, never)
				if err := counters.Insert(tx, &counter{CounterID: 1}); err != nil {
					return err
				}
				return fn(ctx)
			})
			if err == nil {
				t.Errorf("%s: Update reports success", name)
			}
		}()
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		store.AfterCommit(ctx, never)
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Update whose context ended while it ran: %v", err)
	}
	update(t, st, func(_ context.Context, tx store.Tx) error { return add(tx, 1) })
}

func testHookOutside(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	ran := 0
	store.AfterCommit(t.Context(), func() { ran++ })
	same(t, "outside a transaction a hook runs at once", 1, ran)
	view(t, st, func(ctx context.Context, _ store.Tx) error {
		ran = 0
		store.AfterCommit(ctx, func() { ran++ })
		same(t, "in a View a hook runs at once", 1, ran)
		return nil
	})
	same(t, "and not again", 1, ran)
}

func testHookOrder(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{})
	const writers = 30
	var (
		all  sync.WaitGroup
		mu   sync.Mutex
		seen []int64
	)
	for range writers {
		all.Go(func() {
			err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
				c, err := counters.Get(tx, 1)
				if err != nil {
					return err
				}
				c.N++
				store.AfterCommit(ctx, func() {
					mu.Lock()
					defer mu.Unlock()
					seen = append(seen, c.N)
				})
				return counters.Update(tx, &c)
			})
			if err != nil {
				t.Errorf("Update: %v", err)
			}
		})
	}
	all.Wait()
	want := make([]int64, writers)
	for i := range want {
		want[i] = int64(i + 1)
	}
	same(t, "hooks run in the order of the commits", want, seen)
}
