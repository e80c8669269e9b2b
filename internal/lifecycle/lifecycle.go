// Package lifecycle counts the requests of a handler, runs functions beside them, and ends
// both when the handler shuts down.
package lifecycle

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// ErrShutdown is the cause of the end of a context of [Lifecycle.Unlimited].
var ErrShutdown = errors.New("lifecycle: the service is shutting down")

// A Lifecycle belongs to one handler. Make one with [New].
type Lifecycle struct {
	start   sync.Once // of serving
	serving atomic.Bool
	failed  error // what check found then

	// Requests enter under mu, so that none does after Shutdown began to wait.
	mu       sync.RWMutex
	closing  bool
	inFlight sync.WaitGroup

	functions []func(context.Context) // that run beside requests
	beside    context.Context         // of functions
	end       context.CancelFunc      // of beside
	running   sync.WaitGroup          // functions

	streams    context.Context // of requests without a time limit
	endStreams context.CancelFunc
}

// New returns the lifecycle of a handler that does not serve yet.
func New() *Lifecycle {
	l := &Lifecycle{}
	l.beside, l.end = context.WithCancel(context.Background())
	l.streams, l.endStreams = context.WithCancel(context.Background())
	return l
}

// Background adds a function that runs beside requests, from [Lifecycle.Start] on. Its
// context ends with [Lifecycle.Shutdown], which waits for it.
func (l *Lifecycle) Background(run func(ctx context.Context)) {
	l.functions = append(l.functions, run)
}

// Start begins to serve, unless check returns an error: further calls return the same error.
func (l *Lifecycle) Start(check func() error) error {
	l.start.Do(func() {
		l.serving.Store(true)
		if l.failed = check(); l.failed != nil {
			return
		}
		l.mu.Lock() // a Shutdown before or after it sees all of the functions
		defer l.mu.Unlock()
		if l.closing {
			return
		}
		for _, run := range l.functions {
			l.running.Go(func() { run(l.beside) })
		}
	})
	return l.failed
}

// Serving reports whether [Lifecycle.Start] was called.
func (l *Lifecycle) Serving() bool { return l.serving.Load() }

// Enter counts a request as in flight until [Lifecycle.Leave]. ok is false during and after a
// shutdown.
func (l *Lifecycle) Enter() (ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closing {
		return false
	}
	l.inFlight.Add(1)
	return true
}

// Leave ends a request.
func (l *Lifecycle) Leave() { l.inFlight.Done() }

// Shutdown lets no further request enter, and waits until the others and the functions have
// ended. If ctx ends before that, it returns its error.
func (l *Lifecycle) Shutdown(ctx context.Context) error {
	l.mu.Lock()
	l.closing = true
	l.mu.Unlock()
	l.endStreams()
	l.end()
	done := make(chan struct{})
	go func() {
		l.inFlight.Wait()
		l.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Unlimited returns a context for a request without a time limit: it ends with parent, or
// with [Lifecycle.EndStreams].
func (l *Lifecycle) Unlimited(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	stop := context.AfterFunc(l.streams, func() { cancel(ErrShutdown) })
	return ctx, func() { stop(); cancel(nil) }
}

// EndStreams ends the contexts of [Lifecycle.Unlimited], as [Lifecycle.Shutdown] does.
func (l *Lifecycle) EndStreams() { l.endStreams() }
