// Package slots bounds how many of something run at once: of all clients, and of each.
package slots

import "sync"

// Slots counts what runs, by client. Make them with [New].
type Slots[K comparable] struct {
	all, each int

	mu   sync.Mutex
	open int
	of   map[K]int
}

// New returns slots for so many of all clients together, and of each client.
func New[K comparable](all, each int) *Slots[K] {
	return &Slots[K]{all: all, each: each, of: map[K]int{}}
}

// Enter takes a slot for a client until leave is called, which may be called again. ok is
// false if there is no slot; leave does nothing then.
func (s *Slots[K]) Enter(client K) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open >= s.all || s.of[client] >= s.each {
		return func() {}, false
	}
	s.open++
	s.of[client]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
		if s.of[client]--; s.of[client] == 0 {
			delete(s.of, client)
		}
	}), true
}
