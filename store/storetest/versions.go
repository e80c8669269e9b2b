package storetest

import (
	"context"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// versionCases are for stores that are [driver.Versioned].
var versionCases = []testCase{
	{"WhatNobodyChangedIsFresh", testFresh},
	{"WhatSomebodyChangedIsNotFresh", testStale},
	{"WhatWasReadThroughAReferenceCounts", testStaleReferences},
	{"AChangeDuringTheViewCounts", testStaleDuring},
	{"FreshReadsAreThoseOfTheDatabase", testValidRace},
}

func versioned(t *testing.T, st store.Store) driver.Versioned {
	t.Helper()
	v, ok := st.(driver.Versioned)
	if !ok {
		t.Skip("the store has no versions: it is no driver.Versioned")
	}
	return v
}

// readSet runs fn in a View and returns the read set.
func readSet(t *testing.T, st store.Store, fn func(ctx context.Context, tx store.Tx) error) *driver.ReadSet {
	t.Helper()
	reads := new(driver.ReadSet)
	if err := st.View(driver.WithReadSet(t.Context(), reads), fn); err != nil {
		t.Fatalf("View: %v", err)
	}
	if !reads.Complete() {
		t.Error("a View does not record what it reads: call the function with Session.Tx")
	}
	return reads
}

func readCounters(_ context.Context, tx store.Tx) error {
	_, err := counters.Select(tx, store.Query{})
	return err
}

func testFresh(t *testing.T, st store.Store) {
	v := versioned(t, st)
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{N: 1})
	reads := readSet(t, v, readCounters)
	for range 3 {
		same(t, "reads leave what was read valid", int64(1), count(t, st, counters))
		if !reads.Valid() {
			t.Error("what was read is not valid, though nothing was written")
		}
	}
}

func testStale(t *testing.T, st store.Store) {
	v := versioned(t, st)
	migrate(t, st, counters.Schema(), table.Schema())
	for what, write := range map[string]func(tx store.Tx) error{
		"Insert": func(tx store.Tx) error { return add(tx, 1) },
		"Update": func(tx store.Tx) error { return counters.Update(tx, &counter{CounterID: 1000, N: 5}) },
		"Delete": func(tx store.Tx) error { return counters.DeleteKey(tx, 1000) },
	} {
		for name, read := range map[string]func(tx store.Tx) error{
			"Get":    func(tx store.Tx) error { _, err := counters.Get(tx, 1000); return err },
			"Select": func(tx store.Tx) error { _, err := counters.Select(tx, store.Query{}); return err },
			"Page":   func(tx store.Tx) error { _, _, err := counters.Page(tx, store.Query{Limit: 1}); return err },
			"Count":  func(tx store.Tx) error { _, err := counters.Count(tx); return err },
		} {
			remove(t, st)
			insert(t, st, counters, counter{CounterID: 1000})
			reads := readSet(t, v, func(_ context.Context, tx store.Tx) error { return read(tx) })
			update(t, st, func(_ context.Context, tx store.Tx) error { return write(tx) })
			if reads.Valid() {
				t.Errorf("what %s read is valid after %s", name, what)
			}
		}
	}
}

func testStaleReferences(t *testing.T, st store.Store) {
	v := versioned(t, st)
	migrate(t, st, items.Schema(), table.Schema())
	for name, q := range map[string]store.Query{
		"an order":               {Order: []store.Order{viaGroup("title", false)}},
		"a condition":            {Where: []store.Cond{store.InQuery("group_id", table.Schema(), "group_id")}},
		"a condition's opposite": {Where: []store.Cond{store.Not(store.InQuery("group_id", table.Schema(), "group_id"))}},
	} {
		reads := readSet(t, v, func(_ context.Context, tx store.Tx) error {
			_, err := items.Select(tx, q)
			return err
		})
		insert(t, st, table, group{Title: "new"})
		if reads.Valid() {
			t.Errorf("what was read is valid after a change of the table that %s refers to", name)
		}
	}
}

func testStaleDuring(t *testing.T, st store.Store) {
	v := versioned(t, st)
	migrate(t, st, counters.Schema())
	reads := readSet(t, v, func(ctx context.Context, tx store.Tx) error {
		insert(t, st, counters, counter{N: 1}) // by another transaction, which this View does not see
		return readCounters(ctx, tx)
	})
	if reads.Valid() {
		t.Error("what was read is valid after a change that came while the View ran")
	}
}

// testValidRace reads beside a writer: whatever is valid after an Update
// returned has what that Update wrote.
func testValidRace(t *testing.T, st store.Store) {
	v := versioned(t, st)
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{})
	var (
		mu    sync.Mutex
		reads *driver.ReadSet
		read  int64
		all   sync.WaitGroup
	)
	all.Go(func() {
		for range 200 {
			var got counter
			next := new(driver.ReadSet)
			err := v.View(driver.WithReadSet(t.Context(), next), func(_ context.Context, tx store.Tx) (err error) {
				got, err = counters.Get(tx, 1)
				return err
			})
			if err != nil {
				t.Errorf("View: %v", err)
			}
			mu.Lock()
			reads, read = next, got.N
			mu.Unlock()
		}
	})
	all.Go(func() {
		for n := range int64(100) {
			err := v.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				return counters.Update(tx, &counter{CounterID: 1, N: n + 1})
			})
			if err != nil {
				t.Errorf("Update: %v", err)
			}
			mu.Lock()
			if reads != nil && reads.Valid() && read != n+1 {
				t.Errorf("%d is valid after %d was committed", read, n+1)
			}
			mu.Unlock()
		}
	})
	all.Wait()
}
