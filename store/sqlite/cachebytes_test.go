package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

func TestOptions_CacheBytes(t *testing.T) {
	for bytes, want := range map[int64]bool{0: true, 1 << 20: true, -1: false} {
		st := open(t, file(t), &sqlite.Options{CacheBytes: bytes})
		if err := st.Migrate(t.Context(), fuzzed); err != nil {
			t.Fatal(err)
		}
		fillFuzzed(t, st, rand.New(rand.NewPCG(1, 2)), 10)
		for range 2 { // the second time the table is known
			err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
				_, err := tx.Count(fuzzed, nil)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if n, cached := st.CachedCount(fuzzed); cached != want || cached && n != 10 {
			t.Errorf("with CacheBytes %d: %d, %v, want a cached count %v", bytes, n, cached, want)
		}
	}
}

// The memory of a store after queries does not depend on their length.
func TestLongQueriesLeaveNothingBehind(t *testing.T) {
	st := open(t, file(t), &sqlite.Options{Readers: 1})
	if err := st.Migrate(t.Context(), fuzzed); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	fillFuzzed(t, st, random, 100)
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	query := func(i int, where ...store.Cond) {
		t.Helper()
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
			_, err := tx.Page(fuzzed.All(), &store.Query{Where: where, Limit: 1, Offset: 10 + i%2*100}, func([]store.Value) error { return nil })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	query(0)
	before := heap()
	for i := range 20 {
		ids := make([]int64, 50_000)
		for j := range ids {
			ids[j] = int64(i + j)
		}
		query(i, store.InInts("n", ids...))
	}
	for i := range 50 {
		query(i, store.Contains("name", fmt.Sprint(i, strings.Repeat("x", 100_000))))
	}
	for i := range 30 {
		var names []store.Cond // another statement each time
		for range 10 * i {
			names = append(names, store.EqualFold("name", strings.Repeat("y", 900)))
		}
		query(i, store.Any(names...))
	}
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("%d bytes are left of the queries", grown)
	}
}
