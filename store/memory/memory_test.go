package memory_test

import (
	"context"
	"errors"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return memory.New() })
}

// Updates go round by client.
func TestClientsTakeTurns(t *testing.T) {
	st := memory.New()
	storetest.RunTurns(t, st, st.Update, st.Waiting)
}

// storetest.RunReopened is for stores that outlive their program. A memory store loses
// its rows when it is closed, so it cannot be reopened.
func TestCloseDropsEverything(t *testing.T) {
	st := memory.New()
	if err := st.Migrate(t.Context(), reviews.Schema()); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	err := st.View(t.Context(), func(context.Context, store.Tx) error { return nil })
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a View after Close: %v, want ErrUnavailable", err)
	}
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(*testing.B) store.Store { return memory.New() })
}

// An expiring context ends after it was asked a number of times.
type expiring struct {
	context.Context
	left int
}

func (c *expiring) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

// A scan ends with its context also where it finds nothing to hand out.
func TestAScanLooksAtItsContext(t *testing.T) {
	st := memory.New()
	if err := st.Migrate(t.Context(), reviews.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for range 1000 {
			if err := reviews.Insert(tx, &Review{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// View asks once, Count once, and the scan once every 256 rows.
	for left, want := range []error{context.Canceled, context.Canceled, context.Canceled, context.Canceled, context.Canceled, nil} {
		err := st.View(&expiring{t.Context(), left}, func(_ context.Context, tx store.Tx) error {
			_, err := reviews.Count(tx, store.Contains("message", "tea"))
			return err
		})
		if !errors.Is(err, want) {
			t.Errorf("a scan under a context that ends when asked %d times: %v, want %v", left, err, want)
		}
	}
}

func TestMigrateRefusesBrokenUniqueIndexes(t *testing.T) {
	st := memory.New()
	unique := store.MustTable[Review]("reviews", store.Index{Columns: []string{"message"}, Unique: true})
	otherKey := store.MustTable[struct {
		ID int64 `json:"id"`
	}]("reviews")
	if err := st.Migrate(t.Context(), reviews.Schema()); err != nil {
		t.Fatal(err)
	}
	insert := func(message string) error {
		return st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			return reviews.Insert(tx, &Review{Message: message})
		})
	}
	if err := errors.Join(insert("tea"), insert("TEA")); err != nil {
		t.Fatal(err)
	}
	if err := st.Migrate(t.Context(), unique.Schema()); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a unique index over rows that break it: %v, want a conflict", err)
	}
	if err := st.Migrate(t.Context(), otherKey.Schema()); err == nil {
		t.Error("a table takes another key")
	}
	if err := insert("tea"); err != nil {
		t.Errorf("Insert after a Migrate that failed: %v", err)
	}
}

// Mistakes of a program are errors, not wrong results.
func TestMistakes(t *testing.T) {
	st := memory.New()
	missing := store.MustTable[Review]("missing")
	wider := store.MustTable[struct {
		Review
		Plain string `json:"plain"`
	}]("reviews")
	if err := st.Migrate(t.Context(), reviews.Schema()); err != nil {
		t.Fatal(err)
	}
	where := func(c store.Cond) func(store.Tx) error {
		return func(tx store.Tx) error { _, err := reviews.Count(tx, c); return err }
	}
	order := func(o store.Order) func(store.Tx) error {
		return func(tx store.Tx) error {
			_, err := reviews.Select(tx, store.Query{Order: []store.Order{o}})
			return err
		}
	}
	for name, fn := range map[string]func(store.Tx) error{
		"a table that was not migrated":  func(tx store.Tx) error { _, err := missing.Count(tx); return err },
		"a column that was not migrated": func(tx store.Tx) error { _, err := wider.Select(tx, store.Query{}); return err },
		"a condition on no column":       where(store.Equal("nope", store.Int(1))),
		"a condition deep inside":        where(store.Not(store.Any(store.Equal("nope", store.Int(1))))),
		"a sub-query of no column":       where(store.InQuery("review_id", reviews.Schema(), "nope")),
		"a sub-query of no table":        where(store.InQuery("review_id", missing.Schema(), "review_id")),
		"a search of a plain column":     where(store.Contains("review_id", "1")),
		"an unknown operator":            where(store.Cond{Op: 99, Column: "message"}),
		"an order by no column":          order(store.Asc("nope")),
		"an order through no column":     order(store.Order{Column: "message", Via: &store.Via{Column: "nope", Schema: reviews.Schema()}}),
		"an order through no table":      order(store.Order{Column: "message", Via: &store.Via{Column: "review_id", Schema: missing.Schema()}}),
		"an order by no target":          order(store.Order{Column: "nope", Via: &store.Via{Column: "review_id", Schema: reviews.Schema()}}),
	} {
		if err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error { return fn(tx) }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
