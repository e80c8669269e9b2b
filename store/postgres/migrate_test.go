package postgres_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A counter counts the statements that a pool sends.
type counter struct{ n atomic.Int64 }

func (c *counter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (*counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// Migrate sends nothing for schemas that the Store has migrated, and takes the others of a call.
func TestMigrate_SkipsWhatItMigrated(t *testing.T) {
	config, err := pgxpool.ParseConfig(pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	sent := &counter{}
	config.ConnConfig.Tracer = sent
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	st := postgres.New(pool)
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	type row struct {
		ID   int64  `json:"id" store:"key"`
		Name string `json:"name"`
	}
	first, second := store.MustTable[row]("first").Schema(), store.MustTable[row]("second").Schema()
	migrate := func(schemas ...*store.Schema) int64 {
		before := sent.n.Load()
		if err := st.Migrate(t.Context(), schemas...); err != nil {
			t.Fatal(err)
		}
		return sent.n.Load() - before
	}
	if n := migrate(first); n == 0 {
		t.Error("the first call sends nothing")
	}
	if n := migrate(first); n != 0 {
		t.Errorf("the second call sends %d statements", n)
	}
	migrate(first, second)
	if _, err := pool.Exec(t.Context(), "SELECT FROM second"); err != nil {
		t.Errorf("the table of the other schema: %v", err)
	}
}
