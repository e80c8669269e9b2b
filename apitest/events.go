package apitest

import (
	"context"
	"sync"

	"github.com/shopapi/shopapi"
)

// Events returns the events since the last call, in order. It waits for the events of
// committed changes. An Observer in the options gets them too.
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

// ignoreEvents makes [Fixture.Events] ignore events until the returned function is
// called.
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

// A recorder is the observer of an API, which calls the host's.
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

// take returns the recorded events and clears the record.
func (r *recorder) take() []shopapi.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.list
	r.list = nil
	return list
}
