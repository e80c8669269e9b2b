package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
)

// Several rows that change in one column of numbers take one statement. Others take one each.
func TestDeferredWrites_OneStatement(t *testing.T) {
	t.Parallel()
	size := func(row []store.Value) { row[jars.Field("size")] = store.Int(row[jars.Field("size")].Int() + 10) }
	for _, c := range []struct {
		name       string
		alter      func(row []store.Value)
		statements int
		want       []jar
	}{
		{"numbers", size, 1, []jar{{1, "red", 11}, {2, "blue", 12}, {3, "red", 13}}},
		{"texts", func(row []store.Value) { row[jars.Field("color")] = store.String("grey") }, 3, []jar{{1, "grey", 1}, {2, "grey", 2}, {3, "grey", 3}}},
		{"numbers, and more of one row", func(row []store.Value) {
			if size(row); row[0] == store.Int(2) {
				row[jars.Field("color")] = store.String("grey")
			}
		}, 3, []jar{{1, "red", 11}, {2, "grey", 12}, {3, "red", 13}}},
	} {
		for _, read := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, read=%t", c.name, read), func(t *testing.T) {
				st, pool := openJars(t)
				inUpdate(t, st, func(_ context.Context, tx store.Tx) error { return jars.Insert(tx, &jar{Color: "red", Size: 3}) })
				if _, err := pool.Exec(t.Context(), `CREATE TABLE statements (n int);
					CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO statements VALUES (1); RETURN NULL; END $$;
					CREATE TRIGGER counted AFTER UPDATE ON jars FOR EACH STATEMENT EXECUTE FUNCTION counted()`); err != nil {
					t.Fatal(err)
				}
				var got []jar
				inUpdate(t, st, func(_ context.Context, tx store.Tx) (err error) {
					err = jars.Alter(tx, c.alter, store.InInts("jar_id", 1, 2, 3))
					if err == nil && read {
						got, err = jars.Select(tx, store.Query{})
					}
					return err
				})
				if read {
					if diff := cmp.Diff(c.want, got); diff != "" {
						t.Errorf("the rows in the transaction (-want, +got):\n%s", diff)
					}
				}
				inUpdate(t, st, func(_ context.Context, tx store.Tx) (err error) {
					got, err = jars.Select(tx, store.Query{})
					return err
				})
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("the rows after it (-want, +got):\n%s", diff)
				}
				var statements int
				if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM statements").Scan(&statements); err != nil || statements != c.statements {
					t.Errorf("%d statements, %v, want %d", statements, err, c.statements)
				}
			})
		}
	}
}

// crates have several numbers, one of which may be null.
type crate struct {
	CrateID int64  `json:"crate_id" store:"key"`
	Size    int64  `json:"size"`
	Weight  int64  `json:"weight"`
	Shelf   *int64 `json:"shelf"`
}

var crates = store.MustTable[crate]("crates")

// Rows that do not all change in the same number alone, or that wait in hundreds, are written as they are.
func TestDeferredWrites_SeveralNumbers(t *testing.T) {
	st, _ := openJars(t)
	if err := st.Migrate(t.Context(), crates.Schema()); err != nil {
		t.Fatal(err)
	}
	const n = 200
	var want []crate
	for i := range int64(n) {
		want = append(want, crate{CrateID: i + 1, Size: i, Weight: 2 * i, Shelf: &i})
	}
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		list := slices.Clone(want)
		for i := range list {
			list[i].CrateID = 0
		}
		return crates.InsertAll(tx, list)
	})
	first, second, null := store.Equal("crate_id", store.Int(1)), store.Equal("crate_id", store.Int(2)), store.Null
	for name, c := range map[string]struct {
		set   map[string]store.Value // of the first two
		other map[string]store.Value // of the second, in place of set
	}{
		"one number":            {set: map[string]store.Value{"weight": store.Int(7)}},
		"two numbers":           {set: map[string]store.Value{"size": store.Int(70), "weight": store.Int(71)}},
		"another number":        {set: map[string]store.Value{"size": store.Int(80)}, other: map[string]store.Value{"weight": store.Int(81)}},
		"one of them has two":   {set: map[string]store.Value{"size": store.Int(90)}, other: map[string]store.Value{"size": store.Int(91), "weight": store.Int(92)}},
		"null in place of some": {set: map[string]store.Value{"shelf": null}},
	} {
		inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
			return crates.Alter(tx, func(row []store.Value) {
				set := c.set
				if c.other != nil && row[0] == store.Int(2) {
					set = c.other
				}
				for column, v := range set {
					row[crates.Field(column)] = v
				}
			}, store.Any(first, second))
		})
		for i := range 2 {
			set := c.set
			if c.other != nil && i == 1 {
				set = c.other
			}
			for column, v := range set {
				switch column {
				case "size":
					want[i].Size = v.Int()
				case "weight":
					want[i].Weight = v.Int()
				case "shelf":
					want[i].Shelf = nil
				}
			}
		}
		wantCrates(t, st, name, want)
	}
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		size := crates.Field("size")
		return crates.Alter(tx, func(row []store.Value) { row[size] = store.Int(row[size].Int() + 1000) })
	})
	for i := range want {
		want[i].Size += 1000
	}
	wantCrates(t, st, "many", want)
}

func wantCrates(t *testing.T, st store.Store, after string, want []crate) {
	t.Helper()
	inUpdate(t, st, func(_ context.Context, tx store.Tx) error {
		got, err := crates.Select(tx, store.Query{})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s (-want, +got):\n%s", after, diff)
		}
		return err
	})
}
