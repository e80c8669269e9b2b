package sqlite

import (
	"context"
	"time"

	"github.com/shopapi/shopapi/internal/fair"
)

// A writeTurn orders the writes of the store and of [Store.DB]. The engine polls for the
// write lock, so that a connection could miss every moment between two commits of a busy
// store. The store and the pool have turns alternately while both wait; requests of the
// pool have theirs in the order in which they come.
//
// It orders and does not exclude: that is the lock's work, which connections of other
// programs take too.
type writeTurn struct{ slot *fair.Semaphore }

func newWriteTurn() writeTurn { return writeTurn{fair.New(1, 1)} }

// take waits for a client's turn, at most as long as wait says. It returns what is left of
// that. Where held is false another one has the turn for longer; the engine decides then.
// Where it is true the turn must be given back.
func (t writeTurn) take(ctx context.Context, client any, wait time.Duration) (left time.Duration, held bool) {
	if t.slot.AcquireNow(client, 1) {
		return wait, true
	}
	if wait <= 0 {
		return 0, false
	}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	held = t.slot.Acquire(ctx, client, 1) == nil
	return max(0, wait-time.Since(begun)), held
}

func (t writeTurn) give(client any) { t.slot.Release(client, 1) }
