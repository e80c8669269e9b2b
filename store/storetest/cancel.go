package storetest

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
)

var cancelCases = []testCase{
	{"AnEndedContextRunsNothing", testCancelledBefore},
	{"AnUpdateGivesUpWaitingForItsTurn", testCancelledWaiting},
	{"AnUpdateWhoseContextEndsIsRolledBack", testCancelledUpdate},
	{"ALongReadEndsWithItsContext", testCancelledRead},
}

var closeCases = []testCase{
	{"LaterCallsAreErrUnavailable", testClosed},
	{"CloseWaitsForWhatIsRunning", testCloseWaits},
}

func testCancelledBefore(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancelLate := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancelLate()
	for _, c := range []struct {
		ctx  context.Context
		want error
	}{{cancelled, context.Canceled}, {late, context.DeadlineExceeded}} {
		for name, run := range map[string]func(context.Context, func(context.Context, store.Tx) error) error{
			"View": st.View, "Update": st.Update,
		} {
			err := run(c.ctx, func(context.Context, store.Tx) error {
				t.Errorf("%s runs its function under a context that ended before", name)
				return nil
			})
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
		}
		if err := st.Migrate(c.ctx, items.Schema()); !errors.Is(err, c.want) {
			t.Errorf("Migrate: %v, want %v", err, c.want)
		}
	}
	insert(t, st, counters, counter{N: 1})
}

func testCancelledWaiting(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	writing, finish, finished := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		first := true
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			if err := add(tx, 1); err != nil {
				return err
			}
			if first {
				close(writing)
				first = false
			}
			<-finish
			return nil
		})
		if err != nil {
			t.Errorf("the Update that was writing: %v", err)
		}
	}()
	await(t, "Update", writing)
	const waiters = 5
	done := make(chan struct{}, waiters)
	ctx, cancel := context.WithCancel(t.Context())
	for range waiters {
		go func() {
			err := st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
				// Runs only in a store whose transactions run side by side.
				if err := add(tx, 2); err != nil {
					return err
				}
				<-ctx.Done()
				return ctx.Err()
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("an Update whose context ended while it waited: %v", err)
			}
			done <- struct{}{}
		}()
	}
	runtime.Gosched()
	cancel()
	for range waiters {
		one := make(chan struct{})
		go func() { <-done; close(one) }()
		await(t, "an Update that waits for another goes on waiting after its context ended", one)
	}
	close(finish)
	await(t, "Update", finished)
	same(t, "a cancelled Update changed nothing", []int64{1}, numbers(t, st))
	insert(t, st, counters, counter{N: 3})
}

func testCancelledUpdate(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	ctx, cancel := context.WithCancel(t.Context())
	err := st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		if err := add(tx, 1); err != nil {
			return err
		}
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an Update whose context ended while it ran: %v, want its context's error", err)
	}
	same(t, "an Update whose context ended is rolled back", []int64{}, numbers(t, st))

	ctx, cancel = context.WithCancel(t.Context())
	err = st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		cancel()
		return add(tx, 1)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a write under an ended context: %v, want the context's error", err)
	}
	insert(t, st, counters, counter{N: 2})
	same(t, "the next Update is not concerned", []int64{2}, numbers(t, st))
}

func testCancelledRead(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	const rows = 5000
	insert(t, st, counters, make([]counter, rows)...)
	ctx, cancel := context.WithCancel(t.Context())
	err := st.View(ctx, func(_ context.Context, tx store.Tx) error {
		seen := 0
		err := tx.Select(counters.Schema().All(), &store.Query{}, func([]store.Value) error {
			if seen++; seen == 10 {
				cancel()
			}
			return nil
		})
		if err == nil {
			t.Errorf("a read goes on to its end, row %d, after its context ended at row 10", seen)
			_, err = counters.Count(tx)
		}
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a read under an ended context: %v, want the context's error", err)
	}
	same(t, "the next read is not concerned", int64(rows), count(t, st, counters))
}

func testClosed(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{N: 1})
	if err := st.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	never := func(context.Context, store.Tx) error {
		t.Error("a closed store runs a function")
		return nil
	}
	for what, err := range map[string]error{
		"View":    st.View(t.Context(), never),
		"Update":  st.Update(t.Context(), never),
		"Migrate": st.Migrate(t.Context(), counters.Schema()),
	} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s after Close: %v, want ErrUnavailable", what, err)
		}
	}
}

func testCloseWaits(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{N: 1})
	reading, closed := make(chan struct{}), make(chan struct{})
	var closing atomic.Bool
	go func() {
		defer close(closed)
		<-reading
		closing.Store(true)
		if err := st.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}()
	view(t, st, func(_ context.Context, tx store.Tx) error {
		close(reading)
		for !closing.Load() {
			runtime.Gosched()
		}
		for range 100 {
			runtime.Gosched()
			if _, err := counters.Get(tx, 1); err != nil {
				t.Errorf("Get in a View that Close waits for: %v", err)
				break
			}
		}
		select {
		case <-closed:
			t.Error("Close returns while a View runs")
		default:
		}
		return nil
	})
	await(t, "Close", closed)
}
