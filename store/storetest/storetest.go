// Package storetest is the conformance suite for implementations of [store.Store]. It is
// for authors of stores:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return memory.New() })
//	}
//
// [RunShared] is for stores whose database has other handles, [RunReopened] for stores
// whose database outlives them, and [RunUpgraded] for SQL stores.
//
// Each case is a subtest on a new database; a failure names the broken rule. Functions
// given to transactions may run again, as the contract allows, and no case measures time:
// a case only times out if a store hangs.
package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopapi/shopapi/store"
)

// hangTimeout is how long a case waits before it says that a store hangs.
const hangTimeout = time.Minute

// Run holds a store against every rule that one handle on a database can show.
// Open returns a store over a database without tables; Run closes it.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	st := open(t)
	if err := joins(t.Context(), st, hangTimeout); err != nil {
		t.Fatal(err) // the cases would hang, and so may Close
	}
	if err := st.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) {
					st := open(t)
					t.Cleanup(func() { st.Close() })
					c.run(t, st)
				})
			}
		})
	}
}

var groups = []struct {
	name  string
	cases []testCase
}{
	{"Rows", rowCases},
	{"Keys", keyCases},
	{"Unique", uniqueCases},
	{"Values", valueCases},
	{"Conditions", conditionCases},
	{"Sparse", sparseCases},
	{"Search", searchCases},
	{"Order", orderCases},
	{"Pages", pageCases},
	{"Random", randomCases},
	{"Update", updateCases},
	{"Join", joinCases},
	{"AfterCommit", hookCases},
	{"Endings", endingCases},
	{"Snapshots", snapshotCases},
	{"Concurrency", concurrencyCases},
	{"Cancellation", cancelCases},
	{"Migrate", migrateCases},
	{"Upgrade", upgradeCases},
	{"Versions", versionCases},
	{"Close", closeCases},
}

type testCase struct {
	name string
	run  func(t *testing.T, st store.Store)
}

// errTest is what functions fail with on purpose.
var errTest = errors.New("storetest: failed on purpose")

// migrate prepares tables.
func migrate(t *testing.T, st store.Store, schemas ...*store.Schema) {
	t.Helper()
	if err := st.Migrate(t.Context(), schemas...); err != nil {
		t.Fatalf("Migrate: %v", err)
	}
}

// update runs fn in an Update that has to succeed.
func update(t *testing.T, st store.Store, fn func(ctx context.Context, tx store.Tx) error) {
	t.Helper()
	if err := st.Update(t.Context(), fn); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

// view runs fn in a View that has to succeed.
func view(t *testing.T, st store.Store, fn func(ctx context.Context, tx store.Tx) error) {
	t.Helper()
	if err := st.View(t.Context(), fn); err != nil {
		t.Fatalf("View: %v", err)
	}
}

// insert adds rows in one Update and returns them with their keys.
func insert[T any](t *testing.T, st store.Store, table *store.Table[T], rows ...T) []T {
	t.Helper()
	added := make([]T, len(rows))
	update(t, st, func(_ context.Context, tx store.Tx) error {
		copy(added, rows)
		for i := range added {
			if err := table.Insert(tx, &added[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return added
}

// list reads rows in a View of their own.
func list[T any](t *testing.T, st store.Store, table *store.Table[T], q store.Query) (rows []T) {
	t.Helper()
	view(t, st, func(_ context.Context, tx store.Tx) (err error) {
		rows, err = table.Select(tx, q)
		return err
	})
	return rows
}

// count counts rows in a View of their own.
func count[T any](t *testing.T, st store.Store, table *store.Table[T], where ...store.Cond) (n int64) {
	t.Helper()
	view(t, st, func(_ context.Context, tx store.Tx) (err error) {
		n, err = table.Count(tx, where...)
		return err
	})
	return n
}

// same fails the case, naming the rule, unless got is want.
func same(t *testing.T, rule string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", rule, diff)
	}
}

// await waits for done, which a store that conforms closes.
func await(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(hangTimeout):
		t.Fatalf("the store hangs: %s", what)
	}
}
