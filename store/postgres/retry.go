package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store/driver"
)

// again is the error of a transaction that changed nothing and may succeed when
// it is run again.
type again struct {
	cause     error
	atOnce    bool // without [deferred] writes
	ungrouped bool // not in a [group]
}

func (a *again) Error() string { return a.cause.Error() }
func (a *again) Unwrap() error { return a.cause }

const (
	// maxAttempts bounds how often a transaction runs. A failed transaction waits for the
	// other failed ones of this process, so only first runs, and other processes, can get
	// before it.
	maxAttempts = 50

	minBackoff = time.Millisecond
	maxBackoff = 250 * time.Millisecond
)

// starvingAttempts is how often a transaction fails until new ones of its client wait for it.
const starvingAttempts = 2

// starving are the clients that have a transaction that failed [starvingAttempts] times.
type starving struct{ clients sync.Map }

func (s *starving) has(client any) bool {
	_, ok := s.clients.Load(client)
	return ok
}

// repeat calls attempt until it succeeds, fails for good, has been called maxAttempts
// times or ctx ends. Only one transaction of the store repeats at a time, so that
// transactions that compete for a row do not conflict again. A client whose own
// transactions keep another of its transactions from its commit has to wait for that one:
// otherwise the other clients would wait for as long with theirs.
func (s *Store) repeat(ctx context.Context, attempt func() error) error {
	var err error
	var retry *again
	client := driver.ClientOf(ctx)
	if !s.starving.has(client) {
		if err = attempt(); !errors.As(err, &retry) {
			return err
		}
	}
	if err := s.lane.Acquire(ctx, client, 1); err != nil {
		return err
	}
	defer s.lane.Release(client, 1)
	for n := 1; n < maxAttempts; n++ {
		if n == starvingAttempts {
			s.starving.clients.Store(client, true) // nobody else repeats
			defer s.starving.clients.Delete(client)
		}
		if n > 1 {
			if err := sleep(ctx, n-1); err != nil {
				return err
			}
		}
		if err = attempt(); !errors.As(err, &retry) {
			return err
		}
	}
	return translate(ctx, retry.cause)
}

// sleep waits longer each time, and not as long as others do.
func sleep(ctx context.Context, n int) error {
	longest := min(minBackoff<<min(n, 20), maxBackoff)
	timer := time.NewTimer(longest/2 + rand.N(longest/2))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
