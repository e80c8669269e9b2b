package shoptest

import (
	"slices"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// A Suite opens the shops of a package's tests. S is the type of the package for them,
// a pointer to a struct that embeds a *[Shop].
//
//	type fixture struct{ *shoptest.Shop }
//
//	var suite = shoptest.Suite[*fixture]{
//		Entities: []string{"categories", "products"},
//		Users:    shoptest.Staff(shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"}),
//		Wrap:     func(s *shoptest.Shop) *fixture { return &fixture{s} },
//	}
type Suite[S any] struct {
	// Entities are the entities of the library that are registered, by the names of
	// [shop.Options.Without].
	Entities []string

	// Users can sign in, with [Key]. If it is nil, the users in the store can, with their
	// own keys, and [Root] is the first of them.
	Users Users

	// Wrap returns the shop as an S.
	Wrap func(*Shop) S

	// Fill creates the objects that all tests expect; nil creates none.
	Fill func(S)
}

// Open returns a shop over a store, with the library's entities and entities of a host.
func (u Suite[S]) Open(t testing.TB, st store.Store, options shopapi.Options, hosts ...shopapi.Entity) S {
	t.Helper()
	var keys map[string]string
	if u.Users != nil {
		options.Authenticator = u.Users
	} else {
		key, created, err := users.EnsureRoot(t.Context(), st, Root)
		if err != nil || !created {
			t.Fatalf("EnsureRoot: created %v, %v", created, err)
		}
		keys = map[string]string{Root: key}
		options.Authenticator = users.NewAuthenticator(st)
	}
	s := newShop(t, st, options, func(o *shopapi.Options) (*shop.Shop, error) {
		return shop.New(t.Context(), st, &shop.Options{Options: *o, Without: u.without()})
	})
	s.Keys = keys
	s.Register(hosts...)
	wrapped := u.Wrap(s)
	if u.Fill != nil {
		u.Fill(wrapped)
	}
	return wrapped
}

// without returns the names of the entities that are not in u.
func (u Suite[S]) without() []string {
	return slices.DeleteFunc(shop.EntityNames(), func(name string) bool { return slices.Contains(u.Entities, name) })
}

// Each runs a test in a shop over each store.
func (u Suite[S]) Each(t *testing.T, test func(s S)) {
	t.Helper()
	u.EachWith(t, shopapi.Options{}, func(_ *testing.T, s S) { test(s) })
}

// EachWith is Each with options.
func (u Suite[S]) EachWith(t *testing.T, options shopapi.Options, test func(t *testing.T, s S)) {
	t.Helper()
	EachStore(t, func(t *testing.T, st store.Store) { test(t, u.Open(t, st, options)) })
}
