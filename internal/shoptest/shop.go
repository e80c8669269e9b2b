package shoptest

import (
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// Now is the time on the clock of a new [Shop], in seconds since 1970.
const Now = 1_700_000_000

// Root is the e-mail address of the user who sends the requests of a new [Shop].
const Root = "root@example.com"

// A Shop is an API under test, with the user who sends the requests.
type Shop struct {
	testing.TB
	*shop.Shop // the entities that a [Suite] registers
	API        *shopapi.API
	Store      store.Store
	Clock      *apitest.Clock

	Email string
	Keys  map[string]string // API keys by e-mail address; others have [Key]

	// Dump, if it is not nil, returns the state that refused requests must not change.
	Dump func() any

	fixture *apitest.API
	events  *[]string
}

// New returns an API without entities for a test over a store.
func New(t testing.TB, st store.Store, options shopapi.Options) *Shop {
	t.Helper()
	return newShop(t, st, options, func(o *shopapi.Options) (*shop.Shop, error) {
		return &shop.Shop{API: shopapi.New(o), Store: st}, nil
	})
}

func newShop(t testing.TB, st store.Store, options shopapi.Options, open func(*shopapi.Options) (*shop.Shop, error)) *Shop {
	t.Helper()
	s := &Shop{TB: t, Store: st, Email: Root, events: new([]string)}
	s.fixture = apitest.NewAPI(t, &options, func(o *shopapi.Options) (*shopapi.API, error) {
		library, err := open(o)
		if err != nil {
			return nil, err
		}
		s.Shop = library
		return library.API, nil
	})
	s.API, s.Clock = s.fixture.API, s.fixture.Clock
	s.Clock.Set(time.Unix(Now, 0))
	return s
}

// Register adds entities, or ends the test.
func (s *Shop) Register(entities ...shopapi.Entity) {
	s.Helper()
	for _, e := range entities {
		s.Must(s.API.Register(e))
	}
}

// Must ends the test if err is not nil.
func (s *Shop) Must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// As is the same shop, used by another user.
func (s *Shop) As(email string) *Shop {
	other := *s
	other.Email = email
	return &other
}

// In is the same shop in a subtest.
func (s *Shop) In(t testing.TB) *Shop {
	other := *s
	other.TB = t
	return &other
}

// Events returns all events since the shop was opened, as "create products 1 by 3": the
// id of the user, or the host.
func (s *Shop) Events() []string {
	s.Helper()
	for _, e := range s.fixture.Events() {
		by := "the host"
		if e.User != nil {
			by = shopapi.FormatID(e.User.ID)
		}
		*s.events = append(*s.events, string(e.Operation)+" "+e.Entity+" "+e.ID+" by "+by)
	}
	return append([]string(nil), *s.events...)
}
