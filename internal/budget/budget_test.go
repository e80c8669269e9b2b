package budget_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopapi/shopapi/internal/budget"
)

const mib = 1 << 20

// TestShare_Use grows within the quarter of a client, and fails beyond it: for ever when
// the request alone is too large, else as long as others of the client use it.
func TestShare_Use(t *testing.T) {
	b := budget.New(64 * mib) // 48 MiB for operations, 12 MiB a client
	one, other, stranger := b.Share("a"), b.Share("a"), b.Share("b")
	use := func(s *budget.Share, n int64, exceeded, never bool) {
		t.Helper()
		e, n2 := budget.Exceeded(s.Use(n))
		if e != exceeded || n2 != never {
			t.Errorf("Use: exceeded %v, never %v, want %v, %v", e, n2, exceeded, never)
		}
	}
	use(one, 10*mib, false, false)
	use(other, 4*mib, true, false)
	use(stranger, 12*mib, false, false)
	use(stranger, 1, true, true)
	one.Keep(mib)
	use(other, 4*mib, false, false)
	for _, s := range []*budget.Share{one, other, stranger} {
		s.Release()
	}
	use(b.Share("a"), 12*mib, false, false)
	use(nil, 1<<40, false, false)
}

// TestShare_WaitBody: bodies of one client wait for one another, but not for bodies of
// other clients.
func TestShare_WaitBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(64 * mib) // 16 MiB for bodies, 4 MiB a client
		for range 4 {
			wait(t, b.Share("slow").WaitBody(t.Context(), mib))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if b.Share("slow").WaitBody(ctx, 1) == nil {
			t.Error("the client has more than its share of bodies")
		}
		s := b.Share("other")
		wait(t, s.WaitBody(t.Context(), mib))
		wait(t, s.WaitWork(t.Context(), mib, budget.LongTurn))
		if b.Share("slow").TakeBody(1) || !s.TakeBody(mib) || !s.TakeWork(mib) || s.TakeWork(12*mib) {
			t.Error("not what is free was taken")
		}
		s.Release()
		if again := b.Share("other"); !again.TakeBody(4*mib) || !again.TakeWork(12*mib) {
			t.Error("not all was given back")
		} else {
			again.Release()
		}
		fast := b.Share("slow") // its operations have a share of their own
		wait(t, fast.WaitWork(t.Context(), mib, budget.NoTurn))
		fast.Release()
	})
}

func wait(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// TestShare_Within: a request within another one waits for nothing that the other one has, and
// fails as that one does if both use more than the client may.
func TestShare_Within(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(64 * mib) // 12 MiB a client for operations, 4 MiB for bodies
		outer := b.Share("a")
		wait(t, outer.WaitBody(t.Context(), 4*mib))
		wait(t, outer.WaitWork(t.Context(), 12*mib, budget.NoTurn))
		for range 3 {
			inner := outer.Within()
			wait(t, inner.WaitBody(t.Context(), mib))
			wait(t, inner.WaitWork(t.Context(), mib, budget.LongTurn))
			if !inner.TakeBody(mib) || !inner.TakeWork(mib) {
				t.Error("a request within another one waits for what that one has")
			}
			wait(t, inner.Use(12*mib))
			if exceeded, never := budget.Exceeded(inner.Use(1)); !exceeded || !never {
				t.Error("a request within another one uses more than a client may")
			}
			inner.Keep(0)
			inner.Release()
		}
		wait(t, outer.Use(12*mib))
		outer.Release()
		if again := b.Share("a"); !again.TakeBody(4*mib) || !again.TakeWork(12*mib) {
			t.Error("not all was given back")
		}
	})
}

// TestShare_Turn: a client runs only so many long operations at once. A request within one
// that has a turn needs none, else two requests could wait for each other.
func TestShare_Turn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(1 << 30)
		turn := func(s *budget.Share) bool {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return s.WaitWork(ctx, 1, budget.LongTurn) == nil
		}
		var outer []*budget.Share
		for len(outer) < 1000 {
			s := b.Share("a")
			if !turn(s) {
				break
			}
			outer = append(outer, s)
		}
		if len(outer) < 2 || len(outer) == 1000 {
			t.Fatalf("%d long operations of a client run at once", len(outer))
		}
		if other := b.Share("b"); !turn(other) {
			t.Error("another client has no turn")
		}
		inner := outer[0].Within()
		if !turn(inner) {
			t.Error("a request within one that has a turn waits for another turn")
		}
		inner.Release()
		if turn(b.Share("a")) {
			t.Error("the request within gave back the turn of the outer one")
		}
		outer[0].Keep(0)
		if !turn(b.Share("a")) {
			t.Error("the turn was not given back")
		}
	})
}

// TestShare_BodyTurn: the large bodies of a client leave turns to its other long operations, and
// give back their own.
func TestShare_BodyTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(1 << 30)
		take := func(turn budget.Turn) (taken []*budget.Share) {
			for range 1000 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				s := b.Share("a")
				err := s.WaitWork(ctx, 1, turn)
				cancel()
				if err != nil {
					s.Release()
					break
				}
				taken = append(taken, s)
			}
			return taken
		}
		for range 2 {
			bodies := take(budget.BodyTurn)
			lists := take(budget.LongTurn)
			if cpus := runtime.GOMAXPROCS(0); len(bodies) != max(1, cpus/2) || len(lists) != max(2, cpus)-len(bodies) {
				t.Errorf("%d large bodies and %d lists run at once", len(bodies), len(lists))
			}
			for _, s := range append(bodies, lists...) {
				s.Release()
			}
		}
	})
}
