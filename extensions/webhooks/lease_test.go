package webhooks_test

import (
	"testing"

	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// second opens the shop once more, as another process does.
func (s *fixture) second(t *testing.T) *shop.Shop {
	t.Helper()
	o := options()
	o.Clock = s.Clock.Now
	other, err := shop.New(t.Context(), s.Store, o)
	if err == nil {
		err = other.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// Of two processes one sends, and the other goes on when that ends.
func TestE5_OneProcessSends(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := open(t, st, options())
		r := receive(t)
		id, _ := s.add(s.Client, r.URL, "categories.*")
		other := s.second(t)
		s.category("Cups")
		r.wants("categories.created 1")
		s.category("Jugs")
		r.wants("categories.created 2")
		s.await(id, webhooks.Delivered) // what the end breaks off is sent again
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.none()
		if _, err := other.Categories.Update(t.Context(), 1, rename("Bowls")); err != nil {
			t.Fatal(err)
		}
		r.wants("categories.updated 1 [category]")
		if err := other.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.none()
	})
}

// The lease of a process that was killed expires; a process that lost it sends nothing.
func TestE5_LeaseExpires(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	id, _ := s.add(s.Client, r.URL, "categories.*")
	s.category("Cups")
	r.wants("categories.created 1")
	s.await(id, webhooks.Delivered)
	if err := s.Webhooks.Hold(t.Context(), "killed", s.Clock.Now().Add(webhooks.LeaseTime)); err != nil {
		t.Fatal(err)
	}
	s.category("Jugs")
	other := s.second(t)
	s.Clock.Advance(webhooks.LeaseTime)
	r.wants("categories.created 2")
	s.await(id, webhooks.Delivered) // what the end breaks off is sent again
	if err := other.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.none()
}
