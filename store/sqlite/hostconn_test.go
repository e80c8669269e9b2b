package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
)

// openAudit opens a store with the table of pages, and one of the host's.
func openAudit(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	return openAuditWith(t, path, nil)
}

func openAuditWith(t testing.TB, path string, o *sqlite.Options) *sqlite.Store {
	t.Helper()
	st := openPages(t, path, o)
	const create = "CREATE TABLE audit (n INTEGER PRIMARY KEY, note TEXT UNIQUE, weight REAL, data BLOB, done BOOLEAN, at DATETIME)"
	if _, err := st.DB().ExecContext(t.Context(), create); err != nil {
		t.Fatal(err)
	}
	return st
}

// hostExec runs a statement of the host's in a transaction.
func hostExec(ctx context.Context, tx store.Tx, query string, args ...any) (sql.Result, error) {
	conn, err := sqlite.ConnOf(tx)
	if err != nil {
		return nil, err
	}
	return conn.ExecContext(ctx, query, args...)
}

func auditNotes(t testing.TB, st *sqlite.Store) []string {
	t.Helper()
	rows, err := st.DB().QueryContext(t.Context(), "SELECT note FROM audit ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	list := []string{}
	for rows.Next() {
		var note string
		if err := rows.Scan(&note); err != nil {
			t.Fatal(err)
		}
		list = append(list, note)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func wantNotes(t testing.TB, st *sqlite.Store, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), auditNotes(t, st)); diff != "" {
		t.Errorf("rows of the host (-want +got):\n%s", diff)
	}
}

// note has an Update that inserts a page, and a row of the host's with its title.
func withNote(title string) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error {
		if err := pages.Insert(tx, &page{Title: title}); err != nil {
			return err
		}
		_, err := hostExec(ctx, tx, "INSERT INTO audit (note) VALUES (?)", title)
		return err
	}
}

func TestHostSQLValues(t *testing.T) {
	st := openAudit(t, file(t))
	at := time.Date(2024, 2, 29, 12, 30, 1, 5e6, time.FixedZone("", 3600))
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		conn, err := sqlite.ConnOf(tx)
		if err != nil {
			return err
		}
		result, err := conn.ExecContext(ctx, "INSERT INTO audit (note, weight, data, done, at) VALUES (?, ?, ?, ?, ?), (:note, NULL, x'', 0, 'soon')",
			"Grüße", 1.5, []byte{0, 1}, true, at, sql.Named("note", ""))
		if err != nil {
			return err
		}
		key, _ := result.LastInsertId()
		n, _ := result.RowsAffected()
		if key != 2 || n != 2 {
			t.Errorf("key %d and %d rows, want 2 and 2", key, n)
		}
		var (
			note   string
			weight sql.NullFloat64
			data   []byte
			done   bool
			when   time.Time
		)
		row := conn.QueryRowContext(ctx, "SELECT note, weight, data, done, at FROM audit WHERE n = ?", 1)
		if err := row.Scan(&note, &weight, &data, &done, &when); err != nil {
			return err
		}
		if note != "Grüße" || weight.Float64 != 1.5 || !slices.Equal(data, []byte{0, 1}) || !done || !when.Equal(at) {
			t.Errorf("got %q, %v, %v, %v, %v", note, weight, data, done, when)
		}
		var text string
		row = conn.QueryRowContext(ctx, "SELECT note, weight, data, done, at FROM audit WHERE n = $n", sql.Named("n", 2))
		if err := row.Scan(&note, &weight, &data, &done, &text); err != nil {
			return err
		}
		if note != "" || weight.Valid || data == nil || len(data) > 0 || done || text != "soon" {
			t.Errorf("got %q, %v, %v, %v, %q", note, weight, data, done, text)
		}
		if err := conn.QueryRowContext(ctx, "SELECT n FROM audit WHERE n = 9").Scan(new(int)); !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("a row that is not there: %v", err)
		}
		prepared, err := conn.PrepareContext(ctx, "UPDATE audit SET weight = ? WHERE n = ?")
		if err != nil {
			return err
		}
		for n := range 3 {
			if _, err := prepared.ExecContext(ctx, n, 2); err != nil {
				return err
			}
		}
		return prepared.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	var weight int
	if err := st.DB().QueryRow("SELECT weight FROM audit WHERE n = 2").Scan(&weight); err != nil || weight != 2 {
		t.Errorf("the prepared statement leaves %d, %v", weight, err)
	}
}

func TestHostSQLIsPartOfTheTransaction(t *testing.T) {
	st := openAudit(t, file(t))
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		if err := withNote("a")(ctx, tx); err != nil {
			return err
		}
		conn, err := sqlite.ConnOf(tx)
		if err != nil {
			return err
		}
		var n int
		if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM pages").Scan(&n); err != nil || n != 1 {
			t.Errorf("the host sees %d rows that the store wrote, %v", n, err)
		}
		if _, err := conn.ExecContext(ctx, "UPDATE pages SET title = 'by the host', title_fold = 'by the host'"); err != nil {
			return err
		}
		got, err := pages.Get(tx, 1)
		if got.Title != "by the host" {
			t.Errorf("the store reads %q after the host has written", got.Title)
		}
		// Joined Updates are the same transaction, and closing a connection ends nothing.
		return errors.Join(err, conn.Close(), st.Update(ctx, withNote("b")))
	})
	if err != nil {
		t.Fatal(err)
	}
	wantTitles(t, st, "by the host", "b")
	wantNotes(t, st, "a", "b")

	for name, end := range map[string]func(ctx context.Context, tx store.Tx) error{
		"Error": func(context.Context, store.Tx) error { return errNo },
		"HostError": func(ctx context.Context, tx store.Tx) error {
			_, err := hostExec(ctx, tx, "INSERT INTO audit (note) VALUES ('a')")
			var e *sqlite.Error
			if !errors.As(err, &e) || e.Code != 2067 {
				t.Errorf("a taken value: %v, want the engine's error 2067", err)
			}
			return err
		},
		"JoinedUpdate": func(ctx context.Context, _ store.Tx) error {
			_ = st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
				return errors.Join(withNote("d")(ctx, tx), errNo)
			})
			return nil
		},
	} {
		err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
			return errors.Join(withNote("c")(ctx, tx), end(ctx, tx))
		})
		if err == nil {
			t.Errorf("%s: the Update succeeds", name)
		}
		wantTitles(t, st, "by the host", "b")
		wantNotes(t, st, "a", "b")
	}
}

// A function may go on after a statement of the host failed: that changed nothing.
func TestHostSQLThatFailsChangesNothing(t *testing.T) {
	st := openAudit(t, file(t))
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		if err := withNote("a")(ctx, tx); err != nil {
			return err
		}
		if _, err := hostExec(ctx, tx, "INSERT INTO audit (note) VALUES ('b'), ('a')"); err == nil {
			t.Error("a taken value is inserted")
		}
		if _, err := hostExec(ctx, tx, "INSERT INTO missing VALUES (1)"); err == nil {
			t.Error("a row is inserted into a table that is not there")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantTitles(t, st, "a")
	wantNotes(t, st, "a")
}

func TestHostSQLOfAMemberThatFailsFailsAlone(t *testing.T) {
	for at := range 3 {
		for _, query := range []string{"INSERT INTO audit (note) VALUES ('x'), ('x')", "INSERT OR ROLLBACK INTO audit (note) VALUES ('x'), ('x')", "ROLLBACK", "COMMIT"} {
			t.Run(fmt.Sprintf("%s/%d", query, at), func(t *testing.T) {
				st := openAudit(t, file(t))
				st.SetCareful(10) // so that the order is known
				members := []member{{fn: withNote("a")}, {fn: withNote("b")}}
				members = slices.Insert(members, at, member{fn: func(ctx context.Context, tx store.Tx) error {
					if err := withNote("lost")(ctx, tx); err != nil {
						return err
					}
					_, err := hostExec(ctx, tx, query)
					return err
				}})
				for i, err := range batch(t, st, members...) {
					if (err != nil) != (i == at) {
						t.Errorf("Update %d returns %v", i, err)
					}
				}
				wantTitles(t, st, "a", "b")
				wantNotes(t, st, "a", "b")
			})
		}
	}
}

// The host's SQL of a member that fails is undone also where members have no savepoints, and
// where it has not changed a row.
func TestHostSQLOfAMemberWithoutASavepointIsUndone(t *testing.T) {
	st := openAudit(t, file(t))
	errs := batch(t, st, member{fn: withNote("a")}, member{fn: func(ctx context.Context, tx store.Tx) error {
		if _, err := hostExec(ctx, tx, "CREATE TABLE undone (n INTEGER)"); err != nil {
			return err
		}
		return errors.New("on purpose")
	}}, member{fn: withNote("b")})
	if errs[0] != nil || errs[1] == nil || errs[2] != nil {
		t.Errorf("errors %v", errs)
	}
	wantSorted(t, st, "a", "b")
	if _, err := st.DB().Exec("SELECT * FROM undone"); err == nil {
		t.Error("a table of a member that failed is there")
	}
}

func TestHostSQLRefuses(t *testing.T) {
	st := openAudit(t, file(t))
	const trigger = "CREATE TRIGGER undo AFTER UPDATE ON audit BEGIN SELECT RAISE(ROLLBACK, 'no'); END"
	if _, err := st.DB().Exec(trigger); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"BEGIN", "BEGIN IMMEDIATE", "COMMIT", "END", "ROLLBACK", "/* now */ commit", "SAVEPOINT a", "RELEASE member", "ROLLBACK TO member",
		"ATTACH 'other.db' AS other", "DETACH main", "PRAGMA journal_mode=DELETE", "PRAGMA query_only=0", "PRAGMA user_version=1",
		"CREATE TEMP TABLE t (n)", "CREATE TEMP TRIGGER t AFTER INSERT ON pages BEGIN SELECT 1; END",
		"INSERT OR ROLLBACK INTO audit (note) VALUES ('x')", "UPDATE audit SET note = 'y'",
		"CREATE TABLE u (n INTEGER UNIQUE ON CONFLICT ROLLBACK); INSERT INTO u VALUES (1)",
		"INSERT INTO audit (note) VALUES ('x'); COMMIT", "", " -- nothing",
	} {
		err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
			if _, err := hostExec(ctx, tx, query); err == nil {
				t.Errorf("%q is run", query)
			}
			return withNote(query)(ctx, tx)
		})
		if err != nil {
			t.Errorf("after %q: %v", query, err)
		}
	}
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		conn, err := sqlite.ConnOf(tx)
		if err != nil {
			return err
		}
		if _, err := conn.BeginTx(ctx, nil); err == nil {
			t.Error("the host begins a transaction")
		}
		if _, err := conn.PrepareContext(ctx, "COMMIT"); err == nil {
			t.Error("COMMIT is prepared")
		}
		for _, args := range [][]any{nil, {1, 2}, {sql.Named("other", 1)}} {
			if _, err := conn.ExecContext(ctx, "DELETE FROM audit WHERE n = :n", args...); err == nil {
				t.Errorf("the arguments %v are taken for one parameter", args)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestHostSQLAfterTheTransaction(t *testing.T) {
	st := openAudit(t, file(t))
	var tx store.Tx
	var conn *sql.Conn
	var rows *sql.Rows
	err := st.View(t.Context(), func(ctx context.Context, inner store.Tx) (err error) {
		tx = inner
		if conn, err = sqlite.ConnOf(tx); err != nil {
			return err
		}
		rows, err = conn.QueryContext(ctx, "SELECT 1") // and not closed
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "SELECT 1"); err == nil {
		t.Error("a connection outlives its transaction")
	}
	if _, err := sqlite.ConnOf(tx); err == nil {
		t.Error("a transaction that is over has a connection")
	}
	rows.Close()
	if err := add(t.Context(), st, "a"); err != nil {
		t.Error(err)
	}
	err = memory.New().View(t.Context(), func(_ context.Context, tx store.Tx) error {
		if _, err := sqlite.ConnOf(tx); err == nil || !strings.Contains(err.Error(), "memory") {
			t.Errorf("the transaction of another store: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestHostSQLInAView(t *testing.T) {
	st := openAudit(t, file(t))
	if err := st.Update(t.Context(), withNote("a")); err != nil {
		t.Fatal(err)
	}
	reads := new(driver.ReadSet)
	err := st.View(driver.WithReadSet(t.Context(), reads), func(ctx context.Context, tx store.Tx) error {
		if _, err := pages.Get(tx, 1); err != nil {
			return err
		}
		if !reads.Complete() {
			t.Error("a View of the store's own is not recorded")
		}
		// A commit is not seen by the View that began before it.
		if err := st.Update(context.WithoutCancel(t.Context()), withNote("b")); err != nil {
			return err
		}
		conn, err := sqlite.ConnOf(tx)
		if err != nil {
			return err
		}
		var n int
		if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM audit").Scan(&n); err != nil || n != 1 {
			t.Errorf("the host sees %d rows, %v, want 1", n, err)
		}
		if _, err := conn.ExecContext(ctx, "DELETE FROM audit"); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("a write in a View: %v, want ErrReadOnly", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if reads.Complete() {
		t.Error("the host has read, and the read set is complete")
	}
	wantNotes(t, st, "a", "b")
}

// A write of the host invalidates reads of its table, and of no other table.
func TestHostSQLInvalidates(t *testing.T) {
	for _, c := range []struct {
		query string
		valid bool
	}{
		{"INSERT INTO audit (note) VALUES ('x')", true},
		{"SELECT count(*) FROM pages", true},
		{"INSERT INTO pages (title, title_fold) VALUES ('x', 'x')", false},
		{"INSERT INTO Pages (title, title_fold) VALUES ('x', 'x')", false},
		{"UPDATE pages SET title = 'x', title_fold = 'x'", false},
		{"WITH one AS (SELECT 1) DELETE FROM pages", false},
		{"INSERT INTO notes (n) VALUES (1)", false}, // by a trigger
		{"INSERT INTO shown (title) VALUES ('x')", false},
		{"ALTER TABLE pages ADD COLUMN own INTEGER", false},
		{"DROP TABLE pages", false},
	} {
		t.Run(c.query, func(t *testing.T) {
			path := file(t)
			st := openAudit(t, path)
			if err := st.Migrate(t.Context(), notes.Schema()); err != nil {
				t.Fatal(err)
			}
			const made = `CREATE TRIGGER made AFTER INSERT ON notes BEGIN INSERT INTO pages (title, title_fold) VALUES ('b', 'b'); END;
				CREATE VIEW shown AS SELECT title FROM pages;
				CREATE TRIGGER shows INSTEAD OF INSERT ON shown BEGIN INSERT INTO pages (title, title_fold) VALUES (new.title, new.title); END`
			if _, err := st.DB().Exec(made); err != nil {
				t.Fatal(err)
			}
			if err := add(t.Context(), st, "first"); err != nil {
				t.Fatal(err)
			}
			reads := readPages(t, st)
			if n, err := countPages(t, st); err != nil || n != 1 {
				t.Fatalf("%d pages, %v", n, err)
			}
			err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
				_, err := hostExec(ctx, tx, c.query)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if reads.Valid(t.Context()) != c.valid {
				t.Errorf("what was read before is valid: %v", reads.Valid(t.Context()))
			}
			var want int64
			_ = st.DB().QueryRow("SELECT count(*) FROM pages").Scan(&want) // none where it was dropped
			if n, _ := countPages(t, st); n != want {
				t.Errorf("%d pages are counted, there are %d", n, want)
			}
		})
	}
}

func countPages(t testing.TB, st store.Store) (n int64, err error) {
	err = st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		n, err = pages.Count(tx)
		return err
	})
	return n, err
}

// A statement is compiled again when the schema changes: a new trigger counts.
func TestHostSQLAfterTheSchemaChanged(t *testing.T) {
	st := openAudit(t, file(t))
	if err := add(t.Context(), st, "first"); err != nil {
		t.Fatal(err)
	}
	insert := func(n int) error {
		return st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
			_, err := hostExec(ctx, tx, "INSERT INTO audit (note) VALUES (?)", fmt.Sprint(n))
			return err
		})
	}
	if err := insert(1); err != nil {
		t.Fatal(err)
	}
	const made = "CREATE TRIGGER made AFTER INSERT ON audit BEGIN DELETE FROM pages; END"
	if _, err := st.DB().Exec(made); err != nil {
		t.Fatal(err)
	}
	reads := readPages(t, st)
	if err := insert(2); err != nil {
		t.Fatal(err)
	}
	if reads.Valid(t.Context()) {
		t.Error("a trigger has emptied a table, and what was read from it is valid")
	}
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		_, err := hostExec(ctx, tx, "CREATE TRIGGER stop BEFORE INSERT ON audit BEGIN SELECT RAISE(ROLLBACK, 'no'); END")
		if err != nil {
			return err
		}
		if _, err := hostExec(ctx, tx, "INSERT INTO audit (note) VALUES (?)", "3"); err == nil || !strings.Contains(err.Error(), "roll back") {
			t.Errorf("a statement that a new trigger would have roll back: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestHostSQLBesideRowsOfTheStore(t *testing.T) {
	st := openAudit(t, file(t))
	if err := add(t.Context(), st, "a", "b"); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		return pages.Each(tx, store.Query{}, func(p *page) error {
			conn, err := sqlite.ConnOf(tx)
			if err != nil {
				return err
			}
			var title string
			if err := conn.QueryRowContext(ctx, "SELECT title FROM pages WHERE page_id = ?", p.PageID).Scan(&title); err != nil || title != p.Title {
				t.Errorf("the host reads %q, %v", title, err)
			}
			if _, err := conn.ExecContext(ctx, "DELETE FROM audit"); err == nil {
				t.Error("the host writes while the store reads")
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// More statements than a connection caches.
func TestHostSQLOfManyTexts(t *testing.T) {
	st := openAudit(t, file(t))
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		for n := range 3 * sqlite.MaxHostStatements {
			if _, err := hostExec(ctx, tx, fmt.Sprintf("INSERT INTO audit (n) VALUES (%d)", n)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := st.DB().QueryRow("SELECT count(*) FROM audit").Scan(&n); err != nil || n != 3*sqlite.MaxHostStatements {
		t.Errorf("%d rows, %v", n, err)
	}
}
