// Package pace keeps bulk writes from taking more than half of the writer's time while
// others write.
package pace

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/shopapi/shopapi/internal/fair"
)

// A Pace has bulk writes run one at a time, of each client in turn. While other writes are
// under way, the next bulk write waits after each for as long as it took. Make one with [New].
type Pace struct {
	turn   *fair.Semaphore
	free   time.Time // when the next may begin; guarded by turn
	others atomic.Int64
}

// New returns a Pace.
func New() *Pace { return &Pace{turn: fair.New(1, 1)} }

// Begin counts another write, until end is called.
func (p *Pace) Begin() { p.others.Add(1) }

// End ends a write that [Pace.Begin] counted.
func (p *Pace) End() { p.others.Add(-1) }

// step is how often a waiting bulk write looks whether others have ended.
const step = 2 * time.Millisecond

// Run calls a function of a client that writes in bulk, once it may. It returns the error of
// the context, or of fn.
func (p *Pace) Run(ctx context.Context, client any, fn func() error) error {
	if err := p.turn.Acquire(ctx, client, 1); err != nil {
		return err
	}
	defer p.turn.Release(client, 1)
	for p.others.Load() > 0 {
		wait := time.Until(p.free)
		if wait <= 0 {
			break
		}
		select {
		case <-time.After(min(wait, step)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	start := time.Now()
	defer func() {
		end := time.Now()
		p.free = end.Add(end.Sub(start))
	}()
	return fn()
}
