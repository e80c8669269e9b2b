package storetest

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/shopapi/shopapi/store"
)

var keyCases = []testCase{
	{"KeysBeginAtOneAndGrow", testKeysGrow},
	{"AGivenKeyIsUsed", testGivenKey},
	{"TheNextKeyIsAboveEveryKeyEver", testKeysNeverReturn},
	{"ARolledBackKeyIsNoKeyOfTheTable", testRolledBackKey},
	{"ATakenKeyConflicts", testTakenKey},
}

var uniqueCases = []testCase{
	{"AUniqueTextConflicts", testUnique},
	{"AConflictLeavesTheTransactionGood", testConflictGoesOn},
	{"ARowDoesNotConflictWithItself", testUniqueSelf},
	{"ARemovedValueIsFree", testUniqueFreed},
}

// newKeys inserts n rows and returns their keys.
func newKeys(t *testing.T, st store.Store, n int) []int64 {
	t.Helper()
	var list []int64
	for _, c := range insert(t, st, counters, make([]counter, n)...) {
		list = append(list, c.CounterID)
	}
	return list
}

func remove(t *testing.T, st store.Store, where ...store.Cond) {
	t.Helper()
	update(t, st, func(_ context.Context, tx store.Tx) error {
		_, err := counters.Delete(tx, where...)
		return err
	})
}

func testKeysGrow(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	same(t, "keys begin at 1", []int64{1, 2, 3}, newKeys(t, st, 3))
	same(t, "keys go on", []int64{4}, newKeys(t, st, 1))
}

func testGivenKey(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	added := insert(t, st, counters, counter{CounterID: 50, N: 1}, counter{CounterID: -7, N: 2}, counter{CounterID: 9, N: 3})
	same(t, "a given key is used", []counter{{50, 1}, {-7, 2}, {9, 3}}, added)
	same(t, "the next key is above the greatest", []int64{51}, newKeys(t, st, 1))
}

func testKeysNeverReturn(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	newKeys(t, st, 3)
	remove(t, st, store.Equal("counter_id", store.Int(3)))
	same(t, "the key of a removed last row never returns", []int64{4}, newKeys(t, st, 1))
	remove(t, st)
	same(t, "keys never return to an emptied table", []int64{5}, newKeys(t, st, 1))
	insert(t, st, counters, counter{CounterID: 100})
	remove(t, st, store.Equal("counter_id", store.Int(100)))
	same(t, "a given key never returns either", []int64{101}, newKeys(t, st, 1))
	update(t, st, func(_ context.Context, tx store.Tx) error {
		c := counter{}
		if err := counters.Insert(tx, &c); err != nil {
			return err
		}
		return counters.DeleteKey(tx, c.CounterID)
	})
	same(t, "nor one inserted and removed by one transaction", []int64{103}, newKeys(t, st, 1))
}

func testRolledBackKey(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	newKeys(t, st, 1)
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return errors.Join(counters.Insert(tx, &counter{}), errTest)
	})
	if !errors.Is(err, errTest) {
		t.Fatalf("Update: %v", err)
	}
	if next := newKeys(t, st, 1)[0]; next != 2 && next != 3 {
		t.Errorf("the key after a rolled back insert is %d, want 2, or 3 where sequences skip", next)
	}
}

func testTakenKey(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{CounterID: 5, N: 1}, counter{CounterID: math.MaxInt64 - 1})
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return counters.Insert(tx, &counter{CounterID: 5, N: 2})
	})
	wantConflict(t, err, "counters", "counter_id")
	same(t, "the row that has the key stays", counter{5, 1}, list(t, st, counters, store.Query{})[0])
}

func wantConflict(t *testing.T, err error, table string, columns ...string) {
	t.Helper()
	var conflict *store.ConflictError
	if !errors.As(err, &conflict) || !errors.Is(err, store.ErrConflict) {
		t.Errorf("got %v, want a ConflictError", err)
		return
	}
	same(t, "a ConflictError names the table and the columns of the index", &store.ConflictError{Table: table, Columns: columns}, conflict)
}

func testUnique(t *testing.T, st store.Store) {
	migrate(t, st, accounts.Schema())
	rows := insert(t, st, accounts,
		account{Email: "ann@shop.test", Login: new("ann"), Shop: 1, Number: new(int64(1))},
		account{Email: "bob@shop.test", Login: new("bob"), Shop: 1, Number: new(int64(2))},
		account{Email: "eve@straße.test", Shop: 1},
		account{Email: "victim", Shop: 5},
	)
	victim := rows[3].AccountID
	for _, c := range []struct {
		rule     string
		row      account
		conflict []string
	}{
		{"a plain text", account{Email: "1", Login: new("ann"), Shop: 9}, []string{"login"}},
		{"plain texts differ in case", account{Email: "2", Login: new("Ann"), Shop: 9}, nil},
		{"a folded text", account{Email: "ANN@shop.test", Shop: 9}, []string{"email"}},
		{"a folded text outside ASCII", account{Email: "EVE@STRASSE.TEST", Shop: 9}, []string{"email"}},
		{"two columns", account{Email: "3", Shop: 1, Number: new(int64(2))}, []string{"shop", "number"}},
		{"one column of two", account{Email: "4", Shop: 2, Number: new(int64(2))}, nil},
		{"null is no value", account{Email: "5", Shop: 3}, nil},
		{"null is no value in one column of two", account{Email: "6", Shop: 1}, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			for what, write := range map[string]func(store.Tx, *account) error{
				"Insert": accounts.Insert,
				"Update": func(tx store.Tx, row *account) error {
					row.AccountID = victim
					return accounts.Update(tx, row)
				},
			} {
				var got error
				err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
					row := c.row
					got = write(tx, &row)
					return errTest
				})
				switch {
				case !errors.Is(err, errTest):
					t.Errorf("%s: the transaction fails with %v", what, err)
				case c.conflict != nil:
					wantConflict(t, got, "accounts", c.conflict...)
				case got != nil:
					t.Errorf("%s: %v, want no conflict", what, got)
				}
			}
		})
	}
}

func testConflictGoesOn(t *testing.T, st store.Store) {
	migrate(t, st, accounts.Schema())
	rows := insert(t, st, accounts, account{Email: "a"}, account{Email: "b"})
	update(t, st, func(_ context.Context, tx store.Tx) error {
		wantConflict(t, accounts.Insert(tx, &account{Email: "A"}), "accounts", "email")
		wantConflict(t, accounts.Update(tx, &account{AccountID: rows[1].AccountID, Email: "A"}), "accounts", "email")
		return accounts.Insert(tx, &account{Email: "c"})
	})
	var emails []string
	for _, a := range list(t, st, accounts, store.Query{}) {
		emails = append(emails, a.Email)
	}
	same(t, "a conflict changes nothing, and the function may go on", []string{"a", "b", "c"}, emails)
}

func testUniqueSelf(t *testing.T, st store.Store) {
	migrate(t, st, accounts.Schema())
	rows := insert(t, st, accounts, account{Email: "a", Login: new("a"), Number: new(int64(1))})
	update(t, st, func(_ context.Context, tx store.Tx) error {
		return accounts.Update(tx, &account{AccountID: rows[0].AccountID, Email: "A", Login: new("a"), Number: new(int64(1)), Shop: 0})
	})
	same(t, "a row may keep its own unique values", "A", list(t, st, accounts, store.Query{})[0].Email)
}

func testUniqueFreed(t *testing.T, st store.Store) {
	migrate(t, st, accounts.Schema())
	rows := insert(t, st, accounts, account{Email: "a"}, account{Email: "b"})
	update(t, st, func(_ context.Context, tx store.Tx) error {
		if err := accounts.DeleteKey(tx, rows[0].AccountID); err != nil {
			return err
		}
		if err := accounts.Update(tx, &account{AccountID: rows[1].AccountID, Email: "a"}); err != nil {
			return err
		}
		return accounts.Insert(tx, &account{Email: "B"})
	})
	same(t, "values given up may be taken in the same transaction", int64(2), count(t, st, accounts))
}
