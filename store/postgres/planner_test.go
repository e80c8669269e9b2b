package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/storetest"
)

// openSmall tells the planner how small the table of openCounters is, and opens the store in
// sessions that have not read the table.
func openSmall(t *testing.T) *postgres.Store {
	dsn := pgtest.DSN(t)
	openCounters(t, dsn)
	exec(t, dsn, "ANALYZE counters")
	st := open(t, dsn)
	if err := st.Migrate(t.Context(), counters.Schema()); err != nil {
		t.Fatal(err)
	}
	return st
}

// findCounter reads a counter in a way that the planner chooses.
func findCounter(tx store.Tx, key int64) error {
	_, err := counters.Select(tx, store.Query{Where: []store.Cond{store.InInts("counter_id", key, key+10)}})
	return err
}

// A transaction that writes reads a small table by its index, except when it has locked the table.
func TestSmallTables_Scans(t *testing.T) {
	for name, test := range map[string]struct {
		update func(*postgres.Store) storetest.Transact
		want   int
	}{
		"Update": {func(st *postgres.Store) storetest.Transact { return st.Update }, 0},
		"UpdateLocked": {func(st *postgres.Store) storetest.Transact {
			return func(ctx context.Context, fn func(context.Context, store.Tx) error) error {
				return st.UpdateLocked(ctx, []*store.Schema{counters.Schema()}, fn)
			}
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.update(openSmall(t))(t.Context(), func(ctx context.Context, tx store.Tx) error {
				if err := findCounter(tx, 1); err != nil {
					return err
				}
				own, err := postgres.TxOf(tx)
				if err != nil {
					return err
				}
				var scans int
				err = own.QueryRow(ctx, "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relid = 'counters'::regclass").Scan(&scans)
				if err == nil && scans != test.want {
					t.Errorf("%d sequential scans, want %d", scans, test.want)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Two transactions that change different rows of a small table do not conflict.
func TestSmallTablesDoNotConflict(t *testing.T) {
	st := openSmall(t)
	runs := 0
	for range 20 { // more than it takes until PostgreSQL keeps a plan
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			runs++
			if err := findCounter(tx, 1); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			err := st.Update(ctx, func(_ context.Context, other store.Tx) error {
				runs++
				if err := findCounter(other, 2); err != nil {
					return err
				}
				return count(other, 2)
			})
			if err != nil {
				return err
			}
			return count(tx, 1)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if runs != 40 {
		t.Errorf("40 transactions ran %d times", runs)
	}
}

// SQL of the host is planned as the server is set up to, before and after the store's own statements.
func TestTxOf_DefaultPlans(t *testing.T) {
	st := openCounters(t, pgtest.DSN(t))
	for name, before := range map[string]func(tx store.Tx) error{
		"first":           func(store.Tx) error { return nil },
		"after the store": func(tx store.Tx) error { return count(tx, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
				if err := before(tx); err != nil {
					return err
				}
				own, err := postgres.TxOf(tx)
				if err != nil {
					return err
				}
				var scans, compiles string
				if err := own.QueryRow(ctx, "SELECT current_setting('enable_seqscan'), current_setting('jit')").Scan(&scans, &compiles); err != nil {
					return err
				}
				if scans != "on" || compiles != "on" {
					t.Errorf("enable_seqscan is %s and jit is %s", scans, compiles)
				}
				return count(tx, 2)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
