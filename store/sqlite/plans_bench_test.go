package sqlite_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// BenchmarkIndexHint reads pages of ten reviews with the index hint, and as the planner
// chooses.
func BenchmarkIndexHint(b *testing.B) {
	const rows = 20_000
	st := open(b, file(b), nil)
	err := st.Migrate(b.Context(), reviews.Schema())
	if err == nil {
		err = st.Update(b.Context(), func(_ context.Context, tx store.Tx) error {
			for i := range int64(rows) {
				r := review{Status: "A", Name: fmt.Sprintf("Ana %05d", i*7919%rows), Time: i}
				if err := reviews.Insert(tx, &r); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		b.Fatal(err)
	}
	for name, q := range map[string]store.Query{
		"usual-status": {Where: []store.Cond{store.Equal("status", store.String("A"))}, Order: []store.Order{store.Asc("name")}, Limit: 10},
		"rare-match":   {Where: []store.Cond{store.Contains("name", "ana 00047")}, Order: []store.Order{store.Desc("time")}, Limit: 10},
	} {
		comparePlans(b, st, name, reviews.Schema().All(), &q)
	}
}

// BenchmarkKeys reads a few rows by their keys, one by one and by a list.
func BenchmarkKeys(b *testing.B) {
	st, _ := benchmarkStore(b, 10_000)
	for _, n := range []int{1, 4, 8} {
		keys := make([]int64, n)
		for i := range keys {
			keys[i] = int64(i*601 + 1)
		}
		q := store.Query{Where: []store.Cond{store.InInts("id", keys...)}}
		comparePlans(b, st.(*sqlite.Store), fmt.Sprint(n), narrow, &q)
	}
}

func comparePlans(b *testing.B, st *sqlite.Store, name string, p *store.Projection, q *store.Query) {
	each := func([]store.Value) error { return nil }
	chosen := func() error {
		return st.View(b.Context(), func(_ context.Context, tx store.Tx) error { return tx.Select(p, q, each) })
	}
	plain := func() error { return st.SelectPlain(b.Context(), p, q, each) }
	for kind, read := range map[string]func() error{"chosen": chosen, "plain": plain} {
		b.Run(name+"/"+kind, func(b *testing.B) {
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkShortView reads one row while as many searches run as may.
func BenchmarkShortView(b *testing.B) {
	const readers = 4
	_, db := benchmarkStore(b, 20_000)
	st := open(b, pathOf(b, db), &sqlite.Options{Readers: readers, CacheBytes: -1})
	ctx, stop := context.WithCancel(b.Context())
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			search := store.Query{Where: []store.Cond{store.NotEqual("c2", store.String("x"))}, Order: []store.Order{store.Asc("c4")}}
			for ctx.Err() == nil {
				_ = st.View(ctx, func(_ context.Context, tx store.Tx) error {
					return tx.Select(narrow, &search, func([]store.Value) error { return nil })
				})
			}
		})
	}
	defer all.Wait()
	defer stop()
	row := make([]store.Value, len(wide.Columns))
	get := func(_ context.Context, tx store.Tx) error { return tx.Get(wide.All(), 1, row) }
	for name, view := range map[string]func(context.Context, func(context.Context, store.Tx) error) error{"short": st.ShortView, "view": st.View} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := view(b.Context(), get); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
