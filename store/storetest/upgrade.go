package storetest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shopapi/shopapi/store"
)

var upgradeCases = []testCase{
	{"AConversionRunsOnce", testUpgradeOnce},
	{"ConversionsRunInTheirOrder", testUpgradeOrder},
	{"AConversionThatFailsLeavesTheDatabaseAsItWas", testUpgradeFails},
	{"AConversionReadsAndWritesInBatches", testUpgradeBatches},
	{"AnUpgradeGivesTheSchemaNumber", testUpgradeNumber},
	{"ANewerSchemaIsRefused", testNewerSchema},
}

// A schemaChange is a row of [store.SchemaChanges].
type schemaChange struct {
	ChangeID int64  `json:"change_id" store:"key"`
	Change   string `json:"change"`
	Number   int64  `json:"number"`
}

var schemaChanges = store.MustTable[schemaChange]("schema_changes")

func upgrade(t *testing.T, st store.Store, conversions ...store.Conversion) {
	t.Helper()
	if err := store.Upgrade(t.Context(), st, conversions...); err != nil {
		t.Fatalf("Upgrade: %v", err)
	}
}

// increment is a conversion that adds one to each counter, so that a second run shows.
func increment(name string) store.Conversion {
	return store.Conversion{Name: name, Tables: []*store.Schema{counters.Schema()}, Convert: func(_ context.Context, tx store.Tx) error {
		return counters.Batches(tx, 3, nil, func(rows []counter) error {
			for i := range rows {
				rows[i].N++
				if err := counters.Update(tx, &rows[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}}
}

func testUpgradeOnce(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{N: 1}, counter{N: 5})
	for range 2 {
		upgrade(t, st, increment("counters: one more"))
		same(t, "a conversion runs once", []int64{2, 6}, numbers(t, st))
	}
	upgrade(t, st, increment("counters: one more"), increment("counters: another"), increment("counters: another"))
	same(t, "one that is new runs, and once where it is named twice", []int64{3, 7}, numbers(t, st))
	insert(t, st, counters, counter{N: 100})
	upgrade(t, st)
	upgrade(t, st, increment("counters: another"))
	same(t, "what is written later is not converted", []int64{3, 7, 100}, numbers(t, st))
}

func testUpgradeOrder(t *testing.T, st store.Store) {
	var ran []string
	conversion := func(name string) store.Conversion {
		return store.Conversion{Name: name, Tables: []*store.Schema{counters.Schema()}, Convert: func(_ context.Context, tx store.Tx) error {
			if name == "b" {
				ran = ran[:0] // the first conversion that this Upgrade runs
			}
			ran = append(ran, name)
			return counters.Insert(tx, &counter{})
		}}
	}
	upgrade(t, st, conversion("c"))
	upgrade(t, st, conversion("b"), conversion("c"), conversion("a"), conversion("d"))
	same(t, "conversions that are missing run as they are named", []string{"b", "a", "d"}, ran)
	same(t, "the tables of a conversion are migrated", int64(4), count(t, st, counters))
}

func testUpgradeFails(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{N: 1})
	fails := store.Conversion{Name: "counters: no such luck", Tables: []*store.Schema{counters.Schema()}, Convert: func(_ context.Context, tx store.Tx) error {
		if err := counters.Insert(tx, &counter{N: 9}); err != nil {
			return err
		}
		return errTest
	}}
	err := store.Upgrade(t.Context(), st, increment("counters: one more"), fails)
	if !errors.Is(err, errTest) || !strings.Contains(err.Error(), fails.Name) {
		t.Errorf("Upgrade returns %v, want the error of the conversion and its name", err)
	}
	same(t, "nothing is left of the upgrade, conversions before the one that failed included", []int64{1}, numbers(t, st))
	same(t, "nor of what was done", int64(0), count(t, st, schemaChanges))
	fails.Convert = func(context.Context, store.Tx) error { return nil }
	upgrade(t, st, increment("counters: one more"), fails)
	same(t, "it can be tried again", []int64{2}, numbers(t, st))
}

func testUpgradeBatches(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	for _, n := range []int{0, 1, 3, 4, 7} {
		update(t, st, func(_ context.Context, tx store.Tx) error {
			_, err := counters.Delete(tx)
			return err
		})
		insert(t, st, counters, make([]counter, n)...)
		update(t, st, func(_ context.Context, tx store.Tx) error {
			got := []int64{}
			err := counters.Batches(tx, 3, []store.Cond{store.Equal("n", store.Int(0))}, func(rows []counter) error {
				for _, row := range rows {
					row.N = int64(len(rows))
					got = append(got, row.CounterID)
					if err := counters.Update(tx, &row); err != nil {
						return err
					}
				}
				return nil
			})
			want := []int64{}
			all, err2 := counters.Select(tx, store.Query{})
			for _, row := range all {
				want = append(want, row.CounterID)
			}
			same(t, "batches are of all rows, by their keys", want, got)
			return errors.Join(err, err2)
		})
	}
	update(t, st, func(_ context.Context, tx store.Tx) error {
		err := counters.Batches(tx, 3, nil, func([]counter) error { return errTest })
		if err != errTest {
			t.Errorf("Batches returns %v, want the error of its function", err)
		}
		return nil
	})
}

func testUpgradeNumber(t *testing.T, st store.Store) {
	upgrade(t, st)
	want := schemaChange{store.SchemaNumberKey, "schema", store.SchemaNumber}
	same(t, "an upgrade gives the number of this version", []schemaChange{want}, list(t, st, schemaChanges, store.Query{}))
	setNumber(t, st, store.SchemaNumber-1)
	upgrade(t, st)
	same(t, "and raises that of an older one", []schemaChange{want}, list(t, st, schemaChanges, store.Query{}))
}

// setNumber has the database be of another version.
func setNumber(t *testing.T, st store.Store, n int64) {
	t.Helper()
	update(t, st, func(_ context.Context, tx store.Tx) error {
		// The store looks at the number when the transaction begins, and not at this one.
		row, err := schemaChanges.Get(tx, store.SchemaNumberKey)
		if err != nil {
			return err
		}
		row.Number = n
		return schemaChanges.Update(tx, &row)
	})
}

func testNewerSchema(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	upgrade(t, st)
	insert(t, st, counters, counter{N: 1})
	setNumber(t, st, store.SchemaNumber+1)
	wantNewerSchema(t, st)
}

// wantNewerSchema fails the case unless the store refuses everything but reads within the
// second after which a View must notice the upgrade.
func wantNewerSchema(t *testing.T, st store.Store) {
	t.Helper()
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		_, err := counters.Delete(tx)
		return err
	})
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, store.ErrNewerSchema) || !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s in a database that a newer version has upgraded returns %v, want store.ErrNewerSchema", what, err)
		}
	}
	refused("Update", err)
	refused("Migrate", st.Migrate(t.Context(), pages2.Schema()))
	refused("Upgrade", store.Upgrade(t.Context(), st, increment("counters: too late")))
	refused("View", st.View(t.Context(), func(_ context.Context, tx store.Tx) error { // after the Update noticed
		_, err := counters.Count(tx)
		return err
	}))
}

// testSharedUpgrade has both handles upgrade, while the second one also writes.
func testSharedUpgrade(t *testing.T, first, second store.Store) {
	migrate(t, first, counters.Schema())
	migrate(t, second, counters.Schema())
	insert(t, first, counters, counter{N: 1})
	var all sync.WaitGroup
	for i := range 6 {
		st := []store.Store{first, second}[i%2]
		all.Go(func() {
			if err := store.Upgrade(t.Context(), st, increment("counters: one more")); err != nil {
				t.Errorf("Upgrade: %v", err)
			}
		})
	}
	all.Wait()
	same(t, "one of those that upgrade at once converts", []int64{2}, numbers(t, second))
	setNumber(t, first, store.SchemaNumber+1)
	wantNewerSchema(t, second)
}

// RunUpgraded checks the rules of upgrades for a SQL store while an older version of the
// library is still running. Open returns two handles on one database without tables, and
// a function that runs SQL by other means; RunUpgraded closes the handles.
//
// The first handle upgrades, and the second one, the older version, writes rows in the
// form of that version as long as it can.
func RunUpgraded(t *testing.T, open func(t *testing.T) (first, second store.Store, exec func(sql string))) {
	first, second, exec := open(t)
	t.Cleanup(func() {
		first.Close()
		second.Close()
	})
	migrate(t, first, counters.Schema())
	upgrade(t, second)
	insert(t, second, counters, counter{N: 1})
	var written atomic.Int64
	enough, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for n := 1; ; n++ {
			err := second.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return counters.Insert(tx, &counter{N: 1}) })
			if err != nil {
				stopped <- err
				return
			}
			written.Add(1)
			if n == 5 {
				close(enough)
			}
		}
	}()
	<-enough
	upgrade(t, first, store.Conversion{Name: "counters: negative", Tables: []*store.Schema{counters.Schema()}, Convert: func(_ context.Context, tx store.Tx) error {
		err := counters.Batches(tx, 100, nil, func(rows []counter) error {
			for i := range rows {
				rows[i].N = -1
				if err := counters.Update(tx, &rows[i]); err != nil {
					return err
				}
			}
			return nil
		})
		return errors.Join(err, schemaChanges.Update(tx, &schemaChange{store.SchemaNumberKey, "schema", store.SchemaNumber + 1}))
	}})
	if err := <-stopped; !errors.Is(err, store.ErrNewerSchema) {
		t.Errorf("the older version stops with %v, want store.ErrNewerSchema", err)
	}
	want := written.Load() + 1
	exec("UPDATE schema_changes SET number = 0") // to look at the rows
	same(t, "nothing that was acknowledged is lost", want, count(t, first, counters))
	same(t, "and nothing was written in the old form after the conversion", want, count(t, first, counters, store.Equal("n", store.Int(-1))))
}
