package storetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// testCachedInUpdates makes Updates at once that change rows, or fail after that, and read
// them from a cache that all share and from one of their own: as long as a cached result
// is valid, a read returns the same.
func testCachedInUpdates(t *testing.T, st store.Store) {
	v := versioned(t, st)
	migrate(t, st, counters.Schema(), table.Schema())
	insert(t, st, counters, counter{CounterID: 1}, counter{CounterID: 2})
	type held struct {
		found []counter
		reads driver.ReadSet
	}
	var (
		shared      atomic.Pointer[held]
		valid, kept atomic.Int64
		all         sync.WaitGroup
		undone      = errors.New("undone")
	)
	read := func(tx store.Tx) ([]counter, error) {
		return counters.Select(tx, store.Query{Order: []store.Order{store.Asc("counter_id")}})
	}
	checkShared := func(ctx context.Context, now []counter) error {
		if h := shared.Load(); h != nil && h.reads.Valid(ctx) {
			if valid.Add(1); !slices.Equal(h.found, now) {
				t.Errorf("what was cached is valid, but is %v, and the Update reads %v", h.found, now)
			}
			return nil
		}
		h := &held{}
		joined, err := h.reads.JoinInto(ctx, v, func(_ context.Context, tx store.Tx) (err error) {
			h.found, err = read(tx)
			return err
		})
		if !joined {
			t.Error("JoinInto does not join the Update")
		}
		if err == nil && h.reads.Complete() {
			shared.Store(h)
		}
		return err
	}
	check := func(ctx context.Context, tx store.Tx) error {
		now, err := read(tx)
		if err != nil {
			return err
		}
		if mine, ok := driver.Kept(ctx, v, "counters"); !ok {
			driver.Keep(ctx, v, "counters", now, counters.Schema())
		} else if kept.Add(1); !slices.Equal(mine.([]counter), now) {
			t.Errorf("the Update keeps %v and reads %v", mine, now)
		}
		return checkShared(ctx, now)
	}
	change := func(tx store.Tx, dice int, n int64) error {
		switch dice {
		case 0, 1:
			return counters.Update(tx, &counter{CounterID: int64(1 + dice), N: n})
		case 2:
			return add(tx, n)
		case 3:
			_, err := counters.Delete(tx, store.Not(store.InInts("counter_id", 1, 2)))
			return err
		}
		return table.Insert(tx, &group{Title: "other"})
	}
	for g := range uint64(6) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(g, 1))
			for range 40 {
				dice := random.IntN(8)
				err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
					for range 2 {
						if err := check(ctx, tx); err != nil {
							return err
						}
					}
					if err := change(tx, dice, random.Int64()); err != nil {
						return err
					}
					if err := check(ctx, tx); err != nil {
						return err
					}
					if dice%2 == 1 && random.IntN(3) == 0 {
						return undone
					}
					return nil
				})
				if err != nil && !errors.Is(err, undone) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if kept.Load() == 0 {
		t.Error("no Update kept what it had read: its Tx is no driver.CommittedTx")
	}
	if _, told := st.(driver.Versioned); told && valid.Load() == 0 {
		t.Error("nothing that was cached was ever valid in an Update")
	}
}
