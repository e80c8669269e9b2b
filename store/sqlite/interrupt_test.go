package sqlite_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/shopapi/shopapi/store"
)

// An armed context ends after it was asked a number of times since it was armed. The engine
// asks while a statement runs.
type armed struct {
	context.Context
	left atomic.Int64 // 0 while it is not armed
}

func (c *armed) Err() error {
	if c.left.Load() > 0 && c.left.Add(-1) == 0 {
		c.left.Store(-1)
	}
	if c.left.Load() < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// manyRows is how many rows a statement writes that runs for some tens of milliseconds.
const manyRows = 10_000

// A statement that writes many rows stops soon after its context ends, and nothing is
// changed. An Update that was to commit together with it runs again.
func TestWritesStopWithTheirContext(t *testing.T) {
	st := openPages(t, file(t), nil)
	if err := add(t.Context(), st, slices.Repeat([]string{"old"}, manyRows)...); err != nil {
		t.Fatal(err)
	}
	base, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx := &armed{Context: base}
	stopped := member{ctx: ctx, fn: func(_ context.Context, tx store.Tx) error {
		ctx.left.Store(10)
		_, err := pages.Delete(tx, store.Equal("title", store.String("old")))
		ctx.left.CompareAndSwap(0, -1)
		if err == nil {
			t.Error("the statement runs to its end")
		}
		if err := pages.Insert(tx, &page{Title: "late"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a write after it: %v", err)
		}
		return err
	}}
	runs := 0
	first := member{fn: func(_ context.Context, tx store.Tx) error {
		runs++
		return pages.Insert(tx, &page{Title: "first"})
	}}
	errs := batch(t, st, first, stopped, member{fn: insert("last")})
	if errs[0] != nil || !errors.Is(errs[1], context.DeadlineExceeded) || errs[2] != nil {
		t.Errorf("the Updates return %v", errs)
	}
	if runs != 2 {
		t.Errorf("the first Update ran %d times, want 2", runs)
	}
	list := titles(t, st)
	slices.Sort(list)
	if len(list) != manyRows+2 || list[0] != "first" || list[1] != "last" {
		t.Errorf("%d rows are left, the first %v", len(list), list[:min(3, len(list))])
	}

	// Alone.
	ctx.left.Store(0)
	if err := st.Update(ctx, stopped.fn); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("alone: %v", err)
	}
	if n := len(titles(t, st)); n != manyRows+2 {
		t.Errorf("%d rows are left", n)
	}
}
