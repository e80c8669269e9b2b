package tablecache_test

import (
	"context"
	"errors"
	"testing"

	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/store"
)

type cup struct {
	CupID int64  `json:"cup_id" store:"key"`
	Color string `json:"color"`
}

var cups = store.MustTable[cup]("cups")

// An Update gets what it would read: what others committed before it began, and what it
// has changed itself. What it has changed and undone, nobody else gets.
func TestCache_IsWhatIsStored(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		if err := st.Migrate(t.Context(), cups.Schema()); err != nil {
			t.Fatal(err)
		}
		loads := 0
		cache := tablecache.New[int64](st, 1<<20, func(s string) int64 { return int64(len(s)) }, cups.Schema())
		update := func(fn func(ctx context.Context, tx store.Tx) error) error {
			return st.Update(t.Context(), fn)
		}
		want := func(ctx context.Context, tx store.Tx, color string) {
			t.Helper()
			got, err := cache.InUpdate(ctx, tx, 1, func(tx store.Tx) (string, error) {
				loads++
				c, err := cups.Get(tx, 1)
				return c.Color, err
			})
			if err != nil || got != color {
				t.Errorf("got %q, %v, want %s", got, err, color)
			}
		}
		paint := func(tx store.Tx, color string) {
			t.Helper()
			if err := cups.Update(tx, &cup{1, color}); err != nil {
				t.Error(err)
			}
		}
		undone := errors.New("undone")
		for _, step := range []func(ctx context.Context, tx store.Tx) error{
			func(_ context.Context, tx store.Tx) error { return cups.Insert(tx, &cup{Color: "red"}) },
			func(ctx context.Context, tx store.Tx) error { want(ctx, tx, "red"); want(ctx, tx, "red"); return nil },
			func(ctx context.Context, tx store.Tx) error {
				want(ctx, tx, "red")
				paint(tx, "blue")
				want(ctx, tx, "blue")
				paint(tx, "green")
				want(ctx, tx, "green")
				return undone
			},
			func(ctx context.Context, tx store.Tx) error { want(ctx, tx, "red"); paint(tx, "white"); return nil },
			func(ctx context.Context, tx store.Tx) error { want(ctx, tx, "white"); return nil },
		} {
			if err := update(step); err != nil && !errors.Is(err, undone) {
				t.Fatal(err)
			}
		}
		loads = 0
		if err := update(func(ctx context.Context, tx store.Tx) error {
			for range 5 {
				want(ctx, tx, "white")
			}
			return nil
		}); err != nil || loads > 1 {
			t.Errorf("an Update reads the same row %d times, %v", loads, err)
		}
		if err := st.View(t.Context(), func(ctx context.Context, tx store.Tx) error { want(ctx, tx, "white"); return nil }); err != nil {
			t.Error(err)
		}
	})
}
