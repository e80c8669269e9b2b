package fair_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/shopapi/shopapi/internal/fair"
)

// TestSemaphore_RoundRobin: clients get turns one after the other, however many requests
// each has.
func TestSemaphore_RoundRobin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fair.New(1, 1)
		acquire(t, s, "first", 1)
		var mu sync.Mutex
		var order []string
		for key := range strings.FieldsSeq("a a a a b c b") {
			go func() {
				acquire(t, s, key, 1)
				mu.Lock()
				order = append(order, key)
				mu.Unlock()
				s.Release(key, 1)
			}()
			synctest.Wait() // they come in this order
		}
		s.Release("first", 1)
		synctest.Wait()
		if got := strings.Join(order, " "); got != "a b c a b a a" {
			t.Error(got)
		}
	})
}

// TestSemaphore_PerClient: a client at its limit waits, and others do not wait for it.
func TestSemaphore_PerClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fair.New(10, 4)
		acquire(t, s, "a", 4)
		go acquire(t, s, "a", 1)
		synctest.Wait()
		if s.Waiting() != 1 || s.TryAcquire("a", 1) {
			t.Error("a has more than its share")
		}
		acquire(t, s, "b", 4)
		if !s.TryAcquire("c", 2) || s.TryAcquire("d", 1) {
			t.Error("the size is not 10")
		}
		s.Release("a", 4)
		synctest.Wait()
		if s.Waiting() != 0 {
			t.Error("a still waits")
		}
	})
}

// TestSemaphore_LargeIsNotStarved: a request for many units gets them though small ones
// keep coming.
func TestSemaphore_LargeIsNotStarved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fair.New(4, 4)
		acquire(t, s, "small", 1)
		got := make(chan string, 3)
		go func() { acquire(t, s, "large", 4); got <- "large" }()
		synctest.Wait()
		for i := range 2 {
			go func() { acquire(t, s, fmt.Sprint("small", i), 1); got <- "small" }()
		}
		synctest.Wait()
		s.Release("small", 1)
		synctest.Wait()
		if first := <-got; first != "large" {
			t.Error("a small one overtook the large one")
		}
		s.Release("large", 4)
		synctest.Wait()
		if len(got) != 2 {
			t.Error("the small ones still wait")
		}
	})
}

// TestSemaphore_AcquireNow: units are taken at once where nobody waits for them before.
func TestSemaphore_AcquireNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fair.New(4, 4)
		if !s.AcquireNow("a", 3) || s.AcquireNow("a", 2) || s.AcquireNow("b", 2) {
			t.Error("not the units that are free were taken")
		}
		go acquire(t, s, "large", 4)
		synctest.Wait()
		if s.AcquireNow("b", 1) {
			t.Error("a small one overtook the large one")
		}
		s.Release("a", 3)
		synctest.Wait()
		s.Release("large", 4)
		if !s.AcquireNow("b", 100) {
			t.Error("more than the limit of a client is not its limit")
		}
	})
}

// TestSemaphore_Ends: a waiter whose context ends takes nothing, and more than the limit
// of a client is its limit.
func TestSemaphore_Ends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fair.New(2, 2)
		acquire(t, s, "a", 100)
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, 1)
		go func() { errs <- s.Acquire(ctx, "b", 1) }()
		synctest.Wait()
		cancel()
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		s.Release("a", 100)
		if !s.TryAcquire("c", 2) {
			t.Error("the units are not free")
		}
	})
}

// TestSemaphore_Concurrent: under load nothing exceeds the size, and all is given back.
func TestSemaphore_Concurrent(t *testing.T) {
	const size = 5
	s := fair.New(size, 3)
	var mu sync.Mutex
	var used, most int
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			n := 1 + i%3
			acquire(t, s, i%7, int64(n))
			mu.Lock()
			used += n
			most = max(most, used)
			mu.Unlock()
			mu.Lock()
			used -= n
			mu.Unlock()
			s.Release(i%7, int64(n))
		})
	}
	wg.Wait()
	if most > size || !s.TryAcquire("x", 3) || !s.TryAcquire("y", 2) {
		t.Errorf("%d units were in use at once, of %d", most, size)
	}
}

func acquire(t *testing.T, s *fair.Semaphore, key any, n int64) {
	t.Helper()
	if err := s.Acquire(t.Context(), key, n); err != nil {
		t.Error(err)
	}
}
