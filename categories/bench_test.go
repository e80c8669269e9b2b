package categories_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

// benchSubtree is how many categories BenchmarkMove moves at once.
const benchSubtree = 40_000

// BenchmarkMove moves a category with 40,000 descendants back and forth. reads/op is the
// time of a move divided by the time to read those rows.
func BenchmarkMove(b *testing.B) {
	for name, st := range map[string]store.Store{"memory": shoptest.Memory(b), "sqlite": shoptest.SQLite(b)} {
		b.Run(name, func(b *testing.B) {
			ctx := b.Context()
			tree, err := categories.Register(ctx, shopapi.New(&shopapi.Options{Logger: slog.New(slog.DiscardHandler)}), st)
			if err != nil {
				b.Fatal(err)
			}
			tops := grow(b, st, tree)
			var reading time.Duration
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				began := time.Now()
				readAll(b, st)
				reading += time.Since(began)
				b.StartTimer()
				_, err := tree.Update(ctx, tops[2], func(c *categories.Category) error {
					c.ParentID = tops[i%2]
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(reading), "reads/op")
		})
	}
}

// grow creates three top categories, and branches of 200 below the third.
func grow(b *testing.B, st store.Store, tree *categories.Categories) (tops []int64) {
	b.Helper()
	named := func(parent int64) categories.Category {
		return categories.Category{Summary: categories.Summary{Name: "Category", ParentID: parent, Position: 10}}
	}
	add := func(list []categories.Category) (ids []int64) {
		created, err := tree.CreateAll(b.Context(), list)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range created {
			ids = append(ids, c.CategoryID)
		}
		return ids
	}
	tops = add([]categories.Category{named(0), named(0), named(0)})
	var branches, leaves []categories.Category
	for range benchSubtree / 200 {
		branches = append(branches, named(tops[2]))
	}
	for _, branch := range add(branches) {
		for range 199 {
			leaves = append(leaves, named(branch))
		}
	}
	add(leaves)
	return tops
}

// readAll reads every row of the table.
func readAll(b *testing.B, st store.Store) {
	b.Helper()
	schema := categories.Schemas()[0]
	err := st.View(b.Context(), func(_ context.Context, tx store.Tx) error {
		return tx.Select(schema.All(), &store.Query{}, func([]store.Value) error { return nil })
	})
	if err != nil {
		b.Fatal(err)
	}
}
