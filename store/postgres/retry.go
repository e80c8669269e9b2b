package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/shopapi/shopapi/store/driver"
)

// again is the error of a transaction that changed nothing and may succeed when
// it is run again.
type again struct{ cause error }

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

// repeat calls attempt until it succeeds, fails for good, has been called maxAttempts
// times or ctx ends. Only one transaction of the store repeats at a time, so that
// transactions that compete for a row do not conflict again.
func (s *Store) repeat(ctx context.Context, attempt func() error) error {
	err := attempt()
	var retry *again
	if !errors.As(err, &retry) {
		return err
	}
	client := driver.ClientOf(ctx)
	if err := s.lane.Acquire(ctx, client, 1); err != nil {
		return err
	}
	defer s.lane.Release(client, 1)
	for n := 1; n < maxAttempts; n++ {
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
