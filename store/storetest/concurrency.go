package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shopapi/shopapi/store"
)

var snapshotCases = []testCase{
	{"AViewDoesNotSeeLaterCommits", testSnapshot},
	{"ASnapshotIsTakenByTheFirstRead", testSnapshotBegins},
	{"AViewAfterAnUpdateSeesIt", testReadYourWrites},
	{"APageAndItsTotalAreOfOneSnapshot", testPageSnapshot},
	{"ReadersDoNotSeeHalfAnUpdate", testInvariant},
}

var concurrencyCases = []testCase{
	{"NoUpdateIsLost", testLostUpdates},
	{"UpdatesThatReadRowsOfOthersRunOneAfterAnother", testWriteSkew},
	{"OnlyTheUpdatesThatFailFail", testOthersFail},
	{"OneOfManyTakesAUniqueValue", testUniqueRace},
	{"KeysOfConcurrentInsertsDiffer", testConcurrentKeys},
}

func testSnapshot(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	before := insert(t, st, items, item{Name: "same", Options: jsonText("[]"), Price: amount("0.00")},
		item{Name: "changed", Options: jsonText("[]"), Price: amount("0.00")}, item{Name: "removed", Options: jsonText("[]"), Price: amount("0.00")})
	others := func() {
		update(t, st, func(_ context.Context, tx store.Tx) error {
			changed := before[1]
			changed.Name = "later"
			if err := items.Update(tx, &changed); err != nil {
				return err
			}
			if _, err := items.Delete(tx, store.Equal("item_id", store.Int(before[2].ItemID))); err != nil {
				return err
			}
			return items.Insert(tx, &item{Name: "added"})
		})
	}
	view(t, st, func(_ context.Context, tx store.Tx) error {
		for i := range 3 {
			rows, total, err := items.Page(tx, store.Query{})
			if err != nil {
				return err
			}
			same(t, "a View reads one snapshot", before, rows)
			same(t, "and counts it", int64(3), total)
			n, err := items.Count(tx, store.Contains("name", "e"))
			if err != nil {
				return err
			}
			same(t, "and counts what matches in it", int64(3), n)
			for _, want := range before {
				row, err := items.Get(tx, want.ItemID)
				if err != nil {
					return err
				}
				same(t, "and gets from it", want, row)
			}
			if i < 2 {
				others()
			}
		}
		return nil
	})
	same(t, "a View begun later sees what was committed", []int64{1, 2, 4, 5}, keys(list(t, st, items, store.Query{})))
}

func testSnapshotBegins(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema(), items.Schema())
	view(t, st, func(_ context.Context, tx store.Tx) error {
		if _, err := items.Exists(tx, 1); err != nil {
			return err
		}
		insert(t, st, counters, counter{N: 1})
		n, err := counters.Count(tx)
		same(t, "what commits after the first read is not seen, in other tables neither", int64(0), n)
		return err
	})
}

func testReadYourWrites(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	for i := range int64(50) {
		insert(t, st, counters, counter{N: i})
		same(t, "a View begun after an Update returned sees it", i+1, count(t, st, counters))
	}
}

func testPageSnapshot(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	var writer sync.WaitGroup
	defer writer.Wait()
	writer.Go(func() {
		for range 200 {
			if err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return add(tx, 1) }); err != nil {
				t.Errorf("Update: %v", err)
			}
		}
	})
	for range 100 {
		view(t, st, func(_ context.Context, tx store.Tx) error {
			rows, total, err := counters.Page(tx, store.Query{Order: []store.Order{store.Desc("counter_id")}})
			if err != nil {
				return err
			}
			if int64(len(rows)) != total {
				t.Errorf("a page without limit has %d rows, its total is %d", len(rows), total)
			}
			if len(rows) > 0 && rows[0].CounterID != total {
				t.Errorf("the greatest key is %d, the total %d", rows[0].CounterID, total)
			}
			first, total2, err := counters.Page(tx, store.Query{Limit: 1})
			if total2 != total || len(first) != int(min(1, total)) {
				t.Errorf("a second page of one View has the total %d, the first had %d", total2, total)
			}
			return err
		})
	}
}

func testInvariant(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	const accounts, sum = 10, 1000
	insert(t, st, counters, make([]counter, accounts-1)...)
	insert(t, st, counters, counter{N: sum})
	var writers, readers sync.WaitGroup
	var over atomic.Bool
	for w := range int64(4) {
		writers.Go(func() {
			for i := range int64(25) {
				err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
					from, err := counters.First(tx, store.Query{Order: []store.Order{store.Desc("n")}})
					if err != nil {
						return err
					}
					to, err := counters.Get(tx, (w*7+i*3)%accounts+1)
					if err != nil || to.CounterID == from.CounterID {
						return err
					}
					from.N, to.N = from.N-i, to.N+i
					if err := counters.Update(tx, &from); err != nil {
						return err
					}
					return counters.Update(tx, &to)
				})
				if err != nil {
					t.Errorf("Update: %v", err)
				}
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			for !over.Load() {
				err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
					got := int64(0)
					err := counters.Each(tx, store.Query{}, func(c *counter) error { got += c.N; return nil })
					if got != sum {
						t.Errorf("a reader sees the sum %d, want %d", got, sum)
					}
					return err
				})
				if err != nil {
					t.Errorf("View: %v", err)
				}
			}
		})
	}
	writers.Wait()
	over.Store(true)
	readers.Wait()
}

func testLostUpdates(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{})
	const writers = 50
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				c, err := counters.Get(tx, 1)
				if err != nil {
					return err
				}
				letOthersRun()
				c.N++
				return counters.Update(tx, &c)
			})
			if err != nil {
				t.Errorf("Update: %v", err)
			}
		})
	}
	all.Wait()
	same(t, "updates have the effect of running one after another", []int64{writers}, numbers(t, st))
}

// testWriteSkew has Updates write different rows, each after a read of the rows that the others write.
// Snapshots alone are not enough: each Update would see the state before the others.
func testWriteSkew(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	const writers = 8
	for what, write := range map[string]func(tx store.Tx, n int64) error{
		"a change": func(tx store.Tx, n int64) error {
			return counters.Update(tx, &counter{CounterID: n, N: 1})
		},
		"an insertion": func(tx store.Tx, n int64) error {
			return counters.Insert(tx, &counter{CounterID: writers + n, N: 1})
		},
	} {
		update(t, st, func(_ context.Context, tx store.Tx) error {
			if _, err := counters.Delete(tx); err != nil {
				return err
			}
			for n := range int64(writers) {
				if err := counters.Insert(tx, &counter{CounterID: n + 1}); err != nil {
					return err
				}
			}
			return nil
		})
		var all sync.WaitGroup
		for n := range int64(writers) {
			all.Go(func() {
				err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
					done, err := counters.Count(tx, store.Equal("n", store.Int(1)))
					if err != nil || done > 0 {
						return err
					}
					letOthersRun()
					return write(tx, n+1)
				})
				if err != nil {
					t.Errorf("Update: %v", err)
				}
			})
		}
		all.Wait()
		same(t, "of Updates that write only where none has written, one writes: "+what, int64(1),
			count(t, st, counters, store.Equal("n", store.Int(1))))
	}
}

// letOthersRun lets other goroutines begin their transactions, in a store that does not have them wait.
func letOthersRun() {
	for range 100 {
		runtime.Gosched()
	}
}

func testOthersFail(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	insert(t, st, counters, counter{CounterID: 1000, N: -1})
	var (
		all  sync.WaitGroup
		want []int64
	)
	for n := range int64(60) {
		own := fmt.Errorf("storetest: update %d fails on purpose", n)
		fn := func(_ context.Context, tx store.Tx) error {
			return counters.Insert(tx, &counter{CounterID: n + 1, N: n})
		}
		ctx, cancel := context.WithCancel(t.Context())
		expect := func(err error) bool { return err == nil }
		switch succeed := fn; n % 6 {
		case 1:
			fn = func(ctx context.Context, tx store.Tx) error { return errors.Join(succeed(ctx, tx), own) }
			expect = func(err error) bool { return errors.Is(err, own) }
		case 2:
			fn = func(ctx context.Context, tx store.Tx) error {
				return errors.Join(succeed(ctx, tx), counters.Insert(tx, &counter{CounterID: 1000}))
			}
			expect = func(err error) bool { return errors.Is(err, store.ErrConflict) }
		case 3:
			fn = func(ctx context.Context, tx store.Tx) error { defer cancel(); return succeed(ctx, tx) }
			expect = func(err error) bool { return errors.Is(err, context.Canceled) }
		case 4:
			fn = func(ctx context.Context, tx store.Tx) error { panic(errors.Join(succeed(ctx, tx), own)) }
			expect = func(err error) bool { return errors.Is(err, own) }
		default:
			want = append(want, n)
		}
		all.Go(func() {
			defer cancel()
			var err error
			defer func() {
				if p := recover(); p != nil {
					err, _ = p.(error)
				}
				if !expect(err) {
					t.Errorf("update %d of kind %d ends with %v", n, n%6, err)
				}
			}()
			err = st.Update(ctx, fn)
		})
	}
	all.Wait()
	same(t, "of concurrent updates those that succeed stay, the others leave nothing", append(want, -1), numbers(t, st))
}

func testUniqueRace(t *testing.T, st store.Store) {
	migrate(t, st, accounts.Schema())
	var all sync.WaitGroup
	var won atomic.Int64
	for n := range int64(20) {
		all.Go(func() {
			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				return accounts.Insert(tx, &account{Email: "same@shop.test", Shop: n})
			})
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, store.ErrConflict):
				t.Errorf("Update: %v, want ErrConflict", err)
			}
		})
	}
	all.Wait()
	same(t, "one of many takes a unique value", int64(1), won.Load())
	same(t, "and stays", int64(1), count(t, st, accounts))
}

func testConcurrentKeys(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	var (
		all  sync.WaitGroup
		mu   sync.Mutex
		seen = make(map[int64]int64)
	)
	for n := range int64(50) {
		all.Go(func() {
			var c counter
			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				c = counter{N: n}
				return counters.Insert(tx, &c)
			})
			if err != nil {
				t.Errorf("Update: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			seen[c.CounterID] = n
		})
	}
	all.Wait()
	got := make(map[int64]int64)
	for _, c := range list(t, st, counters, store.Query{}) {
		got[c.CounterID] = c.N
	}
	same(t, "each insert returns the key of its own row", seen, got)
	same(t, "and keys differ", 50, len(got))
}
