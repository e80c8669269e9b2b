package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
)

// Two transactions that change different rows of a small table do not conflict.
func TestSmallTablesDoNotConflict(t *testing.T) {
	st := openCounters(t, "")
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		own, err := postgres.TxOf(tx)
		if err == nil {
			_, err = own.Exec(ctx, "ANALYZE counters") // tells the planner that the table is small
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for range 20 { // more than it takes until PostgreSQL keeps a plan
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			runs++
			find := func(tx store.Tx, key int64) error {
				_, err := counters.Select(tx, store.Query{Where: []store.Cond{store.InInts("counter_id", key, key+10)}})
				return err
			}
			if err := find(tx, 1); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			err := st.Update(ctx, func(_ context.Context, other store.Tx) error {
				runs++
				if err := find(other, 2); err != nil {
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
	st := openCounters(t, "")
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
