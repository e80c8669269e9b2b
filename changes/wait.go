package changes

import (
	"context"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store"
)

// pollEvery is how often the log is looked at for changes of other processes, while
// somebody waits.
const pollEvery = 500 * time.Millisecond

// waiting wakes readers that wait for changes.
type waiting struct {
	mu      sync.Mutex
	changed chan struct{} // closed by the next change
	readers int
	polling bool
}

func (w *waiting) init() { w.changed = make(chan struct{}) }

// wake wakes all who wait.
func (w *waiting) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.changed)
	w.changed = make(chan struct{})
}

// next returns a channel that the next change closes. Changes before the call do not
// close it: a waiting reader first takes the channel, and then reads.
func (w *waiting) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// enter counts somebody who waits until ctx ends or leave is called. The first one
// starts the look at the changes of other processes; it ends with the last one.
func (l *Log) enter() (leave func()) {
	w := &l.waiting
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.readers++; !w.polling {
		w.polling = true
		go l.poll()
	}
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.readers--
	})
}

// poll wakes waiting readers if there is a new row.
func (l *Log) poll() {
	var last mark
	for {
		w := &l.waiting
		w.mu.Lock()
		if w.readers == 0 {
			w.polling = false
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		if now, err := l.mark(context.Background()); err == nil && now != last {
			last = now
			w.wake()
		}
		time.Sleep(pollEvery)
	}
}

// A mark differs when a log has changed.
type mark struct {
	head   head
	newest int64
}

func (l *Log) mark(ctx context.Context) (m mark, err error) {
	if err := l.number(ctx); err != nil {
		return m, err
	}
	err = l.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		b, err := l.bounds(tx)
		m = mark{b.head, b.newest}
		return err
	})
	return m, err
}
