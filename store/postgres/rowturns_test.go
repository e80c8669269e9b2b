package postgres_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A counter is a row that many transactions change.
type counter struct {
	CounterID int64 `json:"counter_id" store:"key"`
	Number    int64 `json:"number"`
}

var counters = store.MustTable[counter]("counters")

// openCounters returns a store with the counters 1 and 2.
func openCounters(t *testing.T, dsn string) *postgres.Store {
	st := open(t, dsn)
	if err := st.Migrate(t.Context(), counters.Schema()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return counters.Insert(tx, &counter{}) }); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// count adds 1 to counters.
func count(tx store.Tx, keys ...int64) error {
	for _, key := range keys {
		c, err := counters.Get(tx, key)
		if err != nil {
			return err
		}
		c.Number++
		if err := counters.Update(tx, &c); err != nil {
			return err
		}
	}
	return nil
}

// Transactions that name the rows that they change run once each, in whatever order they name them.
func TestTakeTurns_NoConflicts(t *testing.T) {
	st := openCounters(t, pgtest.DSN(t))
	var runs atomic.Int64
	var wg sync.WaitGroup
	const writers, each = 8, 20
	for i := range writers {
		wg.Go(func() {
			for range each {
				keys := [][]int64{{1, 2}, {2, 1}, {1}, {2, 2}}[i%4]
				err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
					runs.Add(1)
					if err := store.TakeTurns(tx, counters.Schema(), keys...); err != nil {
						return err
					}
					return count(tx, keys...)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := runs.Load(); n != writers*each {
		t.Errorf("%d transactions ran %d times", writers*each, n)
	}
	for key, want := range map[int64]int64{1: 3 * writers / 4 * each, 2: 4 * writers / 4 * each} {
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
			c, err := counters.Get(tx, key)
			if err == nil && c.Number != want {
				t.Errorf("counter %d shows %d, want %d", key, c.Number, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// A transaction that waits for its turn ends with its context, and leaves the turn to others.
func TestTakeTurns_EndOfContext(t *testing.T) {
	st := openCounters(t, pgtest.DSN(t))
	take := func(_ context.Context, tx store.Tx) error { return store.TakeTurns(tx, counters.Schema(), 1) }
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		if err := take(ctx, tx); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		if err := st.Update(short, take); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the other transaction returned %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := st.Update(t.Context(), take); err != nil {
		t.Error(err)
	}
}

// A transaction that has the only connection does not wait for another that needs it.
func TestTakeTurns_AfterReading(t *testing.T) {
	st := openCounters(t, pgtest.DSN(t)+"&pool_max_conns=1")
	err := st.Update(t.Context(), func(_ context.Context, first store.Tx) error {
		if err := store.TakeTurns(first, counters.Schema(), 1); err != nil {
			return err
		}
		err := st.Update(context.Background(), func(_ context.Context, second store.Tx) error {
			if err := count(second, 2); err != nil {
				return err
			}
			return store.TakeTurns(second, counters.Schema(), 1)
		})
		if err != nil {
			return err
		}
		return count(first, 1)
	})
	if err != nil {
		t.Error(err)
	}
}
