package postgres_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// Migrate sends nothing for schemas that the Store has migrated, and takes the others of a call.
func TestMigrate_SkipsWhatItMigrated(t *testing.T) {
	pool, roundTrips := pgtest.CountingPool(t)
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
	migrate := func(schemas ...*store.Schema) int {
		before := roundTrips()
		if err := st.Migrate(t.Context(), schemas...); err != nil {
			t.Fatal(err)
		}
		return roundTrips() - before
	}
	if n := migrate(first); n == 0 {
		t.Error("the first call sends nothing")
	}
	if n := migrate(first); n != 0 {
		t.Errorf("the second call takes %d round trips", n)
	}
	migrate(first, second)
	if _, err := pool.Exec(t.Context(), "SELECT FROM second"); err != nil {
		t.Errorf("the table of the other schema: %v", err)
	}
}

// A change of a column with a volatile index writes no index, also in pages that were filled by
// an import.
func TestMigrate_VolatileIndexes(t *testing.T) {
	type row struct {
		ID    int64  `json:"id" store:"key"`
		Name  string `json:"name"`
		Stock int64  `json:"stock"`
	}
	goods := store.MustTable[row]("goods", store.Index{Columns: []string{"name"}}, store.Index{Columns: []string{"stock"}, Volatile: true})
	st := open(t, pgtest.DSN(t))
	if err := st.Migrate(t.Context(), goods.Schema()); err != nil {
		t.Fatal(err)
	}
	list := make([]row, 500)
	for i := range list {
		list[i].Name = strings.Repeat("mug ", 200)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return goods.InsertAll(tx, list) })
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		for id := int64(7); id < 500; id += 50 {
			if err := goods.Set(tx, "stock", id, store.Equal("id", store.Int(id))); err != nil {
				return err
			}
		}
		own, err := postgres.TxOf(tx)
		if err != nil {
			return err
		}
		var changed, alone int64
		err = own.QueryRow(ctx, `SELECT pg_stat_get_xact_tuples_updated('goods'::regclass), pg_stat_get_xact_tuples_hot_updated('goods'::regclass)`).Scan(&changed, &alone)
		if changed != 10 || alone != changed {
			t.Errorf("of %d changed rows, %d were written without the indexes", changed, alone)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Migrate drops the indexes of older versions.
func TestMigrate_FormerIndexes(t *testing.T) {
	type row struct {
		ID    int64 `json:"id" store:"key"`
		Stock int64 `json:"stock"`
	}
	dsn := pgtest.DSN(t)
	older := store.MustTable[row]("goods", store.Index{Columns: []string{"stock"}})
	newer := store.MustTable[row]("goods", store.Index{Columns: []string{"stock"}, Former: true})
	for _, schema := range []*store.Schema{older.Schema(), newer.Schema(), newer.Schema()} {
		st := open(t, dsn)
		if err := st.Migrate(t.Context(), schema); err != nil {
			t.Fatal(err)
		}
		indexes, want := int64(0), len(schema.Indexes)
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
			own, err := postgres.TxOf(tx)
			if err != nil {
				return err
			}
			return own.QueryRow(t.Context(), "SELECT count(*) FROM pg_indexes WHERE tablename = 'goods' AND indexdef LIKE '%(stock%'").Scan(&indexes)
		})
		if err != nil || int(indexes) != want {
			t.Errorf("%d indexes of the column, want %d; %v", indexes, want, err)
		}
	}
}
