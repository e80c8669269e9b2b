package respcache

import (
	"context"
	"sync/atomic"

	"github.com/shopapi/shopapi/store/driver"
)

// A Watch notices that a user changed after a lookup. Its method may be called by several
// goroutines at once.
type Watch struct {
	reads   *driver.ReadSet
	changes uint64 // the change counter at the lookup
	counter *atomic.Uint64
}

// Changed reports whether the user may have changed. It reads no row. Where the store
// cannot report changes, only changes by this process count.
func (w *Watch) Changed(ctx context.Context) bool {
	if w.reads.Complete() {
		return !w.reads.Valid(ctx)
	}
	return w.changes != w.counter.Load()
}
