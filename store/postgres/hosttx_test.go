package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
)

var errNo = errors.New("no")

// onEachDatabase runs a test with an empty store and a connection beside it, for
// each way to a database.
func onEachDatabase(t *testing.T, run func(t *testing.T, st *postgres.Store, conn *pgx.Conn)) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			st, conn := openAudit(t, d.dsn(t))
			run(t, st, conn)
		})
	}
}

// openAudit opens a store with the table of notes, and one of the host's.
func openAudit(t testing.TB, dsn string) (*postgres.Store, *pgx.Conn) {
	t.Helper()
	st := openNotes(t, dsn)
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // also behind PgBouncer
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), "CREATE TABLE audit (n bigserial PRIMARY KEY, note text UNIQUE)"); err != nil {
		t.Fatal(err)
	}
	return st, conn
}

func wantAudit(t testing.TB, conn *pgx.Conn, want ...string) {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT note FROM audit ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		t.Errorf("rows of the host (-want +got):\n%s", diff)
	}
}

// audit adds a row of the host's.
func audit(ctx context.Context, tx store.Tx, text string) error {
	own, err := postgres.TxOf(tx)
	if err != nil {
		return err
	}
	_, err = own.Exec(ctx, "INSERT INTO audit (note) VALUES ($1)", text)
	return err
}

func withAudit(text string) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error {
		if err := notes.Insert(tx, &note{Text: text}); err != nil {
			return err
		}
		return audit(ctx, tx, text)
	}
}

func TestHostSQLIsPartOfTheTransaction(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, st *postgres.Store, conn *pgx.Conn) {
		err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
			if err := audit(ctx, tx, "first"); err != nil { // before the store has used the transaction
				return err
			}
			if err := withAudit("a")(ctx, tx); err != nil {
				return err
			}
			own, err := postgres.TxOf(tx)
			if err != nil {
				return err
			}
			var n int
			if err := own.QueryRow(ctx, "SELECT count(*) FROM notes").Scan(&n); err != nil || n != 1 {
				t.Errorf("the host sees %d rows that the store wrote, %v", n, err)
			}
			if _, err := own.Exec(ctx, "UPDATE notes SET text = $1", "by the host"); err != nil {
				return err
			}
			got, err := notes.Get(tx, 1)
			if got.Text != "by the host" {
				t.Errorf("the store reads %q after the host has written", got.Text)
			}
			return errors.Join(err, st.Update(ctx, withAudit("b")))
		})
		if err != nil {
			t.Fatal(err)
		}
		wantTexts(t, st, "by the host", "b")
		wantAudit(t, conn, "first", "a", "b")

		for name, end := range map[string]func(ctx context.Context, tx store.Tx) error{
			"Error": func(context.Context, store.Tx) error { return errNo },
			"HostError": func(ctx context.Context, tx store.Tx) error {
				err := audit(ctx, tx, "a")
				var e *pgconn.PgError
				if !errors.As(err, &e) || e.Code != "23505" {
					t.Errorf("a taken value: %v, want the server's error 23505", err)
				}
				return err
			},
			"HostErrorPassedOver": func(ctx context.Context, tx store.Tx) error {
				_ = audit(ctx, tx, "a")
				return nil
			},
			"UseAfterHostError": func(ctx context.Context, tx store.Tx) error {
				_ = audit(ctx, tx, "a")
				_, err := notes.Get(tx, 1)
				if err == nil || !strings.Contains(err.Error(), "audit_note_key") {
					t.Errorf("the store goes on after the host's statement failed: %v", err)
				}
				return nil
			},
			"OpenRows": func(ctx context.Context, tx store.Tx) error {
				own, err := postgres.TxOf(tx)
				if err != nil {
					return err
				}
				if _, err := own.Query(ctx, "SELECT generate_series(1, 100000)"); err != nil {
					return err
				}
				if _, err := notes.Get(tx, 1); err == nil {
					t.Error("the store reads while rows of the host are open")
				}
				return nil
			},
			"JoinedUpdate": func(ctx context.Context, _ store.Tx) error {
				_ = st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
					return errors.Join(withAudit("d")(ctx, tx), errNo)
				})
				return nil
			},
		} {
			runs := 0
			err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
				runs++
				return errors.Join(withAudit("c")(ctx, tx), end(ctx, tx))
			})
			if err == nil || runs != 1 {
				t.Errorf("%s: the Update ends with %v after %d runs, want an error after 1", name, err, runs)
			}
			wantTexts(t, st, "by the host", "b")
			wantAudit(t, conn, "first", "a", "b")
		}
	})
}

func TestHostSQLThroughPgx(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, st *postgres.Store, conn *pgx.Conn) {
		err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
			own, err := postgres.TxOf(tx)
			if err != nil {
				return err
			}
			n, err := own.CopyFrom(ctx, pgx.Identifier{"audit"}, []string{"note"}, pgx.CopyFromRows([][]any{{"a"}, {"b"}}))
			if err != nil || n != 2 {
				t.Errorf("CopyFrom copies %d rows, %v", n, err)
			}
			var batch pgx.Batch
			batch.Queue("INSERT INTO audit (note) VALUES ('c')")
			batch.Queue("SELECT count(*) FROM audit").QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
			if err := own.SendBatch(ctx, &batch).Close(); err != nil || n != 3 {
				t.Errorf("a batch counts %d rows, %v", n, err)
			}
			if err := notes.Insert(tx, &note{Text: "between"}); err != nil {
				return err
			}
			// A savepoint is the host's own: what fails inside takes nothing else.
			err = pgx.BeginFunc(ctx, own, func(inner pgx.Tx) error {
				_, err := inner.Exec(ctx, "INSERT INTO audit (note) VALUES ('d'), ('a')")
				return err
			})
			if err == nil {
				t.Error("a taken value is inserted")
			}
			return pgx.BeginFunc(ctx, own, func(inner pgx.Tx) error {
				_, err := inner.Exec(ctx, "INSERT INTO audit (note) VALUES ('e')")
				return err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		wantTexts(t, st, "between")
		wantAudit(t, conn, "a", "b", "c", "e")
	})
}

func TestHostSQLRefuses(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, st *postgres.Store, conn *pgx.Conn) {
		err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
			own, err := postgres.TxOf(tx)
			if err != nil {
				return err
			}
			inner, err := own.Begin(ctx)
			if err != nil {
				return err
			}
			for _, on := range []pgx.Tx{own, inner} {
				for _, query := range []string{"COMMIT", "ROLLBACK", "BEGIN", "INSERT INTO audit (note) VALUES ('x'); COMMIT"} {
					if _, err := on.Exec(ctx, query); err == nil {
						t.Errorf("%q is run", query)
					}
					if _, err := on.Query(ctx, query); err == nil {
						t.Errorf("%q is queried", query)
					}
					if err := on.QueryRow(ctx, query).Scan(); err == nil {
						t.Errorf("%q is queried for a row", query)
					}
					if _, err := on.Prepare(ctx, "p", query); err == nil {
						t.Errorf("%q is prepared", query)
					}
					var batch pgx.Batch
					batch.Queue(query)
					if err := on.SendBatch(ctx, &batch).Close(); err == nil {
						t.Errorf("%q is sent in a batch", query)
					}
				}
			}
			if err := inner.Commit(ctx); err != nil {
				return err
			}
			if own.Commit(ctx) == nil || own.Rollback(ctx) == nil {
				t.Error("the host ends the transaction of the store")
			}
			return withAudit("a")(ctx, tx)
		})
		if err != nil {
			t.Fatal(err)
		}
		wantTexts(t, st, "a")
		wantAudit(t, conn, "a")

		// Through the connection itself the host can: that is noticed.
		err = st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
			own, err := postgres.TxOf(tx)
			if err != nil {
				return err
			}
			_, err = own.Conn().Exec(ctx, "ROLLBACK")
			return err
		})
		if err == nil {
			t.Error("an Update whose transaction was ended succeeds")
		}
		if err := add(t.Context(), st, "b"); err != nil {
			t.Error(err)
		}
		wantTexts(t, st, "a", "b")
	})
}

// A host's statement that meets another transaction has the function run again,
// whatever it makes of the error.
func TestHostSQLRunsAgain(t *testing.T) {
	for name, report := range map[string]func(error) error{
		"Returned":   func(err error) error { return err },
		"Hidden":     func(err error) error { return errNo },
		"PassedOver": func(error) error { return nil },
	} {
		onEachDatabase(t, func(t *testing.T, st *postgres.Store, conn *pgx.Conn) {
			if _, err := conn.Exec(t.Context(), "CREATE TABLE counters (n bigint); INSERT INTO counters VALUES (0)"); err != nil {
				t.Fatal(err)
			}
			const writers, each = 4, 5
			var wg sync.WaitGroup
			for range writers {
				wg.Go(func() {
					for range each {
						err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
							own, err := postgres.TxOf(tx)
							if err != nil {
								return err
							}
							var n int
							if err := own.QueryRow(ctx, "SELECT n FROM counters").Scan(&n); err != nil {
								return report(err)
							}
							if _, err = own.Exec(ctx, "UPDATE counters SET n = $1", n+1); err != nil {
								return report(err)
							}
							return nil
						})
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			var n int
			if err := conn.QueryRow(t.Context(), "SELECT n FROM counters").Scan(&n); err != nil || n != writers*each {
				t.Errorf("%s: %d changes are left of %d, %v", name, n, writers*each, err)
			}
		})
	}
}

func TestHostSQLInAView(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, st *postgres.Store, conn *pgx.Conn) {
		if err := st.Update(t.Context(), withAudit("a")); err != nil {
			t.Fatal(err)
		}
		var escaped pgx.Tx
		var over store.Tx
		for range 2 { // the second on the connection of the first
			reads := new(driver.ReadSet)
			err := st.View(driver.WithReadSet(t.Context(), reads), func(ctx context.Context, tx store.Tx) error {
				over = tx
				own, err := postgres.TxOf(tx)
				if err != nil {
					return err
				}
				escaped = own
				var n int
				if err := own.QueryRow(ctx, "SELECT count(*) FROM audit").Scan(&n); err != nil || n != 1 {
					t.Errorf("the host sees %d rows, %v, want 1", n, err)
				}
				if got, err := notes.Get(tx, 1); err != nil || got.Text != "a" {
					t.Errorf("the store reads %q, %v", got.Text, err)
				}
				if _, err := own.Exec(ctx, "DELETE FROM audit"); err == nil {
					t.Error("the host writes in a View")
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if reads.Complete() {
				t.Error("the host has read, and the read set is complete")
			}
		}
		if _, err := escaped.Exec(t.Context(), "SELECT 1"); err == nil {
			t.Error("a transaction outlives its View")
		}
		if _, err := postgres.TxOf(over); err == nil {
			t.Error("a View that is over has a transaction")
		}
		wantAudit(t, conn, "a")
		err := memory.New().View(t.Context(), func(_ context.Context, tx store.Tx) error {
			if _, err := postgres.TxOf(tx); err == nil || !strings.Contains(err.Error(), "memory") {
				t.Errorf("the transaction of another store: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestHostSQLOnALostConnection(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, st *postgres.Store, conn *pgx.Conn) {
		runs := 0
		err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
			runs++
			own, err := postgres.TxOf(tx)
			if err != nil {
				return err
			}
			if runs == 1 {
				var pid int
				if err := own.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid); err != nil {
					return err
				}
				if _, err := conn.Exec(ctx, "SELECT pg_terminate_backend($1, 30000)", pid); err != nil {
					return err
				}
			}
			return withAudit(fmt.Sprint("run ", runs))(ctx, tx)
		})
		if err != nil {
			t.Fatal(err)
		}
		wantTexts(t, st, "run 2")
		wantAudit(t, conn, "run 2")
	})
}
