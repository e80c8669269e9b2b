package pgtest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ReusedPool returns connections to a schema that has no rows, and perhaps the tables of an
// earlier test of this process: emptying the tables of a shop takes far less time than creating
// them, and connections that know them answer in half of the time. It is for tests that migrate
// to the same tables and alter none. They leave the pool open. Only a server that ends with the
// process keeps schemas; on others each test has a schema as of [DSN].
func ReusedPool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	if givenDSN() != "" {
		pool := connect(t, DSN(t))
		t.Cleanup(pool.Close)
		return pool
	}
	base, err := shared()
	if err != nil {
		unavailable(t, err)
	}
	pool := used.take()
	if pool == nil {
		pool = connect(t, with(base, "search_path", createSchema(t, base)))
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if _, err := pool.Exec(ctx, emptyTables); err != nil {
			t.Logf("pgtest: %v", err)
			pool.Close()
			return
		}
		used.put(pool)
	})
	return pool
}

func connect(t testing.TB, dsn string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(context.Background(), dsn) // other tests use it too
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return pool
}

// emptyTables deletes the rows of the schema, from tables that ever had any, and has its sequences
// begin anew. The setting keeps the triggers from raising the versions of the tables, which no open
// store needs.
const emptyTables = `DO $$
DECLARE r record;
BEGIN
	PERFORM set_config('shopapi.writes', '-', true);
	FOR r IN SELECT c.oid::regclass AS name FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND pg_relation_size(c.oid) > 0 AND c.relname NOT IN ('shopapi_versions', 'shopapi_epochs') LOOP
		EXECUTE 'DELETE FROM ' || r.name;
	END LOOP;
	FOR r IN SELECT schemaname, sequencename, start_value FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL LOOP
		PERFORM setval(format('%I.%I', r.schemaname, r.sequencename)::regclass, r.start_value, false);
	END LOOP;
END $$`

// pools are the pools that can be reused.
type pools struct {
	mu   sync.Mutex
	free []*pgxpool.Pool
}

var used pools

// take returns a pool, nil if there is none.
func (p *pools) take() *pgxpool.Pool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		return nil
	}
	last := len(p.free) - 1
	pool := p.free[last]
	p.free = p.free[:last]
	return pool
}

func (p *pools) put(pool *pgxpool.Pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, pool)
}
