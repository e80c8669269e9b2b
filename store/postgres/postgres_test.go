package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/storetest"
)

// databases are the ways to an empty database.
var databases = []struct {
	name string
	dsn  func(t testing.TB) string
}{
	{"straight", pgtest.DSN},
	{"PgBouncer", pgtest.PooledDSN},
}

func TestStore(t *testing.T) {
	t.Parallel()
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t *testing.T) store.Store { return open(t, d.dsn(t)) })
		})
	}
}

func TestShared(t *testing.T) {
	t.Parallel()
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			storetest.RunShared(t, func(t *testing.T) (first, second store.Store) {
				dsn := d.dsn(t)
				return open(t, dsn), open(t, dsn)
			})
		})
	}
}

func TestUpgraded(t *testing.T) {
	storetest.RunUpgraded(t, func(t *testing.T) (first, second store.Store, exec func(sql string)) {
		dsn := pgtest.DSN(t)
		return open(t, dsn), open(t, dsn), func(sql string) {
			conn, err := pgx.Connect(t.Context(), dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(t.Context())
			if _, err := conn.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestStoreReopened(t *testing.T) {
	t.Parallel()
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			storetest.RunReopened(t, func(t *testing.T) func() store.Store {
				dsn := d.dsn(t)
				return func() store.Store { return open(t, dsn) }
			})
		})
	}
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(b *testing.B) store.Store { return open(b, pgtest.DSN(b)) })
}

// open opens a store that the test closes.
func open(t testing.TB, dsn string) *postgres.Store {
	t.Helper()
	return openWith(t, dsn, postgres.Options{})
}

func openWith(t testing.TB, dsn string, o postgres.Options) *postgres.Store {
	t.Helper()
	st, err := postgres.OpenWith(t.Context(), dsn, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}
