package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/shopapi/shopapi/store"
)

// benchmarkRows is how many rows the table of a benchmark has.
const benchmarkRows = 10_000

// Benchmark measures what shops do most: a row by its key, a page of rows, the
// total of a search, a row written alone and rows written side by side. Open
// returns a store over a database without tables; Benchmark closes it.
func Benchmark(b *testing.B, open func(b *testing.B) store.Store) {
	st := open(b)
	b.Cleanup(func() { st.Close() })
	if err := st.Migrate(b.Context(), items.Schema(), counters.Schema()); err != nil {
		b.Fatal(err)
	}
	err := st.Update(b.Context(), func(_ context.Context, tx store.Tx) error {
		for i := range int64(benchmarkRows) {
			row := item{ItemID: i + 1, GroupID: i % 100, Name: fmt.Sprintf("Item %d", i), Code: fmt.Sprint(i), Active: i%2 == 0}
			if err := items.Insert(tx, &row); err != nil {
				return err
			}
		}
		return counters.Insert(tx, &counter{CounterID: 1})
	})
	if err != nil {
		b.Fatal(err)
	}
	read := func(name string, fn func(i int64, tx store.Tx) error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				if err := st.View(b.Context(), func(_ context.Context, tx store.Tx) error { return fn(i, tx) }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	read("Get", func(i int64, tx store.Tx) error {
		_, err := items.Get(tx, i*7919%benchmarkRows+1)
		return err
	})
	read("Page", func(i int64, tx store.Tx) error {
		_, _, err := items.Page(tx, store.Query{Where: []store.Cond{store.Equal("group_id", store.Int(i%100))}, Limit: 100})
		return err
	})
	read("PageByText", func(i int64, tx store.Tx) error {
		_, _, err := items.Page(tx, store.Query{Order: []store.Order{store.Asc("name")}, Limit: 100})
		return err
	})
	read("Count", func(i int64, tx store.Tx) error {
		_, err := items.Count(tx, store.Contains("name", fmt.Sprint(i%1000)))
		return err
	})
	increment := func(_ context.Context, tx store.Tx) error {
		c, err := counters.Get(tx, 1)
		if err != nil {
			return err
		}
		c.N++
		return counters.Update(tx, &c)
	}
	b.Run("Update", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := st.Update(b.Context(), increment); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("UpdateParallel", func(b *testing.B) {
		b.ReportAllocs()
		b.SetParallelism(16)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := st.Update(b.Context(), increment); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}
