package shopapi

import (
	"context"
	"net/http"
)

// enter counts a request as in flight, unless the API is shutting down or was set
// up wrong.
func (a *API) enter() error {
	a.start.Do(func() {
		a.serving.Store(true)
		a.misconfigured = a.Check()
	})
	if a.misconfigured != nil {
		return a.misconfigured
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.closing {
		return errShuttingDown
	}
	a.inFlight.Add(1)
	return nil
}

// Shutdown refuses new requests with 503 and waits for those in flight, and until
// the observer has been told of what they changed, or until ctx ends, whose error
// it then returns.
func (a *API) Shutdown(ctx context.Context) error {
	a.mu.Lock()
	a.closing = true
	a.mu.Unlock()
	done := make(chan struct{})
	go func() {
		a.inFlight.Wait()
		close(done)
	}()
	select {
	case <-done:
		return a.events.flush(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errShuttingDown answers requests that come after [API.Shutdown].
var errShuttingDown = &Error{
	Status:     http.StatusServiceUnavailable,
	Message:    "The service is shutting down. Try again later.",
	retryAfter: retryLater,
}
