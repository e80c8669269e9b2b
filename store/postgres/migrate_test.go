package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

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

// A Migrate that ends while it waits for a transaction that reads the table leaves the index to the
// next one. Others write the table meanwhile, and processes that drop it at once meet.
func TestMigrate_FormerIndexesLater(t *testing.T) {
	type row struct {
		ID    int64 `json:"id" store:"key"`
		Stock int64 `json:"stock"`
	}
	dsn := pgtest.DSN(t)
	older := store.MustTable[row]("goods", store.Index{Columns: []string{"stock"}, Unique: true})
	newer := store.MustTable[row]("goods", store.Index{Columns: []string{"stock"}, Unique: true, Former: true})
	st := open(t, dsn)
	if err := st.Migrate(t.Context(), older.Schema()); err != nil {
		t.Fatal(err)
	}
	insert := func(stock int64) error {
		return st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return older.Insert(tx, &row{Stock: stock}) })
	}
	pool, err := pgxpool.New(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	reading, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reading.Rollback(context.Background()) }()
	if _, err := reading.Exec(t.Context(), "SELECT FROM goods"); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended, waiting := make(chan error, 1), open(t, dsn)
	go func() { ended <- waiting.Migrate(ctx, newer.Schema()) }()
	for valid := true; valid; {
		select {
		case err := <-ended:
			t.Fatalf("Migrate does not wait: %v", err)
		default:
		}
		const isValid = "SELECT indisvalid FROM pg_index WHERE indexrelid = '\"goods.stock.unique\"'::regclass"
		if err := pool.QueryRow(t.Context(), isValid).Scan(&valid); err != nil {
			t.Fatal(err)
		}
	}
	for stock := range int64(2) {
		if err := insert(stock); err != nil {
			t.Errorf("a change meanwhile: %v", err)
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Migrate that was ended: %v", err)
	}
	if err := reading.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}

	var all sync.WaitGroup
	for range 4 {
		other := open(t, dsn)
		all.Go(func() {
			if err := other.Migrate(t.Context(), newer.Schema()); err != nil {
				t.Errorf("Migrate: %v", err)
			}
		})
	}
	all.Wait()
	if err := insert(1); err != nil {
		t.Errorf("the index is there: %v", err)
	}
}
