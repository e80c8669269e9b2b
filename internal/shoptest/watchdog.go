package shoptest

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store"
)

// A Watchdog measures how long the Updates of a store hold its writer. It measures the CPU
// time of the thread, so that other programs and tests make no difference. It hides the
// optional interfaces of the store from code that asserts them.
type Watchdog struct {
	store.Store

	mu      sync.Mutex
	longest time.Duration
}

// Watch returns a Watchdog over a store.
func Watch(st store.Store) *Watchdog { return &Watchdog{Store: st} }

// Update implements [store.Store].
func (w *Watchdog) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime()
	defer func() {
		held := threadTime() - start
		w.mu.Lock()
		defer w.mu.Unlock()
		w.longest = max(w.longest, held)
	}()
	return w.Store.Update(ctx, fn)
}

// Unwrap returns the store that is measured, for driver.AtEnd.
func (w *Watchdog) Unwrap() store.Store { return w.Store }

// Longest returns the time of the longest Update since the last call.
func (w *Watchdog) Longest() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	longest := w.longest
	w.longest = 0
	return longest
}
