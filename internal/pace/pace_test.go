package pace_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopapi/shopapi/internal/pace"
)

// waits runs a bulk write of a second, and returns how long the next one waits.
func waits(t *testing.T, p *pace.Pace) time.Duration {
	t.Helper()
	must(t, p.Run(t.Context(), "a", func() error { time.Sleep(time.Second); return nil }))
	ended := time.Now()
	var began time.Time
	must(t, p.Run(t.Context(), "a", func() error { began = time.Now(); return nil }))
	return began.Sub(ended)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// TestE6_HalfOfTheWritersTime: while others write, a bulk write waits for as long as the one
// before it took; alone it does not wait.
func TestE6_HalfOfTheWritersTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pace.New()
		if got := waits(t, p); got != 0 {
			t.Errorf("alone it waited %v", got)
		}
		p.Begin()
		if got := waits(t, p); got != time.Second {
			t.Errorf("beside another write it waited %v, want 1 s", got)
		}
		time.AfterFunc(1300*time.Millisecond, p.End) // 300 ms into the wait
		if got := waits(t, p); got < 300*time.Millisecond || got > 310*time.Millisecond {
			t.Errorf("the other write ended after 300 ms, and it waited %v", got)
		}
	})
}

// Bulk writes run one at a time. One whose context ends while it waits does not run.
func TestRun_OneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pace.New()
		go func() { _ = p.Run(t.Context(), "a", func() error { time.Sleep(time.Minute); return nil }) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := p.Run(ctx, "a", func() error { t.Error("two ran at once"); return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
		failed := errors.New("failed")
		if err := p.Run(t.Context(), "a", func() error { return failed }); !errors.Is(err, failed) {
			t.Errorf("the error is %v", err)
		}
		p.Begin()
		must(t, p.Run(t.Context(), "a", func() error { time.Sleep(time.Minute); return nil }))
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Run(ctx, "a", func() error { t.Error("it did not wait"); return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
	})
}

// TestRun_ClientsTakeTurns: the bulk write of a client waits for one of another client, however
// many of them wait.
func TestRun_ClientsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pace.New()
		order := make(chan string, 9)
		var group sync.WaitGroup
		for _, client := range []string{"a", "a", "a", "a", "a", "b", "a"} {
			group.Go(func() {
				must(t, p.Run(t.Context(), client, func() error {
					time.Sleep(time.Second)
					order <- client
					return nil
				}))
			})
			synctest.Wait() // they come in this order
		}
		group.Wait()
		close(order)
		got := ""
		for client := range order {
			got += client
		}
		if got != "aabaaaa" {
			t.Errorf("the order is %s", got)
		}
	})
}

// TestWithin_LeavesTimeToUndo: the context of a function ends a fifth of the limit before it, so
// that the writer is free again at the limit.
func TestWithin_LeavesTimeToUndo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var worked time.Duration
		err := pace.Within(t.Context(), time.Second, func(ctx context.Context, begun func()) error {
			time.Sleep(time.Minute) // waits for its turn
			begun()
			start := time.Now()
			<-ctx.Done()
			worked = time.Since(start)
			return ctx.Err()
		})
		if !errors.Is(err, pace.ErrLate) || worked != 800*time.Millisecond {
			t.Errorf("after %v the error is %v", worked, err)
		}
	})
}
