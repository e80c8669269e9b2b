package apitest

import (
	"context"
	"sync"

	"github.com/shopapi/shopapi"
)

// Events returns the changes that the observer was told of since the last call, in
// their order. It waits for those that are committed already. An Observer in the
// options of the shop is told of them too.
func (s *Shop) Events() []shopapi.Event {
	s.T.Helper()
	s.flush()
	s.events.mu.Lock()
	defer s.events.mu.Unlock()
	list := s.events.list
	s.events.list = nil
	return list
}

func (s *Shop) flush() {
	s.T.Helper()
	if err := s.Flush(context.WithoutCancel(s.T.Context())); err != nil {
		s.T.Errorf("apitest: %v", err)
	}
}

// A recorder is the observer of a shop, in front of the host's.
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

// ignore has what happens until the function that it returns is called not
// recorded.
func (r *recorder) ignore(s *Shop) (until func()) {
	s.flush()
	r.mu.Lock()
	before := r.list
	r.mu.Unlock()
	return func() {
		s.flush()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.list = before
	}
}
