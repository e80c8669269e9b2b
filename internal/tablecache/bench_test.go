package tablecache_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// BenchmarkGet reads 20 rows of a small table, cached and from the database.
func BenchmarkGet(b *testing.B) {
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(b.Context(), cups.Schema()); err != nil {
		b.Fatal(err)
	}
	err = st.Update(b.Context(), func(_ context.Context, tx store.Tx) error {
		for range 20 {
			if err := cups.Insert(tx, &cup{Color: "red"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	load := func(tx store.Tx) ([]cup, error) { return cups.Select(tx, store.Query{}) }
	b.Run("cached", func(b *testing.B) {
		cache := tablecache.New[string](st, 1<<20, func(list []cup) int64 { return int64(64 * len(list)) }, cups.Schema())
		for b.Loop() {
			if list, err := cache.Get(b.Context(), "all", load); err != nil || len(list) != 20 {
				b.Fatal(len(list), err)
			}
		}
	})
	b.Run("database", func(b *testing.B) {
		for b.Loop() {
			err := store.ShortView(b.Context(), st, func(_ context.Context, tx store.Tx) error {
				list, err := load(tx)
				if len(list) != 20 {
					b.Fatal(len(list))
				}
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
