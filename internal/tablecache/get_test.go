package tablecache_test

import (
	"context"
	"testing"
	"time"

	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// colors caches the color of the only cup of a store.
type colors struct {
	tablecache.Cache[int64, string]
	t  *testing.T
	st store.Store
}

func newColors(t *testing.T, st store.Store) *colors {
	t.Helper()
	if err := st.Migrate(t.Context(), cups.Schema()); err != nil {
		t.Fatal(err)
	}
	insert := func(_ context.Context, tx store.Tx) error { return cups.Insert(tx, &cup{Color: "red"}) }
	if err := st.Update(t.Context(), insert); err != nil {
		t.Fatal(err)
	}
	return &colors{tablecache.New[int64](st, 1<<20, bytes, cups.Schema()), t, st}
}

func bytes(s string) int64 { return int64(len(s)) }

// aging replaces the cache by one with a maximum age.
func (c *colors) aging(maxAge time.Duration) {
	c.Cache = tablecache.NewAging[int64](c.st, maxAge, 1<<20, bytes, cups.Schema())
}

// want gets the color, which must be the given one, after so many reads of the cup.
func (c *colors) want(ctx context.Context, color string, reads int) {
	c.t.Helper()
	n := 0
	got, err := c.Get(ctx, 1, func(tx store.Tx) (string, error) {
		n++
		stored, err := cups.Get(tx, 1)
		return stored.Color, err
	})
	if err != nil || got != color || n != reads {
		c.t.Errorf("got %q after %d reads, %v, want %s after %d", got, n, err, color, reads)
	}
}

// wantInView is want in a View, whose reads are recorded in r.
func (c *colors) wantInView(r *driver.ReadSet, color string, reads int) {
	c.t.Helper()
	if err := c.st.View(driver.WithReadSet(c.t.Context(), r), func(ctx context.Context, _ store.Tx) error {
		c.t.Helper()
		c.want(ctx, color, reads)
		return nil
	}); err != nil {
		c.t.Error(err)
	}
}

func (c *colors) paint(color string) {
	c.t.Helper()
	if err := c.st.Update(c.t.Context(), func(_ context.Context, tx store.Tx) error {
		return cups.Update(tx, &cup{1, color})
	}); err != nil {
		c.t.Fatal(err)
	}
}

// A View uses cached values, until a row changes. Values that it reads itself are not cached.
// A response that depends on a value is valid as long as the value, read or cached.
func TestCache_GetInView(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		cache, ctx := newColors(t, st), t.Context()
		valid := func(r *driver.ReadSet, want bool) {
			t.Helper()
			if got := r.Valid(ctx); got != want {
				t.Errorf("the read set is valid: %t, want %t", got, want)
			}
		}
		var read, cached driver.ReadSet
		cache.wantInView(&read, "red", 1)
		cache.want(ctx, "red", 1)
		cache.wantInView(&cached, "red", 0)
		valid(&read, true)
		valid(&cached, true)

		cache.paint("blue")
		valid(&read, false)
		valid(&cached, false)
		cache.wantInView(new(driver.ReadSet), "blue", 1)
		cache.want(ctx, "blue", 1)
		cache.want(ctx, "blue", 0)
	})
}

// unversioned is a store whose changes cannot be detected.
type unversioned struct{ store.Store }

func (s unversioned) View(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	driver.ReadSetOf(ctx).MarkUntracked()
	return s.Store.View(ctx, fn)
}

// Over a store that cannot detect changes a value is read each time, or, with a maximum age, used
// until this process says that it has changed a value, or until it is too old.
func TestNewAging(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		cache, ctx := newColors(t, unversioned{st}), t.Context()
		cache.want(ctx, "red", 1)
		cache.want(ctx, "red", 1)

		cache.aging(time.Hour)
		cache.want(ctx, "red", 1)
		cache.paint("blue")
		cache.want(ctx, "red", 0)
		cache.Changed()
		cache.want(ctx, "blue", 1)
		cache.want(ctx, "blue", 0)

		cache.aging(time.Nanosecond) // a read takes longer
		cache.want(ctx, "blue", 1)
		cache.want(ctx, "blue", 1)
	})
}
