package engine

import (
	"context"
	"time"

	"modernc.org/libc"
)

// progressSteps is how many steps of its program a statement runs between two
// checks of the context: some tens of microseconds.
const progressSteps = 4000

// InterruptOn has statements stop when ctx ends: a wait for a lock at once, a read
// soon after. Statements that write run to their end.
func (c *Conn) InterruptOn(ctx context.Context) {
	if ctx.Done() == nil {
		ctx = nil
	}
	c.ctx = ctx
}

// InterruptWritesOn is InterruptOn for statements that write, too. The engine rolls the
// whole transaction back when it stops one.
func (c *Conn) InterruptWritesOn(ctx context.Context) {
	c.InterruptOn(ctx)
	c.stopsWrites = true
}

// NoInterrupt lets statements run to their end.
func (c *Conn) NoInterrupt() { c.ctx, c.stopsWrites = nil, false }

// SetBusyTimeout sets how long a statement waits for a lock that another
// connection holds. 0 does not wait.
func (c *Conn) SetBusyTimeout(d time.Duration) { c.busyTimeout = d }

// onProgress is called by the engine while a statement runs. Not 0 stops it.
func onProgress(_ *libc.TLS, conn uintptr) int32 {
	return libc.Bool32(at[Conn](conn).interrupted())
}

// interrupted reports whether the statement that runs is to stop.
func (c *Conn) interrupted() bool { return c.interruptible && c.ctx != nil && c.ctx.Err() != nil }

// onBusy is called by the engine when a lock is taken, with how often it was
// called for this lock before. 0 gives up.
func onBusy(_ *libc.TLS, conn uintptr, before int32) int32 {
	return libc.Bool32(at[Conn](conn).wait(int(before)))
}

func (c *Conn) wait(before int) bool {
	now := time.Now()
	if before == 0 {
		c.busySince = now
	}
	left := c.busyTimeout - now.Sub(c.busySince)
	if left <= 0 {
		return false
	}
	// From 0.25 ms, about a commit on a fast disk, doubling to 2 ms: a process that commits
	// all the time leaves the lock free for moments only.
	pause := min(250*time.Microsecond<<min(before, 3), left)
	if c.ctx == nil {
		time.Sleep(pause)
		return true
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.ctx.Done():
		return false
	}
}
