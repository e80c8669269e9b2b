package budget

import (
	"context"
	"errors"
	"time"
)

// How long a request waits.
const (
	maxWait = 5 * time.Second  // for memory
	maxTurn = 20 * time.Second // of a long operation that waits behind others of the same client; waiting uses no CPU time
)

// AwaitBody waits for the bytes of a body. It returns an [*Error] after 5 seconds, or when ctx
// ends before.
func (s *Share) AwaitBody(ctx context.Context, n int64) error {
	if s.TakeBody(n) {
		return nil
	}
	return within(ctx, maxWait, func(ctx context.Context) error { return s.WaitBody(ctx, n) })
}

// AwaitWork waits for the first bytes of an operation. It returns an [*Error] after 5 seconds,
// or when ctx ends before.
func (s *Share) AwaitWork(ctx context.Context, n int64) error {
	if s.TakeWork(n) {
		return nil
	}
	return within(ctx, maxWait, func(ctx context.Context) error { return s.WaitWork(ctx, n, NoTurn) })
}

// AwaitTurn waits for the first bytes of a long operation, and for its turn. It returns an
// [*Error] after 20 seconds, or when ctx ends before.
func (s *Share) AwaitTurn(ctx context.Context, n int64, turn Turn) error {
	return within(ctx, maxTurn, func(ctx context.Context) error { return s.WaitWork(ctx, n, turn) })
}

func within(ctx context.Context, most time.Duration, wait func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	err := wait(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{}
	}
	return err
}
