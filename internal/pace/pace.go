// Package pace keeps bulk writes from taking more than half of the writer's time while
// others write.
package pace

import (
	"context"
	"sync/atomic"
	"time"
)

// A Pace has bulk writes run one at a time. While other writes are under way, the next bulk
// write waits after each for as long as it took. Make one with [New].
type Pace struct {
	turn   chan struct{}
	free   time.Time // when the next may begin; guarded by turn
	others atomic.Int64
}

// New returns a Pace.
func New() *Pace { return &Pace{turn: make(chan struct{}, 1)} }

// Begin counts another write, until end is called.
func (p *Pace) Begin() { p.others.Add(1) }

// End ends a write that [Pace.Begin] counted.
func (p *Pace) End() { p.others.Add(-1) }

// step is how often a waiting bulk write looks whether others have ended.
const step = 2 * time.Millisecond

// Run calls a function that writes in bulk, once it may. It returns the error of the
// context, or of fn.
func (p *Pace) Run(ctx context.Context, fn func() error) error {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.turn }()
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
