// Package fair shares a resource of a fixed size among clients. Clients that wait get
// their turn round robin, however many requests each of them has.
package fair

import (
	"context"
	"slices"
	"sync"
)

// A Semaphore holds a number of units. Its methods may be called concurrently.
type Semaphore struct {
	size, perClient int64

	mu      sync.Mutex
	used    int64
	clients map[any]*client
	waiting []*client // clients with waiters, in the order of their turns
	starved bool      // the next one waits for units of other clients
}

// A client has units or waits for some.
type client struct {
	key     any
	used    int64
	waiters []*waiter // in the order in which they came
}

type waiter struct {
	n     int64
	ready chan struct{}
}

// New returns a semaphore with size units, of which one client has at most perClient.
func New(size, perClient int64) *Semaphore {
	return &Semaphore{size: size, perClient: min(size, perClient), clients: map[any]*client{}}
}

// Most is the largest number of units that one client can have.
func (s *Semaphore) Most() int64 { return s.perClient }

// Acquire takes n units for a client, at most [Semaphore.Most], as soon as they are free
// and it is the client's turn. It returns the error of ctx, and then takes none.
func (s *Semaphore) Acquire(ctx context.Context, key any, n int64) error {
	n = min(n, s.perClient)
	s.mu.Lock()
	c := s.client(key)
	if s.grants(c, n) {
		s.take(c, n)
		s.mu.Unlock()
		return nil
	}
	w := &waiter{n, make(chan struct{})}
	if c.waiters = append(c.waiters, w); len(c.waiters) == 1 {
		s.waiting = append(s.waiting, c)
	}
	s.serve()
	s.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		return s.leave(c, w, ctx.Err())
	}
}

// AcquireNow is [Semaphore.Acquire] where that does not have to wait. It reports false otherwise.
func (s *Semaphore) AcquireNow(key any, n int64) bool {
	n = min(n, s.perClient)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.client(key)
	if !s.grants(c, n) {
		s.forget(c)
		return false
	}
	s.take(c, n)
	return true
}

// TryAcquire takes n units for a client if they are free now, without waiting for a turn,
// and reports whether it did.
func (s *Semaphore) TryAcquire(key any, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.client(key)
	if c.used+n > s.perClient || s.used+n > s.size {
		s.forget(c)
		return false
	}
	s.take(c, n)
	return true
}

// Release gives back n units of a client.
func (s *Semaphore) Release(key any, n int64) {
	n = min(n, s.perClient)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.client(key)
	c.used -= n
	s.used -= n
	s.serve()
	s.forget(c)
}

// Waiting is the number of waiters.
func (s *Semaphore) Waiting() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.waiting {
		n += len(c.waiters)
	}
	return n
}

func (s *Semaphore) client(key any) *client {
	c := s.clients[key]
	if c == nil {
		c = &client{key: key}
		s.clients[key] = c
	}
	return c
}

// forget removes a client that has nothing and waits for nothing.
func (s *Semaphore) forget(c *client) {
	if c.used == 0 && len(c.waiters) == 0 {
		delete(s.clients, c.key)
	}
}

// grants reports whether a client can have n units without waiting.
func (s *Semaphore) grants(c *client, n int64) bool {
	return !s.starved && len(c.waiters) == 0 && c.used+n <= s.perClient && s.used+n <= s.size
}

func (s *Semaphore) take(c *client, n int64) {
	c.used += n
	s.used += n
}

// serve gives units to the waiters whose turn it is. A client at its own limit loses its
// turn; the units that another one lacks are kept free for it.
func (s *Semaphore) serve() {
	s.starved = false
	for i := 0; i < len(s.waiting); {
		c := s.waiting[i]
		w := c.waiters[0]
		switch {
		case c.used+w.n > s.perClient:
			i++
			continue
		case s.used+w.n > s.size:
			s.starved = true
			return
		}
		s.take(c, w.n)
		close(w.ready)
		c.waiters = c.waiters[1:]
		s.waiting = slices.Delete(s.waiting, i, i+1)
		if len(c.waiters) > 0 {
			s.waiting = append(s.waiting, c)
		}
		i = 0
	}
}

// leave removes a waiter whose context ended. Units that it got meanwhile are given back.
func (s *Semaphore) leave(c *client, w *waiter, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(c.waiters, w); i >= 0 {
		c.waiters = slices.Delete(c.waiters, i, i+1)
		if len(c.waiters) == 0 {
			s.waiting = slices.DeleteFunc(s.waiting, func(o *client) bool { return o == c })
		}
	} else {
		c.used -= w.n
		s.used -= w.n
	}
	s.serve()
	s.forget(c)
	return err
}
