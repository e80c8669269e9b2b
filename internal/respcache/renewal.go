package respcache

import (
	"context"
	"sync"
)

// renewals are the responses that are being made again, each by one request.
type renewals struct {
	mu    sync.Mutex
	begun map[responseKey]*Renewal
}

// A Renewal is the making of a response whose predecessor became invalid. It must be
// ended.
type Renewal struct {
	of   *renewals
	key  responseKey
	done chan struct{}
}

// begin begins a renewal. It returns nil where another one is in progress.
func (r *renewals) begin(key responseKey) *Renewal {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun[key] != nil {
		return nil
	}
	if r.begun == nil {
		r.begun = map[responseKey]*Renewal{}
	}
	begun := &Renewal{of: r, key: key, done: make(chan struct{})}
	r.begun[key] = begun
	return begun
}

// End lets the callers that wait for the renewal go on. It does nothing on a nil Renewal.
func (r *Renewal) End() {
	if r == nil {
		return
	}
	r.of.mu.Lock()
	delete(r.of.begun, r.key)
	r.of.mu.Unlock()
	close(r.done)
}

// await waits for the end of the renewal in progress, and reports whether there was one.
func (r *renewals) await(ctx context.Context, key responseKey) bool {
	r.mu.Lock()
	begun := r.begun[key]
	r.mu.Unlock()
	if begun == nil {
		return false
	}
	select {
	case <-begun.done:
	case <-ctx.Done():
	}
	return true
}
