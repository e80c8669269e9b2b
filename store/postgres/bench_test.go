package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A ware is as wide as what shops read most.
type ware struct {
	WareID  int64  `json:"ware_id" store:"key"`
	GroupID int64  `json:"group_id" store:"index"`
	Name    string `json:"name" store:"fold,index"`
	Code    string `json:"code" store:"index"`
	Note    string `json:"note"`
	Amount  int64  `json:"amount"`
	Active  bool   `json:"active"`
	Since   int64  `json:"since"`
	Until   int64  `json:"until"`
	Text    string `json:"text"`
}

var wares = store.MustTable[ware]("wares")

const (
	benchRows    = 20_000
	wareColumns  = `"ware_id", "group_id", "name", "code", "note", "amount", "active", "since", "until", "text"`
	selectWares  = "SELECT " + wareColumns + ` FROM "wares" `
	selectByKey  = selectWares + `WHERE "ware_id" = $1`
	selectPage   = selectWares + `WHERE "group_id" = $1 ORDER BY "ware_id" LIMIT $2`
	selectByName = selectWares + `ORDER BY "name_fold", "ware_id" LIMIT $1`
	countPage    = `SELECT count(*) FROM "wares" WHERE "group_id" = $1`
)

// BenchmarkBeside runs the store beside hand-written code with
// pgx, for the same rows and the same promise: a page and its total in one
// snapshot. The metric x/hand is the store's speed divided by that of the hand.
func BenchmarkBeside(b *testing.B) {
	dsn := pgtest.DSN(b)
	st := open(b, dsn)
	pool, err := pgxpool.New(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	fillWares(b, st, pool)

	for _, c := range []struct {
		name        string
		store, hand func(i int64) error
	}{
		{"Get",
			func(i int64) error {
				return st.View(b.Context(), func(_ context.Context, tx store.Tx) error {
					_, err := wares.Get(tx, i*7919%benchRows+1)
					return err
				})
			},
			func(i int64) error {
				rows, err := pool.Query(b.Context(), selectByKey, i*7919%benchRows+1)
				if err != nil {
					return err
				}
				_, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[ware])
				return err
			}},
		{"Page20",
			func(i int64) error { return viewPage(b, st, i%1000, 20) },
			func(i int64) error { return handPage(b, pool, i%1000, 20) }},
		{"PageByName100",
			func(int64) error {
				return st.View(b.Context(), func(_ context.Context, tx store.Tx) error {
					_, err := wares.Select(tx, store.Query{Order: []store.Order{store.Asc("name")}, Limit: 100})
					return err
				})
			},
			func(int64) error {
				rows, err := pool.Query(b.Context(), selectByName, 100)
				if err != nil {
					return err
				}
				_, err = pgx.CollectRows(rows, pgx.RowToStructByPos[ware])
				return err
			}},
		{"Update",
			func(i int64) error {
				return st.Update(b.Context(), func(_ context.Context, tx store.Tx) error {
					w, err := wares.Get(tx, i*7919%benchRows+1)
					if err != nil {
						return err
					}
					w.Amount++
					return wares.Update(tx, &w)
				})
			},
			func(i int64) error { return handUpdate(b, pool, i*7919%benchRows+1) }},
	} {
		for _, goroutines := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/%d", c.name, goroutines), func(b *testing.B) { beside(b, goroutines, c.store, c.hand) })
		}
	}
}

// beside runs both alternately, so that other load of the machine affects both.
func beside(b *testing.B, goroutines int, ours, hand func(i int64) error) {
	var spent [2]time.Duration
	turn := max(1, b.N/10)
	for done := 0; done < b.N; done += turn {
		for i, fn := range []func(int64) error{ours, hand} {
			began := time.Now()
			var all sync.WaitGroup
			for g := range goroutines {
				all.Go(func() {
					for n := g; n < min(turn, b.N-done); n += goroutines {
						if err := fn(int64(done + n)); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			spent[i] += time.Since(began)
		}
	}
	b.ReportMetric(float64(spent[1])/float64(spent[0]), "x/hand")
	b.ReportMetric(float64(spent[0])/float64(b.N), "store-ns/op")
	b.ReportMetric(float64(spent[1])/float64(b.N), "hand-ns/op")
	b.ReportMetric(0, "ns/op") // of both together: says nothing
}

func fillWares(b *testing.B, st store.Store, pool *pgxpool.Pool) {
	if err := st.Migrate(b.Context(), wares.Schema()); err != nil {
		b.Fatal(err)
	}
	_, err := pool.Exec(b.Context(), `INSERT INTO wares ("group_id", "name", "name_fold", "code", "note", "amount", "active", "since", "until", "text")
		SELECT n % 1000, 'Ware ' || n, 'ware ' || n, 'W' || n, 'a note', n, n % 2 = 0, n, n, repeat('text ', 20)
		FROM generate_series(1, $1::bigint) n`, benchRows)
	if err == nil {
		_, err = pool.Exec(b.Context(), "VACUUM ANALYZE wares")
	}
	if err != nil {
		b.Fatal(err)
	}
}

func viewPage(b *testing.B, st store.Store, group int64, limit int) error {
	return st.View(b.Context(), func(_ context.Context, tx store.Tx) error {
		_, _, err := wares.Page(tx, store.Query{Where: []store.Cond{store.Equal("group_id", store.Int(group))}, Limit: limit})
		return err
	})
}

// handPage is one round trip, as the store's is.
func handPage(b *testing.B, pool *pgxpool.Pool, group int64, limit int) error {
	var batch pgx.Batch
	batch.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
	batch.Queue(selectPage, group, limit)
	batch.Queue(countPage, group)
	batch.Queue("COMMIT")
	results := pool.SendBatch(b.Context(), &batch)
	defer results.Close()
	if _, err := results.Exec(); err != nil {
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	if _, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ware]); err != nil {
		return err
	}
	var total int64
	return results.QueryRow().Scan(&total)
}

func handUpdate(b *testing.B, pool *pgxpool.Pool, id int64) error {
	return pgx.BeginTxFunc(b.Context(), pool, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
		rows, err := tx.Query(b.Context(), selectByKey, id)
		if err != nil {
			return err
		}
		w, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[ware])
		if err != nil {
			return err
		}
		_, err = tx.Exec(b.Context(), `UPDATE wares SET "group_id" = $1, "name" = $2, "code" = $3, "note" = $4, "amount" = $5,
			"active" = $6, "since" = $7, "until" = $8, "text" = $9, "name_fold" = $10 WHERE "ware_id" = $11`,
			w.GroupID, w.Name, w.Code, w.Note, w.Amount+1, w.Active, w.Since, w.Until, w.Text, store.Fold(w.Name), w.WareID)
		return err
	})
}
