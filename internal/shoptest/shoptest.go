// Package shoptest is shared by the tests of the library's entity packages: the stores
// that they run over, an API with a fixed clock and users who can sign in, requests and
// checks of their responses, and entities of a host. A package declares a [Suite], which
// opens its shops. The tests of hosts have package apitest, which this one uses.
package shoptest

import (
	"testing"

	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// EachStore runs a test over each store, in parallel, and closes it. The test over
// PostgreSQL is skipped if there is no server.
func EachStore(t *testing.T, test func(t *testing.T, st store.Store)) {
	t.Helper()
	for name, open := range map[string]func(testing.TB) store.Store{"memory": Memory, "sqlite": SQLite, "postgres": PostgreSQL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// Memory returns a store in memory, which is closed when the test ends.
func Memory(t testing.TB) store.Store { return closing(t, memory.New()) }

// PostgreSQL returns a store in a schema without rows, which is closed when the test ends.
func PostgreSQL(t testing.TB) store.Store {
	t.Helper()
	return closing(t, postgres.New(pgtest.ReusedPool(t)))
}

func closing(t testing.TB, st store.Store) store.Store {
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}
