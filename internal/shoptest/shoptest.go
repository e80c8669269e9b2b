// Package shoptest is what the tests of the library's entity packages share: the
// stores that they run over, an API with a clock that stands still and users that
// can sign in, requests and what is expected of their responses, and objects of a
// host. The tests of hosts have package apitest, on which this one stands.
package shoptest

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
)

// EachStore runs a test over each store, and closes it. PostgreSQL is skipped where there
// is none.
func EachStore(t *testing.T, test func(t *testing.T, st store.Store)) {
	t.Helper()
	for name, open := range map[string]func(testing.TB) store.Store{"memory": Memory, "sqlite": SQLite, "postgres": PostgreSQL} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// Memory returns a store in memory, which is closed when the test ends.
func Memory(t testing.TB) store.Store { return closing(t, memory.New()) }

// SQLite returns a store in a file of its own, which is closed when the test ends.
func SQLite(t testing.TB) store.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, st)
}

// PostgreSQL returns a store in a schema without rows, which is closed when the test ends.
func PostgreSQL(t testing.TB) store.Store {
	t.Helper()
	st, err := postgres.Open(t.Context(), pgtest.ReusedDSN(t))
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, st)
}

func closing(t testing.TB, st store.Store) store.Store {
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// Now is what the clock of a new [Shop] shows, in seconds since 1970.
const Now = 1_700_000_000

// Root is the e-mail address of the user who makes the requests of a new [Shop].
const Root = "root@example.com"

// A Shop is an API under test, and the user who makes the requests.
type Shop struct {
	testing.TB
	API   *shopapi.API
	Store store.Store
	Clock *apitest.Clock

	Email string
	Keys  map[string]string // API keys by e-mail, where they are not [Key]

	// Dump, if there is one, returns what requests that are refused must not change.
	Dump func() any

	fixture *apitest.API
	told    *[]string
}

// New returns an API without entities for a test over a store.
func New(t testing.TB, st store.Store, options shopapi.Options) *Shop {
	t.Helper()
	fixture := apitest.NewAPI(t, &options, nil)
	fixture.Clock.Set(time.Unix(Now, 0))
	return &Shop{
		TB: t, API: fixture.API, Store: st, Clock: fixture.Clock, Email: Root,
		fixture: fixture, told: new([]string),
	}
}

// Register adds entities, or ends the test.
func (s *Shop) Register(entities ...shopapi.Entity) {
	s.Helper()
	for _, e := range entities {
		if err := s.API.Register(e); err != nil {
			s.Fatal(err)
		}
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

// Told returns what the observer was told so far, as "create products 1 by 3": the
// id of the user, or the host.
func (s *Shop) Told() []string {
	s.Helper()
	for _, e := range s.fixture.Events() {
		by := "the host"
		if e.User != nil {
			by = shopapi.FormatID(e.User.ID)
		}
		*s.told = append(*s.told, string(e.Operation)+" "+e.Entity+" "+e.ID+" by "+by)
	}
	return append([]string(nil), *s.told...)
}
