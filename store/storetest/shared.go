package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/store"
)

// RunShared holds a store against the rules that only two handles on one
// database can show, as two processes have them. Open returns both, over a
// database without tables; RunShared closes them.
func RunShared(t *testing.T, open func(t *testing.T) (first, second store.Store)) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, first, second store.Store)
	}{
		{"EachSeesWhatTheOtherCommitted", testSharedCommits},
		{"BothMigrateAtOnce", testSharedMigrate},
		{"BothUpgradeAtOnce", testSharedUpgrade},
		{"AViewDoesNotSeeLaterCommitsOfTheOther", testSharedSnapshot},
		{"NoUpdateIsLostBetweenThem", testSharedUpdates},
		{"AUniqueValueIsTakenOnce", testSharedUnique},
		{"KeysNeverReturnToTheOther", testSharedKeys},
		{"VersionsTellOfTheOther", testSharedVersions},
		{"OneDoesNotJoinTheOther", testSharedJoin},
		{"OneGoesOnWhenTheOtherIsClosed", testSharedClose},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, second := open(t)
			t.Cleanup(func() {
				first.Close()
				second.Close()
			})
			c.run(t, first, second)
		})
	}
}

func testSharedCommits(t *testing.T, first, second store.Store) {
	migrate(t, first, items.Schema())
	migrate(t, second, items.Schema())
	where := store.Contains("name", "tea")
	for i := range int64(20) {
		writer, reader := first, second
		if i%2 == 1 {
			writer, reader = second, first
		}
		insert(t, writer, items, item{Name: "Tea"})
		same(t, "a View sees what the other handle committed", i+1, count(t, reader, items, where))
		view(t, reader, func(_ context.Context, tx store.Tx) error {
			_, total, err := items.Page(tx, store.Query{Where: []store.Cond{where}, Limit: 1})
			same(t, "so does the total of a page", i+1, total)
			return err
		})
	}
	update(t, first, func(_ context.Context, tx store.Tx) error {
		_, err := items.Delete(tx)
		return err
	})
	same(t, "a View sees what the other handle removed", int64(0), count(t, second, items, where))
}

func testSharedMigrate(t *testing.T, first, second store.Store) {
	var all sync.WaitGroup
	for i := range 8 {
		st := first
		if i%2 == 1 {
			st = second
		}
		all.Go(func() {
			if err := st.Migrate(t.Context(), pages.Schema(), items.Schema(), accounts.Schema()); err != nil {
				t.Errorf("Migrate: %v", err)
			}
		})
	}
	all.Wait()
	insert(t, second, pages, page{Name: "Home"})
	migrate(t, first, pages2.Schema())
	insert(t, second, pages, page{Name: "About"})
	same(t, "the other handle writes after new columns were added", int64(2), count(t, first, pages2, store.EqualFold("label", "")))
}

func testSharedSnapshot(t *testing.T, first, second store.Store) {
	migrate(t, first, counters.Schema())
	migrate(t, second, counters.Schema())
	view(t, first, func(_ context.Context, tx store.Tx) error {
		if _, err := counters.Count(tx); err != nil {
			return err
		}
		insert(t, second, counters, counter{N: 1})
		n, err := counters.Count(tx)
		same(t, "a View does not see what the other handle commits while it runs", int64(0), n)
		return err
	})
	same(t, "a later View does", int64(1), count(t, first, counters))
}

func testSharedUpdates(t *testing.T, first, second store.Store) {
	migrate(t, first, counters.Schema())
	migrate(t, second, counters.Schema())
	insert(t, first, counters, counter{})
	const each = 25
	var all sync.WaitGroup
	for _, st := range []store.Store{first, second} {
		for range 4 {
			all.Go(func() {
				for range each {
					err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
						c, err := counters.Get(tx, 1)
						if err != nil {
							return err
						}
						c.N++
						return counters.Update(tx, &c)
					})
					if err != nil {
						t.Errorf("Update: %v", err)
					}
				}
			})
		}
	}
	all.Wait()
	same(t, "updates of both handles have the effect of running one after another", []int64{8 * each}, numbers(t, second))
}

func testSharedUnique(t *testing.T, first, second store.Store) {
	migrate(t, first, accounts.Schema())
	migrate(t, second, accounts.Schema())
	insert(t, first, accounts, account{Email: "Ann"})
	err := second.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return accounts.Insert(tx, &account{Email: "ANN"})
	})
	wantConflict(t, err, "accounts", "email")
}

func testSharedKeys(t *testing.T, first, second store.Store) {
	migrate(t, first, counters.Schema())
	migrate(t, second, counters.Schema())
	newKeys(t, first, 3)
	remove(t, second)
	same(t, "a key that the other handle removed never returns", []int64{4}, newKeys(t, first, 1))
	insert(t, first, counters, counter{CounterID: 50})
	remove(t, first)
	same(t, "nor one that the other handle was given", []int64{51}, newKeys(t, second, 1))
}

func testSharedVersions(t *testing.T, first, second store.Store) {
	st := versioned(t, first)
	migrate(t, first, counters.Schema())
	migrate(t, second, counters.Schema())
	for range 10 {
		reads := readSet(t, st, readCounters)
		insert(t, second, counters, counter{N: 1})
		if reads.Valid(t.Context()) {
			t.Error("what was read is valid after the other handle changed it")
		}
	}
}

func testSharedJoin(t *testing.T, first, second store.Store) {
	migrate(t, first, counters.Schema())
	migrate(t, second, counters.Schema())
	err := first.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		if err := add(tx, 1); err != nil {
			return err
		}
		err := second.View(ctx, func(_ context.Context, tx store.Tx) error {
			n, err := counters.Count(tx)
			same(t, "a View of the other handle does not see what is not committed", int64(0), n)
			return err
		})
		return errors.Join(err, errTest)
	})
	if !errors.Is(err, errTest) {
		t.Errorf("Update: %v", err)
	}
	same(t, "nothing was committed", []int64{}, numbers(t, second))
}

func testSharedClose(t *testing.T, first, second store.Store) {
	migrate(t, first, counters.Schema())
	migrate(t, second, counters.Schema())
	insert(t, first, counters, counter{N: 1})
	if err := first.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	insert(t, second, counters, counter{N: 2})
	same(t, "a handle reads and writes after the other was closed", []int64{1, 2}, numbers(t, second))
}
