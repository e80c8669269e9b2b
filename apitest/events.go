package apitest

import (
	"context"
	"sync"

	"github.com/shopapi/shopapi"
)

// Events returns the changes that the observer was told of since the last call, in
// their order. It waits for those that are committed already. An Observer in the
// options is told of them too.
func (f *Fixture) Events() []shopapi.Event {
	f.T.Helper()
	f.flush()
	return f.events.take()
}

func (f *Fixture) flush() {
	f.T.Helper()
	if err := f.api.Flush(context.WithoutCancel(f.T.Context())); err != nil {
		f.T.Errorf("apitest: %v", err)
	}
}

// ignoreEvents has [Fixture.Events] pass over what happens until the function that
// it returns is called.
func (f *Fixture) ignoreEvents() (until func()) {
	f.flush()
	before := f.events.take()
	return func() {
		f.flush()
		f.events.mu.Lock()
		defer f.events.mu.Unlock()
		f.events.list = before
	}
}

// A recorder is the observer of an API, in front of the host's.
type recorder struct {
	next func(context.Context, shopapi.Event)

	mu   sync.Mutex
	list []shopapi.Event
}

func (r *recorder) observe(ctx context.Context, e shopapi.Event) {
	r.mu.Lock()
	r.list = append(r.list, e)
	r.mu.Unlock()
	if r.next != nil {
		r.next(ctx, e)
	}
}

// take empties the record and returns what was in it.
func (r *recorder) take() []shopapi.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.list
	r.list = nil
	return list
}
