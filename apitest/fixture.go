package apitest

import (
	"log/slog"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/companies"
	"github.com/shopapi/shopapi/users"
)

// A Fixture has the tools for tests of an API. Its Client is the root user.
type Fixture struct {
	*Client
	Clock *Clock

	api      *shopapi.API
	users    *users.Users // nil if users are accounts
	accounts *accounts
	events   *recorder

	companies *companies.Companies // nil without companies
}

// An API is an API under test that is not a [Shop].
type API struct {
	*shopapi.API
	*Fixture
}

// NewAPI returns an API for one test. open gets options with the defaults of [New]. Nil
// options are the defaults of [shopapi.New], and a nil open gives an API without
// entities.
//
//	s := apitest.NewAPI(t, nil, func(o *shopapi.Options) (*shopapi.API, error) {
//		api := shopapi.New(o)
//		return api, suppliers.Register(t.Context(), api, st)
//	})
func NewAPI(t testing.TB, opts *shopapi.Options, open func(*shopapi.Options) (*shopapi.API, error)) *API {
	t.Helper()
	var o shopapi.Options
	if opts != nil {
		o = *opts
	}
	if open == nil {
		open = func(o *shopapi.Options) (*shopapi.API, error) { return shopapi.New(o), nil }
	}
	f := newFixture(t, &o)
	f.useAccounts(&o)
	api, err := open(&o)
	if err != nil {
		t.Fatalf("apitest: %v", err)
	}
	f.serve(api)
	return &API{API: api, Fixture: f}
}

// newFixture sets clock, observer and a silent log in options without them.
func newFixture(t testing.TB, o *shopapi.Options) *Fixture {
	f := &Fixture{
		Client: &Client{T: t, Email: RootEmail},
		Clock:  NewClock(Start),
		events: &recorder{next: o.Observer},
	}
	o.Observer = f.events.observe
	if o.Clock == nil {
		o.Clock = f.Clock.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return f
}

// useAccounts makes the fixture's users able to sign in beside the host's.
func (f *Fixture) useAccounts(o *shopapi.Options) {
	f.accounts = &accounts{next: o.Authenticator}
	o.Authenticator = f.accounts
	f.Key = f.accounts.add(shopapi.User{Email: RootEmail, Type: shopapi.Administrator, Root: true})
}

func (f *Fixture) serve(api *shopapi.API) { f.api, f.Handler = api, api }
