package pace

import (
	"context"
	"errors"
	"time"
)

// ErrLate is the error of a function that took longer than it may.
var ErrLate = errors.New("pace: the time is over")

// undoPart is the part of a limit, one in so many, that remains to commit or to undo.
const undoPart = 5

// Within runs a function with a time limit, which begins when the function first calls
// begun. The context ends a fifth of the limit before it: committing and undoing take time
// too, and cannot be interrupted. If the function then returns an error, Within returns
// [ErrLate]. With a limit of 0 the function may take any time.
func Within(ctx context.Context, most time.Duration, run func(ctx context.Context, begun func()) error) error {
	if most <= 0 {
		return run(ctx, func() {})
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var timer *time.Timer
	err := run(ctx, func() {
		if timer == nil {
			timer = time.AfterFunc(most-most/undoPart, func() { cancel(ErrLate) })
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
