// Package apitest is for tests of programs that mount the API or call it: a whole shop
// over the in-memory store, with a fixed clock, a root user, users with exactly the
// privileges that a test needs, the observer's events, and a client without a network.
// Tests of entities use package entitytest below it too.
//
//	s := apitest.New(t, nil)
//	answer := s.Post("/api/2.0/categories", `{"category": "Cups"}`)
//	if answer.Status != 201 { … }
//	answer = s.User("view_catalog").Delete("/api/2.0/categories/1")
//	if answer.Status != 403 { … }
//
// A [FailingStore] shows the behaviour of a program when the database fails.
package apitest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// Start is the initial time on the clock of [New]: Monday, 1 January 2024, noon UTC.
var Start = time.Date(2024, time.January, 1, 12, 0, 0, 0, time.UTC)

// RootEmail is the e-mail address of the root user.
const RootEmail = "root@example.com"

// A Shop is a shop under test. Its Client is the root user.
type Shop struct {
	*shop.Shop
	*Fixture
}

// New returns a shop for one test: over the in-memory store, with [Start] on its clock
// and no log, unless options say otherwise. It ends the test if the shop cannot be
// opened.
//
// With an Authenticator in the options, or without the entity users, the root user and
// the users of [Fixture.User] can sign in beside the host's.
func New(t testing.TB, opts *shop.Options) *Shop {
	t.Helper()
	return NewWithStore(t, memory.New(), opts)
}

// NewWithStore is [New] over another store, which it closes at the end of the test.
func NewWithStore(t testing.TB, st store.Store, opts *shop.Options) *Shop {
	t.Helper()
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("apitest: closing the store: %v", err)
		}
	})
	var o shop.Options
	if opts != nil {
		o = *opts
	}
	f := newFixture(t, &o.Options)
	if o.Authenticator != nil || slices.Contains(o.Without, "users") {
		f.useAccounts(&o.Options)
	}
	s, err := shop.New(t.Context(), st, &o)
	if err != nil {
		t.Fatalf("apitest: %v", err)
	}
	f.serve(s.API)
	t.Cleanup(func() { // before the store is closed
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = s.Shutdown(ctx) // a test may leave requests behind
	})
	f.companies = s.Companies
	if f.accounts == nil {
		if f.Key, _, err = users.EnsureRoot(t.Context(), st, RootEmail); err != nil {
			t.Fatalf("apitest: %v", err)
		}
		f.users = s.Users
	}
	return &Shop{Shop: s, Fixture: f}
}
