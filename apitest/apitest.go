// Package apitest is for the tests of programs that mount the API or talk to it:
// a whole shop over the in-memory store, with a fixed clock and a root user, and
// a small client that needs no port.
//
//	s := apitest.New(t, nil)
//	answer := s.Post("/api/2.0/categories", `{"category": "Cups"}`)
//	if answer.Status != 201 { … }
package apitest

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// Start is what the clock of [New] shows: Monday, 1 January 2024, noon UTC.
var Start = time.Date(2024, time.January, 1, 12, 0, 0, 0, time.UTC)

// RootEmail is the e-mail address of the root user.
const RootEmail = "root@example.com"

// A Shop is a shop under test. Its Client is the root user.
type Shop struct {
	*shop.Shop
	*Client
	Clock *Clock
}

// New returns a shop for one test: over the in-memory store, with [Start] on its
// clock and no log, unless options say otherwise. It ends the test when the shop
// cannot be made.
func New(t testing.TB, opts *shop.Options) *Shop {
	t.Helper()
	return Over(t, memory.New(), opts)
}

// Over is [New] over another store, which it closes when the test ends.
func Over(t testing.TB, st store.Store, opts *shop.Options) *Shop {
	t.Helper()
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("apitest: closing the store: %v", err)
		}
	})
	clock := NewClock(Start)
	var o shop.Options
	if opts != nil {
		o = *opts
	}
	if o.Clock == nil {
		o.Clock = clock.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s, err := shop.New(t.Context(), st, &o)
	if err != nil {
		t.Fatalf("apitest: %v", err)
	}
	client := &Client{T: t, Handler: s}
	if s.Users != nil {
		key, _, err := users.EnsureRoot(t.Context(), st, RootEmail)
		if err != nil {
			t.Fatalf("apitest: %v", err)
		}
		client.Email, client.Key = RootEmail, key
	}
	return &Shop{Shop: s, Client: client, Clock: clock}
}

// A Clock stands still until it is set.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows now.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set changes what the clock shows.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) { c.Set(c.Now().Add(d)) }
