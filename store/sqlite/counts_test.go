package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

var countsFor = flag.Duration("counts", 500*time.Millisecond, "how long counts and pages are compared beside writers")

var errNo = errors.New("no")

// randomSource returns a source of random bytes.
func randomSource(random *rand.Rand, n int) *source {
	s := &source{data: make([]byte, n)}
	for i := range s.data {
		s.data[i] = byte(random.Uint32())
	}
	return s
}

// anchorQueries are queries without references and sub-queries, some of them with
// an offset beyond which anchors are cached.
func anchorQueries(random *rand.Rand, n int) []store.Query {
	var queries []store.Query
	for len(queries) < n {
		s := randomSource(random, 40)
		q := store.Query{Limit: s.pick(20), Offset: []int{0, 3, 130, 200, 290, 400}[s.pick(6)]}
		for range s.pick(3) {
			q.Where = append(q.Where, []store.Cond{
				store.Equal("flag", store.Bool(s.pick(2) == 0)), store.NotEqual("n", store.Int(int64(s.pick(6)))),
				store.AtLeast("n", store.Int(int64(s.pick(3)-1))), store.Not(store.EqualFold("name", fuzzTexts[s.pick(len(fuzzTexts))])),
				store.Contains("note", fuzzTexts[s.pick(len(fuzzTexts))]), store.Any(store.Equal("note", store.Null), store.Less("code", store.String("b"))),
				store.InInts("n", 1, 2, 3), store.NotEqual("code", store.String("a")),
				store.AtMostColumn("n", "flag"), store.Not(store.AtMostColumn("note", "name")),
			}[s.pick(10)])
		}
		desc := s.pick(2) == 0
		for range s.pick(3) {
			q.Order = append(q.Order, store.Order{Column: s.column(), Desc: desc != (s.pick(8) == 0)})
		}
		queries = append(queries, q)
	}
	return queries
}

// change makes a random change. Some fail half-way, and change nothing.
func change(ctx context.Context, st store.Store, random *rand.Rand) error {
	err := st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		for range 1 + random.IntN(3) {
			key := 1 + random.IntN(600)
			row := randomSource(random, 30).row(key)
			var err error
			switch random.IntN(12) {
			case 0, 1, 2:
				row[0] = store.Int(0)
				_, err = tx.Insert(fuzzed, row)
			case 3, 4:
				_, err = tx.Insert(fuzzed, row)
			case 5, 6, 7, 8:
				err = tx.Update(fuzzed, row)
			case 9, 10:
				_, err = tx.Delete(fuzzed, []store.Cond{store.AtLeast("id", store.Int(int64(key))), store.AtMost("id", store.Int(int64(key+random.IntN(6))))})
			case 11:
				if random.IntN(20) == 0 {
					_, err = tx.Delete(fuzzed, []store.Cond{store.AtMost("n", store.Int(0))})
				}
			}
			if err != nil && !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		if random.IntN(5) == 0 {
			return errNo
		}
		return nil
	})
	if errors.Is(err, errNo) {
		return nil
	}
	return err
}

// compareCached runs a query twice and compares the results with the rows of the same
// snapshot.
func compareCached(ctx context.Context, st store.Store, q store.Query) error {
	return st.View(ctx, func(_ context.Context, tx store.Tx) error {
		gather := func(into *[][]store.Value) func([]store.Value) error {
			return func(row []store.Value) error {
				*into = append(*into, slices.Clone(row))
				return nil
			}
		}
		var rows [][]store.Value
		if err := tx.Select(fuzzed.All(), &store.Query{}, gather(&rows)); err != nil {
			return err
		}
		want, all := expect(rows, &q)
		for range 2 {
			var page [][]store.Value
			total, err := tx.Page(fuzzed.All(), &q, gather(&page))
			if err != nil {
				return err
			}
			count, err := tx.Count(fuzzed, q.Where)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(want, page); diff != "" || total != all || count != all {
				return fmt.Errorf("%+v: total %d, counted %d, want %d; rows (-want +got):\n%s", q, total, count, all, diff)
			}
		}
		return nil
	})
}

func openFuzzed(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	st := open(t, path, nil)
	if err := st.Migrate(t.Context(), fuzzed); err != nil {
		t.Fatal(err)
	}
	return st
}

func fillFuzzed(t *testing.T, st store.Store, random *rand.Rand, n int) {
	t.Helper()
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for range n {
			if _, err := tx.Insert(fuzzed, randomSource(random, 30).row(0)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func foreignChange(db *sql.DB, random *rand.Rand) error {
	_, err := db.Exec("UPDATE fuzzed SET flag = 1 - flag WHERE id % 7 = ?", random.IntN(7))
	return err
}

// Changes one after another, by the store, another one and the host.
func TestCachedCountsEqualTheDatabase(t *testing.T) {
	t.Parallel()
	path := file(t)
	st, other, db := openFuzzed(t, path), openFuzzed(t, path), host(t, path)
	random := rand.New(rand.NewPCG(3, 4))
	fillFuzzed(t, st, random, 500)
	queries := anchorQueries(random, 60)
	var counts, anchors int
	for range 120 {
		var err error
		switch random.IntN(20) {
		case 0:
			err = change(t.Context(), other, random)
		case 1:
			err = foreignChange(db, random)
		default:
			err = change(t.Context(), st, random)
		}
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			q := queries[random.IntN(len(queries))]
			if _, ok := st.CachedCount(fuzzed, q.Where...); ok {
				counts++
			}
			if _, ok := st.CachedAnchor(fuzzed, q); ok {
				anchors++
			}
			if err := compareCached(t.Context(), st, q); err != nil {
				t.Fatal(err)
			}
		}
	}
	if counts == 0 || anchors == 0 {
		t.Errorf("%d counts and %d anchors were cached", counts, anchors)
	}
}

// The same, concurrently.
func TestCachedCountsEqualTheSnapshot(t *testing.T) {
	path := file(t)
	st, other, db := openFuzzed(t, path), openFuzzed(t, path), host(t, path)
	random := rand.New(rand.NewPCG(5, 6))
	fillFuzzed(t, st, random, 500)
	queries := anchorQueries(random, 30)
	until := time.Now().Add(*countsFor)
	var all sync.WaitGroup
	var compared atomic.Int64
	write := func(seed uint64, pause time.Duration, change func(*rand.Rand) error) {
		random := rand.New(rand.NewPCG(seed, seed))
		all.Go(func() {
			for time.Now().Before(until) {
				if err := change(random); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(pause)
			}
		})
	}
	for i := range uint64(4) { // that wait for one another, and commit together
		write(i, time.Millisecond, func(r *rand.Rand) error { return change(context.Background(), st, r) })
	}
	write(10, 20*time.Millisecond, func(r *rand.Rand) error { return change(context.Background(), other, r) })
	write(11, 30*time.Millisecond, func(r *rand.Rand) error { return foreignChange(db, r) })
	for i := range 2 {
		random := rand.New(rand.NewPCG(uint64(i), 9))
		all.Go(func() {
			for time.Now().Before(until) && !t.Failed() {
				if err := compareCached(context.Background(), st, queries[random.IntN(len(queries))]); err != nil {
					t.Error(err)
				}
				compared.Add(1)
			}
		})
	}
	all.Wait()
	t.Logf("compared %d times", compared.Load())
}
