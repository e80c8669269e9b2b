package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

func testAlter(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema(), accounts.Schema())
	insert(t, st, counters, counter{N: 1}, counter{N: 20}, counter{N: 3})
	n := counters.Field("n")
	add := func(tx store.Tx, by int64, where ...store.Cond) error {
		return counters.Alter(tx, func(row []store.Value) {
			if row[0].Int() != 2 {
				row[n] = store.Int(row[n].Int() + by)
			}
		}, where...)
	}
	reads := new(driver.ReadSet)
	err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error {
		_, err := counters.Get(tx, 1)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	update(t, st, func(_ context.Context, tx store.Tx) error {
		if err := counters.Insert(tx, &counter{N: 4}); err != nil {
			return err
		}
		return errors.Join(add(tx, 100), add(tx, 1000, store.AtLeast("n", store.Int(103))), add(tx, 1, store.Equal("n", store.Int(999))))
	})
	same(t, "Alter changes what matches, in the order of the calls", []int64{101, 20, 1103, 1104}, numbers(t, st))
	same(t, "what Alter has changed is found so", int64(2), count(t, st, counters, store.AtLeast("n", store.Int(1000))))
	if reads.Valid(t.Context()) {
		t.Error("a read is valid after Alter has changed its row")
	}

	insert(t, st, accounts, account{Email: "a@example.org"}, account{Email: "b@example.org", Shop: 1})
	email := accounts.Field("email")
	rename := func(tx store.Tx, to string) error {
		return accounts.Alter(tx, func(row []store.Value) { row[email] = store.String(to) }, store.Equal("account_id", store.Int(2)))
	}
	update(t, st, func(_ context.Context, tx store.Tx) error {
		if err := rename(tx, "A@example.org"); !errors.Is(err, store.ErrConflict) {
			t.Errorf("Alter to a value that is taken: %v, want ErrConflict", err)
		}
		return rename(tx, "C@example.org")
	})
	update(t, st, func(_ context.Context, tx store.Tx) error {
		err := accounts.Alter(tx, func(row []store.Value) { row[email] = store.String("d@example.org") })
		if !errors.Is(err, store.ErrConflict) {
			t.Errorf("Alter of two rows to the same value: %v, want ErrConflict", err)
		}
		return rename(tx, "C@example.org")
	})
	same(t, "what Alter has changed is found without regard to case", int64(1),
		count(t, st, accounts, store.EqualFold("email", "c@EXAMPLE.org")))
	err = st.View(t.Context(), func(_ context.Context, tx store.Tx) error { return add(tx, 1) })
	if !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Alter in a View: %v, want ErrReadOnly", err)
	}
}

// testAlterMany changes more rows than a store writes at once.
func testAlterMany(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	var rows []counter
	var want []int64
	for i := range int64(150) {
		rows = append(rows, counter{N: i})
		if want = append(want, i); i%3 == 0 {
			want[i] += 1000
		}
	}
	insert(t, st, counters, rows...)
	n := counters.Field("n")
	update(t, st, func(_ context.Context, tx store.Tx) error {
		return counters.Alter(tx, func(row []store.Value) {
			if row[n].Int()%3 == 0 {
				row[n] = store.Int(row[n].Int() + 1000)
			}
		})
	})
	same(t, "each third of 150 rows is changed", want, numbers(t, st))
}

func testSet(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema(), files.Schema())
	insert(t, st, counters, counter{N: 1}, counter{N: 20}, counter{N: 3})
	set := func(run func(context.Context, func(context.Context, store.Tx) error) error, where ...store.Cond) error {
		return run(t.Context(), func(_ context.Context, tx store.Tx) error { return counters.Set(tx, "n", 7, where...) })
	}
	same(t, "the number of rows before", int64(1), count(t, st, counters, store.Equal("n", store.Int(20))))
	if err := set(st.Update, store.AtLeast("n", store.Int(2))); err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, c := range list(t, st, counters, store.Query{}) {
		got = append(got, c.N)
	}
	same(t, "the matching rows have the number, the others are unchanged", []int64{1, 7, 7}, got)
	same(t, "the number of rows after", int64(0), count(t, st, counters, store.Equal("n", store.Int(20))))
	if err := set(st.View); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("in a View: %v, want ErrReadOnly", err)
	}
	for _, column := range []string{"file_id", "path", "nothing"} {
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return files.Set(tx, column, 7) })
		if err == nil {
			t.Errorf("column %q was set in many rows", column)
		}
	}
	testSetText(t, st)
}

func testSetText(t *testing.T, st store.Store) {
	insert(t, st, files, file{Path: "a/b", Code: "1"}, file{Path: "a/b/c", Code: "2"}, file{Path: "d", Code: "3"})
	same(t, "the number of rows before", int64(1), count(t, st, files, store.Equal("path", store.String("a/b"))))
	set := func(column string) error {
		return st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			return files.SetText(tx, column, "a", store.InInts("file_id", 1, 2))
		})
	}
	if err := set("path"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list(t, st, files, store.Query{}) {
		got = append(got, f.Path)
	}
	same(t, "the matching rows have the text, the others are unchanged", []string{"a", "a", "d"}, got)
	same(t, "the number of rows with the text", int64(2), count(t, st, files, store.Equal("path", store.String("a"))))
	same(t, "the number of rows after", int64(0), count(t, st, files, store.Equal("path", store.String("a/b"))))
	for _, column := range []string{"file_id", "note", "title", "code", "nothing"} {
		if set(column) == nil {
			t.Errorf("column %q was set in many rows", column)
		}
	}
}
