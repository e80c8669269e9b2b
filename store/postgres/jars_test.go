package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

type jar struct {
	JarID int64  `json:"jar_id" store:"key"`
	Color string `json:"color"`
	Size  int64  `json:"size"`
}

var (
	jars  = store.MustTable[jar]("jars")
	sizes = store.Project[struct {
		JarID int64 `json:"jar_id" store:"key"`
		Size  int64 `json:"size"`
	}](jars)
)

// openJars opens a store with a red jar 1 and a blue jar 2.
func openJars(t *testing.T) (*postgres.Store, *pgxpool.Pool) {
	t.Helper()
	st, pool, _ := openCountedJars(t)
	return st, pool
}

// openCountedJars is openJars with a function that counts round trips.
func openCountedJars(t *testing.T) (st *postgres.Store, pool *pgxpool.Pool, roundTrips func() int) {
	t.Helper()
	pool, roundTrips = pgtest.CountingPool(t)
	st = postgres.New(pool)
	t.Cleanup(func() { st.Close() })
	if err := st.Migrate(t.Context(), jars.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return errors.Join(jars.Insert(tx, &jar{Color: "red", Size: 1}), jars.Insert(tx, &jar{Color: "blue", Size: 2}))
	})
	if err != nil {
		t.Fatal(err)
	}
	return st, pool, roundTrips
}

// inUpdate runs a function in an Update, and reports an error to the test.
func inUpdate(t *testing.T, st store.Store, fn func(ctx context.Context, tx store.Tx) error) {
	t.Helper()
	if err := st.Update(t.Context(), fn); err != nil {
		t.Error(err)
	}
}
