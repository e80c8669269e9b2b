package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/shopapi/shopapi/store"
)

// RunReopened checks the rules for databases that outlive their handle: acknowledged
// changes are there when the database is opened again. Create makes a database without
// tables and returns a function that opens a store over it; RunReopened closes each
// before it opens the next.
//
//	storetest.RunReopened(t, func(t *testing.T) func() store.Store {
//		path := filepath.Join(t.TempDir(), "shop.db")
//		return func() store.Store { return open(t, path) }
//	})
func RunReopened(t *testing.T, create func(t *testing.T) (open func() store.Store)) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, reopen func() store.Store)
	}{
		{"WhatUpdateReturnedIsThere", testReopenedRows},
		{"NothingOfARolledBackUpdateIsThere", testReopenedRollback},
		{"KeysNeverReturn", testReopenedKeys},
		{"UniqueValuesStayTaken", testReopenedUnique},
		{"MigrateAddsToTheTablesThatAreThere", testReopenedMigrate},
	} {
		t.Run(c.name, func(t *testing.T) {
			open := create(t)
			var st store.Store
			c.run(t, func() store.Store {
				t.Helper()
				if st != nil {
					if err := st.Close(); err != nil {
						t.Fatalf("Close: %v", err)
					}
				}
				st = open()
				return st
			})
			if err := st.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

func testReopenedRows(t *testing.T, reopen func() store.Store) {
	st := reopen()
	migrate(t, st, items.Schema(), counters.Schema())
	want := insert(t, st, items,
		item{GroupID: 1, ParentID: new(int64(-7)), Order: 1 << 60, Name: "Grüße", Nick: new(""), Code: "a\tb", Active: true, Shown: new(false),
			Price: amount("12345678.90"), Discount: new(amount("0.0001")), Options: jsonText(`{"a": [1, 2]}`), Extra: new(jsonText("[]"))},
		item{Name: "plain", Options: jsonText("[]"), Price: amount("0.00")},
		item{Name: "changed", Options: jsonText("[]"), Price: amount("1.00")},
		item{Name: "removed"},
	)
	update(t, st, func(_ context.Context, tx store.Tx) error {
		want[2].Name = "CHANGED"
		return errors.Join(items.Update(tx, &want[2]), items.DeleteKey(tx, want[3].ItemID))
	})
	want = want[:3]
	for range 2 {
		st = reopen()
		same(t, "the rows are those of the last Update", asTexts(want), asTexts(list(t, st, items, store.Query{})))
		same(t, "and are counted", int64(3), count(t, st, items))
		same(t, "and are found without regard to case", []int64{want[2].ItemID},
			keys(list(t, st, items, store.Query{Where: []store.Cond{store.EqualFold("name", "changed")}})))
		migrate(t, st, items.Schema(), counters.Schema()) // as programs do when they begin
	}
	insert(t, st, items, item{Name: "later"})
	same(t, "a store that was opened again writes", int64(4), count(t, reopen(), items))
}

// asTexts leaves out how an amount is held, but for its digits.
func asTexts(rows []item) (list []map[string]any) {
	for _, r := range rows {
		m := map[string]any{
			"id": r.ItemID, "group": r.GroupID, "parent": r.ParentID, "order": r.Order, "rank": r.Rank, "name": r.Name, "nick": r.Nick,
			"code": r.Code, "note": r.Note, "active": r.Active, "shown": r.Shown, "price": r.Price.String(), "options": string(r.Options),
		}
		if r.Discount != nil {
			m["discount"] = r.Discount.String()
		}
		if r.Extra != nil {
			m["extra"] = string(*r.Extra)
		}
		list = append(list, m)
	}
	return list
}

func testReopenedRollback(t *testing.T, reopen func() store.Store) {
	st := reopen()
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{N: 1})
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return errors.Join(counters.Update(tx, &counter{CounterID: 1, N: 2}), counters.Insert(tx, &counter{}), errTest)
	})
	if !errors.Is(err, errTest) {
		t.Fatalf("Update: %v", err)
	}
	same(t, "nothing of an Update that failed is there", []counter{{1, 1}}, list(t, reopen(), counters, store.Query{}))
}

func testReopenedKeys(t *testing.T, reopen func() store.Store) {
	migrate(t, reopen(), counters.Schema())
	last := int64(0)
	next := func(after string) {
		t.Helper()
		st := reopen()
		keys := newKeys(t, st, 2)
		if keys[0] <= last || keys[1] <= keys[0] {
			t.Errorf("after %s the keys %v are given, and %d was", after, keys, last)
		}
		last = keys[1]
	}
	next("nothing")
	next("an end")
	st := reopen()
	remove(t, st, store.Equal("counter_id", store.Int(last)))
	next("the greatest was removed")
	remove(t, reopen())
	next("all were removed")
	st = reopen()
	insert(t, st, counters, counter{CounterID: last + 100})
	last += 100
	remove(t, st, store.Equal("counter_id", store.Int(last)))
	next("a given one was removed")
	update(t, reopen(), func(_ context.Context, tx store.Tx) error {
		c := counter{}
		if err := counters.Insert(tx, &c); err != nil {
			return err
		}
		last = c.CounterID
		return counters.DeleteKey(tx, c.CounterID)
	})
	next("one was given and removed by one Update")
}

func testReopenedUnique(t *testing.T, reopen func() store.Store) {
	st := reopen()
	migrate(t, st, accounts.Schema())
	insert(t, st, accounts, account{Email: "ann@shop.test", Shop: 1})
	st = reopen()
	migrate(t, st, accounts.Schema())
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return accounts.Insert(tx, &account{Email: "ANN@shop.test", Shop: 2})
	})
	wantConflict(t, err, "accounts", "email")
}

func testReopenedMigrate(t *testing.T, reopen func() store.Store) {
	st := reopen()
	migrate(t, st, pages.Schema())
	insert(t, st, pages, page{Name: "Home"})
	st = reopen()
	migrate(t, st, pages2.Schema())
	same(t, "the rows are there", int64(1), count(t, st, pages2))
	st = reopen()
	same(t, "also without another Migrate", int64(1), count(t, st, pages2))
	migrate(t, st, pages.Schema()) // an older program
	same(t, "and for an older program", int64(1), count(t, st, pages))
}
