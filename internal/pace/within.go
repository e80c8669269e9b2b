package pace

import (
	"context"
	"errors"
	"time"
)

// ErrLate is the error of a function that took longer than it may.
var ErrLate = errors.New("pace: the time is over")

// Within runs a function with a time limit, which begins when the function first calls
// begun. At the limit the context ends, and if the function then returns an error, Within
// returns [ErrLate]. With a limit of 0 the function may take any time.
func Within(ctx context.Context, most time.Duration, run func(ctx context.Context, begun func()) error) error {
	if most <= 0 {
		return run(ctx, func() {})
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var timer *time.Timer
	err := run(ctx, func() {
		if timer == nil {
			timer = time.AfterFunc(most, func() { cancel(ErrLate) })
		}
	})
	if timer != nil {
		timer.Stop()
	}
	late := err != nil && errors.Is(context.Cause(ctx), ErrLate)
	cancel(nil)
	if late {
		return ErrLate
	}
	return err
}
