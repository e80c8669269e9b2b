package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// versionCases are for stores that are [driver.Versioned] or [driver.Asked].
var versionCases = []testCase{
	{"WhatNobodyChangedIsFresh", testFresh},
	{"WhatSomebodyChangedIsNotFresh", testStale},
	{"WhatWasReadThroughAReferenceCounts", testStaleReferences},
	{"AChangeDuringTheViewCounts", testStaleDuring},
	{"FreshReadsAreThoseOfTheDatabase", testValidRace},
	{"WhatIsFreshReadsTheSameAgain", testValidReads},
	{"ChangesOfOtherRowsDoNotCount", testOtherRows},
	{"WhatIsCachedCountsInUpdates", testCachedInUpdates},
}

// versioned skips the test of a store without versions.
func versioned(t *testing.T, st store.Store) store.Store {
	t.Helper()
	_, told := st.(driver.Versioned)
	_, asked := st.(driver.Asked)
	if !told && !asked {
		t.Skip("the store has no versions: it is no driver.Versioned or driver.Asked")
	}
	return st
}

// remembersRows reports whether a store remembers the rows that it changed last.
func remembersRows(st store.Store) bool {
	_, told := st.(driver.RowVersioned)
	_, asked := st.(driver.RowAsked)
	return told || asked
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
		if !reads.Valid(t.Context()) {
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
			same := what == "Insert" && name == "Get" || what == "Update" && name == "Count" // may be valid
			if reads.Valid(t.Context()) && !same {
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
		if reads.Valid(t.Context()) {
			t.Errorf("what was read is valid after a change of the table that %s refers to", name)
		}
	}
}

func testStaleDuring(t *testing.T, st store.Store) {
	v := versioned(t, st)
	migrate(t, st, counters.Schema())
	reads := readSet(t, v, func(ctx context.Context, tx store.Tx) error {
		if err := readCounters(ctx, tx); err != nil { // at the latest now the snapshot is taken
			return err
		}
		insert(t, st, counters, counter{N: 1}) // by another transaction, which this View does not see
		return readCounters(ctx, tx)
	})
	if reads.Valid(t.Context()) {
		t.Error("what was read is valid after a change that came while the View ran")
	}
}

// testValidRace reads beside a writer: a valid read after an Update has the result of
// that Update.
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
			if reads != nil && reads.Valid(t.Context()) && read != n+1 {
				t.Errorf("%d is valid after %d was committed", read, n+1)
			}
			mu.Unlock()
		}
	})
	all.Wait()
}

// testValidReads makes random changes and queries: a query whose read set is valid must
// read the same again.
func testValidReads(t *testing.T, st store.Store) {
	v := versioned(t, st)
	s := items.Schema()
	migrate(t, st, s, table.Schema())
	g := &generator{rand.New(rand.NewPCG(3, 4))}
	m := model{}
	type held struct {
		read  func(tx store.Tx) ([]store.Value, error)
		found []store.Value
		reads *driver.ReadSet
	}
	var list []*held
	valid, checked := 0, 0
	for range 6 {
		for _, c := range g.changes(m) {
			update(t, st, func(_ context.Context, tx store.Tx) error { return c.apply(tx) })
			kept := list[:0]
			for _, h := range list {
				if checked++; !h.reads.Valid(t.Context()) {
					continue
				}
				valid++
				view(t, st, func(_ context.Context, tx store.Tx) error {
					again, err := h.read(tx)
					if !slices.Equal(h.found, again) {
						t.Errorf("what was read is valid after %+v, but is read another", c)
					}
					return err
				})
				kept = append(kept, h)
			}
			for list = kept; len(list) < 20; {
				h := &held{read: g.read(s)}
				h.reads = readSet(t, v, func(_ context.Context, tx store.Tx) (err error) {
					h.found, err = h.read(tx)
					return err
				})
				list = append(list, h)
			}
		}
	}
	if remembersRows(st) && valid < checked/10 {
		t.Errorf("of %d reads %d were valid after a change: the store forgets which rows it changed", checked, valid)
	}
}

// read makes a read at random, which returns all that it read.
func (g *generator) read(s *store.Schema) func(tx store.Tx) ([]store.Value, error) {
	q, key := g.query(), int64(1+g.IntN(40))
	names := []string{s.Key()}
	for range g.IntN(4) {
		if c := g.column(s, false); !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	p, err := s.Project(names...)
	kind := g.IntN(4)
	return func(tx store.Tx) (found []store.Value, _ error) {
		if err != nil {
			return nil, err
		}
		each := func(row []store.Value) error {
			found = append(found, row...)
			return nil
		}
		switch kind {
		case 0:
			row := make([]store.Value, len(p.Columns))
			if err := tx.Get(p, key, row); !errors.Is(err, store.ErrNotFound) {
				return row, err
			}
			return nil, nil
		case 1:
			n, err := tx.Count(s, q.Where)
			return []store.Value{store.Int(n)}, err
		case 2:
			err := tx.Select(p, &q, each)
			return found, err
		}
		n, err := tx.Page(p, &q, each)
		return append(found, store.Int(n)), err
	}
}

// testOtherRows is for stores that remember the rows that were changed last.
func testOtherRows(t *testing.T, st store.Store) {
	v := versioned(t, st)
	if !remembersRows(st) {
		t.Skip("the store does not remember rows: it is no driver.RowVersioned or driver.RowAsked")
	}
	migrate(t, st, accounts.Schema())
	var rows []account
	for i := range int64(9) {
		rows = append(rows, account{AccountID: i + 1, Email: fmt.Sprint("mail", i), Shop: i % 3, Number: new(i)})
	}
	insert(t, st, accounts, rows...)
	page := store.Query{Where: []store.Cond{store.Equal("shop", store.Int(1))}, Order: []store.Order{store.Desc("number")}, Limit: 2}
	names, err := accounts.Schema().Project("account_id", "email", "shop")
	if err != nil {
		t.Fatal(err)
	}
	skip := func([]store.Value) error { return nil }
	reads := map[string]func(tx store.Tx) error{
		"Get":   func(tx store.Tx) error { return tx.Get(names, 8, make([]store.Value, 3)) },
		"Page":  func(tx store.Tx) error { _, err := tx.Page(names, &page, skip); return err }, // 8 and 5 of 3
		"Count": func(tx store.Tx) error { _, err := accounts.Count(tx, page.Where...); return err },
	}
	set := func(key int64, change func(*account)) func(tx store.Tx) error {
		return func(tx store.Tx) error {
			row, err := accounts.Get(tx, key)
			if err != nil {
				return err
			}
			change(&row)
			return accounts.Update(tx, &row)
		}
	}
	for _, c := range []struct {
		what   string
		change func(tx store.Tx) error
		stale  []string
	}{
		{"a column that is not shown", set(8, func(a *account) { a.Login = new("x") }), nil},
		{"a row of another page", set(2, func(a *account) { a.Email = "another" }), nil},
		{"a row that does not match", set(1, func(a *account) { a.Email, a.Number = "other", new(int64(99)) }), nil},
		{"a new row that does not match", func(tx store.Tx) error { return accounts.Insert(tx, &account{Email: "new", Shop: 2}) }, nil},
		{"a removed row that does not match", func(tx store.Tx) error { return accounts.DeleteKey(tx, 3) }, nil},
		{"a row of the page", set(5, func(a *account) { a.Email = "five" }), []string{"Page"}},
		{"the row", set(8, func(a *account) { a.Email = "eight" }), []string{"Get", "Page"}},
		{"the order", set(2, func(a *account) { a.Number = new(int64(50)) }), []string{"Page"}},
		{"a row that begins to match", set(4, func(a *account) { a.Shop = 1 }), []string{"Page", "Count"}},
		{"a row that ceases to match", set(4, func(a *account) { a.Shop = 0 }), []string{"Page", "Count"}},
		{"a new row that matches", func(tx store.Tx) error { return accounts.Insert(tx, &account{Email: "newer", Shop: 1}) }, []string{"Page", "Count"}},
	} {
		sets := map[string]*driver.ReadSet{}
		for name, read := range reads {
			sets[name] = readSet(t, v, func(_ context.Context, tx store.Tx) error { return read(tx) })
		}
		update(t, st, func(_ context.Context, tx store.Tx) error { return c.change(tx) })
		for name, reads := range sets {
			if valid := reads.Valid(t.Context()); valid == slices.Contains(c.stale, name) {
				t.Errorf("after a change of %s, what %s read is valid: %v", c.what, name, valid)
			}
		}
	}
}
