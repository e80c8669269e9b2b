package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
)

var updateCases = []testCase{
	{"AnErrorRollsBack", testRollback},
	{"APanicRollsBackAndGoesOn", testPanic},
	{"AGoexitRollsBackAndGoesOn", testGoexit},
	{"AnUpdateSeesItsOwnChanges", testOwnChanges},
	{"AViewCannotWrite", testReadOnly},
	{"AViewReturnsTheErrorOfItsFunction", testViewError},
	{"ATransactionThatIsOverCannotBeUsed", testOver},
}

var joinCases = []testCase{
	{"AJoinedUpdateCommitsWithTheOuter", testJoinCommits},
	{"AJoinedUpdateRollsBackWithTheOuter", testJoinRollsBack},
	{"AJoinedUpdateThatFailsTakesTheOuterWithIt", testJoinFails},
	{"AJoinedUpdateThatPanicsTakesTheOuterWithIt", testJoinPanics},
	{"AJoinedViewSeesWhatIsNotCommitted", testJoinedView},
	{"AJoinedViewThatFailsLeavesTheOuterAlone", testJoinedViewFails},
	{"AnUpdateInAViewIsErrReadOnly", testUpdateInView},
	{"AViewInAViewSeesTheSameSnapshot", testViewInView},
}

// add inserts a counter with the value n.
func add(tx store.Tx, n int64) error { return counters.Insert(tx, &counter{N: n}) }

// numbers returns the values of all counters, by key.
func numbers(t *testing.T, st store.Store) []int64 {
	t.Helper()
	values := []int64{}
	for _, c := range list(t, st, counters, store.Query{}) {
		values = append(values, c.N)
	}
	return values
}

func testRollback(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema(), table.Schema())
	insert(t, st, counters, counter{N: 1}, counter{N: 2})
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return errors.Join(
			add(tx, 3),
			counters.Update(tx, &counter{CounterID: 1, N: 10}),
			counters.DeleteKey(tx, 2),
			table.Insert(tx, &group{Title: "x"}),
			errTest)
	})
	if !errors.Is(err, errTest) {
		t.Errorf("Update returns %v, want the error of its function", err)
	}
	same(t, "an error rolls back inserts, updates and deletes", []int64{1, 2}, numbers(t, st))
	same(t, "in every table", int64(0), count(t, st, table))
	update(t, st, func(_ context.Context, tx store.Tx) error { return add(tx, 4) })
	same(t, "the store works after a rollback", []int64{1, 2, 4}, numbers(t, st))
}

func testPanic(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	value := any("storetest: panic on purpose")
	for name, run := range map[string]func(context.Context, func(context.Context, store.Tx) error) error{
		"Update": st.Update, "View": st.View,
	} {
		func() {
			defer func() {
				if got := recover(); got != value {
					t.Errorf("%s: recovered %v, want the value that the function panicked with", name, got)
				}
			}()
			run(t.Context(), func(_ context.Context, tx store.Tx) error {
				if name == "Update" {
					if err := add(tx, 1); err != nil {
						t.Errorf("Insert: %v", err)
					}
				}
				panic(value)
			})
			t.Errorf("%s returned, want the panic to go on", name)
		}()
	}
	same(t, "a panic rolls back", []int64{}, numbers(t, st))
	update(t, st, func(_ context.Context, tx store.Tx) error { return add(tx, 2) })
	same(t, "the store works after a panic", []int64{2}, numbers(t, st))
}

func testGoexit(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	for name, run := range map[string]func(context.Context, func(context.Context, store.Tx) error) error{
		"Update": st.Update, "View": st.View,
	} {
		ended, returned := make(chan struct{}), false
		go func() {
			defer close(ended)
			run(t.Context(), func(_ context.Context, tx store.Tx) error {
				if name == "Update" {
					if err := add(tx, 1); err != nil {
						t.Errorf("Insert: %v", err)
					}
				}
				runtime.Goexit()
				return nil
			})
			returned = true
		}()
		await(t, "the function of "+name+" ended its goroutine", ended)
		if returned {
			t.Errorf("%s returned, want its goroutine to end", name)
		}
	}
	same(t, "runtime.Goexit rolls back", []int64{}, numbers(t, st))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return add(tx, 2) }); err != nil {
			t.Errorf("Update: %v", err)
		}
	}()
	await(t, "Update after one whose goroutine ended", done)
	same(t, "the store works after runtime.Goexit", []int64{2}, numbers(t, st))
}

func testOwnChanges(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	insert(t, st, items, item{Name: "Tea"}, item{Name: "Milk"})
	update(t, st, func(_ context.Context, tx store.Tx) error {
		if err := items.Insert(tx, &item{Name: "Coffee"}); err != nil {
			return err
		}
		if err := items.Update(tx, &item{ItemID: 1, Name: "Cocoa", Options: jsonText("[]")}); err != nil {
			return err
		}
		if err := items.DeleteKey(tx, 2); err != nil {
			return err
		}
		var names []string
		err := items.Each(tx, store.Query{Where: []store.Cond{store.Contains("name", "CO")}, Order: []store.Order{store.Asc("name")}}, func(row *item) error {
			names = append(names, row.Name)
			return nil
		})
		same(t, "an Update sees its own changes", []string{"Cocoa", "Coffee"}, names)
		if n, err := items.Count(tx); n != 2 || err != nil {
			t.Errorf("an Update counts %d rows (%v), want its own 2", n, err)
		}
		return err
	})
}

func testReadOnly(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{N: 1})
	view(t, st, func(_ context.Context, tx store.Tx) error {
		_, deleted := counters.Delete(tx)
		for what, err := range map[string]error{
			"Insert": add(tx, 2),
			"Update": counters.Update(tx, &counter{CounterID: 1, N: 3}),
			"Delete": deleted,
		} {
			if !errors.Is(err, store.ErrReadOnly) {
				t.Errorf("%s in a View: %v, want ErrReadOnly", what, err)
			}
		}
		_, err := counters.Get(tx, 1)
		return err
	})
	same(t, "a View changes nothing", []int64{1}, numbers(t, st))
	update(t, st, func(_ context.Context, tx store.Tx) error { return add(tx, 2) })
	same(t, "the store writes after a View that tried to", []int64{1, 2}, numbers(t, st))
}

func testViewError(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	if err := st.View(t.Context(), func(context.Context, store.Tx) error { return errTest }); !errors.Is(err, errTest) {
		t.Errorf("View returns %v, want the error of its function", err)
	}
}

func testOver(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{N: 1})
	for name, run := range map[string]func(save func(context.Context, store.Tx) error) error{
		"an Update": func(save func(context.Context, store.Tx) error) error { return st.Update(t.Context(), save) },
		"a View":    func(save func(context.Context, store.Tx) error) error { return st.View(t.Context(), save) },
		"an Update that failed": func(save func(context.Context, store.Tx) error) error {
			err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error { return errors.Join(save(ctx, tx), errTest) })
			if errors.Is(err, errTest) {
				return nil
			}
			return err
		},
	} {
		var saved store.Tx
		if err := run(func(_ context.Context, tx store.Tx) error { saved = tx; return nil }); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := add(saved, 2); err == nil {
			t.Errorf("Insert by %s that is over reports success", name)
		}
		if _, err := counters.Get(saved, 1); err == nil || errors.Is(err, store.ErrNotFound) {
			t.Errorf("Get by %s that is over returns %v, want another error", name, err)
		}
	}
	same(t, "a transaction that is over changes nothing", []int64{1}, numbers(t, st))
}

// joins returns an error if a transaction of st within another one does not end in time.
func joins(ctx context.Context, st store.Store, limit time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for name, run := range map[string]func(context.Context, func(context.Context, store.Tx) error) error{
		"Update": st.Update, "View": st.View,
	} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			// The cases say which error is wrong.
			_ = run(ctx, func(ctx context.Context, _ store.Tx) error {
				return run(ctx, func(context.Context, store.Tx) error { return nil })
			})
		}()
		select {
		case <-done:
		case <-time.After(limit):
			return fmt.Errorf("the store hangs in %[1]s within %[1]s: a store begins View and Update with driver.Join, "+
				"and one that wraps another before it waits for anything of its own", name)
		}
	}
	return nil
}

func testJoinCommits(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	update(t, st, func(ctx context.Context, tx store.Tx) error {
		if err := add(tx, 1); err != nil {
			return err
		}
		err := st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			n, err := counters.Count(tx)
			same(t, "a joined Update sees what the outer one changed", int64(1), n)
			if err != nil {
				return err
			}
			return st.Update(ctx, func(_ context.Context, tx store.Tx) error { return add(tx, 2) })
		})
		if err != nil {
			return err
		}
		n, err := counters.Count(tx)
		same(t, "the outer Update sees what the joined one changed", int64(2), n)
		return err
	})
	same(t, "both commit together", []int64{1, 2}, numbers(t, st))
}

func testJoinRollsBack(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		if err := st.Update(ctx, func(_ context.Context, tx store.Tx) error { return add(tx, 1) }); err != nil {
			return err
		}
		return errTest
	})
	if !errors.Is(err, errTest) {
		t.Errorf("Update: %v, want the error of its function", err)
	}
	same(t, "a joined Update is not committed before the outer", []int64{}, numbers(t, st))
}

func testJoinFails(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		if err := add(tx, 1); err != nil {
			return err
		}
		joined := st.Update(ctx, func(_ context.Context, tx store.Tx) error {
			if err := add(tx, 2); err != nil {
				return err
			}
			return errTest
		})
		if !errors.Is(joined, errTest) {
			t.Errorf("the joined Update returns %v, want the error of its function", joined)
		}
		return nil // passes over the error
	})
	if !errors.Is(err, errTest) {
		t.Errorf("the outer Update returns %v, want the error of the joined one", err)
	}
	same(t, "half a change is never committed", []int64{}, numbers(t, st))
	update(t, st, func(_ context.Context, tx store.Tx) error { return add(tx, 3) })
	same(t, "the next Update is not concerned", []int64{3}, numbers(t, st))
}

func testJoinPanics(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		defer func() { recover() }()
		return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
			if err := add(tx, 1); err != nil {
				return err
			}
			panic("storetest: panic on purpose")
		})
	})
	if err == nil {
		t.Error("the outer Update reports success after the joined one panicked")
	}
	same(t, "half a change is never committed", []int64{}, numbers(t, st))
}

func testJoinedView(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	update(t, st, func(ctx context.Context, tx store.Tx) error {
		if err := add(tx, 1); err != nil {
			return err
		}
		return st.View(ctx, func(_ context.Context, tx store.Tx) error {
			n, err := counters.Count(tx)
			same(t, "a View joined to an Update sees what is not committed", int64(1), n)
			return err
		})
	})
}

func testJoinedViewFails(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	update(t, st, func(ctx context.Context, tx store.Tx) error {
		if err := st.View(ctx, func(context.Context, store.Tx) error { return errTest }); !errors.Is(err, errTest) {
			t.Errorf("the joined View returns %v, want the error of its function", err)
		}
		return add(tx, 1)
	})
	same(t, "a View that fails leaves half of nothing", []int64{1}, numbers(t, st))
}

func testUpdateInView(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	view(t, st, func(ctx context.Context, tx store.Tx) error {
		err := st.Update(ctx, func(_ context.Context, tx store.Tx) error {
			t.Error("the function of an Update inside a View runs")
			return nil
		})
		if !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("an Update inside a View: %v, want ErrReadOnly", err)
		}
		_, err = counters.Count(tx)
		return err
	})
}

func testViewInView(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	view(t, st, func(ctx context.Context, tx store.Tx) error {
		if _, err := counters.Count(tx); err != nil {
			return err
		}
		insert(t, st, counters, counter{N: 1}) // by another transaction
		return st.View(ctx, func(_ context.Context, tx store.Tx) error {
			n, err := counters.Count(tx)
			same(t, "a View inside a View sees the outer one's snapshot", int64(0), n)
			return err
		})
	})
}
