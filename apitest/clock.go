package apitest

import (
	"sync"
	"time"
)

// A Clock stands still until it is set.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows now.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set changes what the clock shows.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) { c.Set(c.Now().Add(d)) }
