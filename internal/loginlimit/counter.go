package loginlimit

import (
	"hash/maphash"
	"math"
	"math/bits"
	"time"
)

// A counter counts the failures of each key within a window, and the attempts that
// have begun. The zero key is not counted.
//
// Failures are in a count-min sketch: a key has one cell in each row, which it may share
// with others, and the smallest of them counts. So the memory is fixed, and a flood of
// keys cannot reset another key's failures. Shared cells can only block too early, and
// that takes thousands of blocked networks. The hash is seeded, so that attackers cannot
// choose which keys share a cell.
type counter[K comparable] struct {
	limit  int
	window time.Duration
	begun  map[K]int // exact: there are no more than requests in flight

	seed  maphash.Seed
	width uint32 // cells of a row, a power of two
	cells []cell // of all rows; nil before the first failure
}

// A cell holds the failures since the first one of a window.
type cell struct {
	since    int64 // Unix time in nanoseconds
	failures int32
}

const rows = 4

func newCounter[K comparable](limit int, window time.Duration, entries int) counter[K] {
	return counter[K]{
		limit: limit, window: window, begun: map[K]int{},
		seed: maphash.MakeSeed(), width: width(entries),
	}
}

// width is the cells of a row for so many entries: a power of two.
func width(entries int) uint32 { return 1 << bits.Len(uint(max(1, entries)-1)) }

// retryBegun is the wait where attempts that have begun leave no room for another.
const retryBegun = time.Second

// wait is how long the key is over its limit, 0 where it is not.
func (c *counter[K]) wait(key K, now time.Time) time.Duration {
	if key == *new(K) {
		return 0
	}
	failures, left := c.failures(key, now)
	switch {
	case failures >= c.limit:
		return left
	case failures+c.begun[key] >= c.limit:
		return retryBegun
	}
	return 0
}

func (c *counter[K]) begin(key K) {
	if key != *new(K) {
		c.begun[key]++
	}
}

func (c *counter[K]) end(key K) {
	if c.begun[key]--; c.begun[key] <= 0 {
		delete(c.begun, key)
	}
}

// failures returns the failures of the key, and the time left of the window in which they
// count.
func (c *counter[K]) failures(key K, now time.Time) (failures int, left time.Duration) {
	if c.cells == nil {
		return 0, 0
	}
	failures, left = math.MaxInt32, c.window
	for _, i := range c.indexes(key) {
		e := &c.cells[i]
		if !c.live(e, now) {
			return 0, 0
		}
		failures = min(failures, int(e.failures))
		left = min(left, c.window-time.Duration(now.UnixNano()-e.since))
	}
	return failures, left
}

// fail counts a failure.
func (c *counter[K]) fail(key K, now time.Time) {
	if key == *new(K) {
		return
	}
	if c.cells == nil {
		c.cells = make([]cell, rows*int(c.width))
	}
	for _, i := range c.indexes(key) {
		e := &c.cells[i]
		if !c.live(e, now) {
			*e = cell{since: now.UnixNano()}
		}
		e.failures = max(e.failures, e.failures+1) // does not wrap
	}
}

// live reports whether the window of a cell has not ended. Concurrent attempts may arrive
// with slightly unordered times; a clock that is set back by more ends the window.
func (c *counter[K]) live(e *cell, now time.Time) bool {
	passed := now.UnixNano() - e.since
	return e.failures > 0 && passed > -int64(c.window) && passed < int64(c.window)
}

// indexes returns the cells of the key, one in each row.
func (c *counter[K]) indexes(key K) (at [rows]uint32) {
	h := maphash.Comparable(c.seed, key)
	low, high := uint32(h), uint32(h>>32)|1
	for row := range at {
		at[row] = uint32(row)*c.width + (low+uint32(row)*high)&(c.width-1)
	}
	return at
}
