package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// triedFile names, in the environment, the file that a child process tries to
// write. It prints the error.
const triedFile = "SHOPAPI_TEST_TRY"

func tryToWrite(path string) {
	st, err := sqlite.Open(context.Background(), path, &sqlite.Options{BusyTimeout: -1})
	if err == nil {
		err = add(context.Background(), st, "child")
	}
	fmt.Print(err)
}

// child returns the error that another process gets when it writes.
func child(t *testing.T, path string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), triedFile+"="+path)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// On most systems, closing a file drops the locks that the process has on it. The
// engine knows all its connections and prevents that, whichever library opened
// them.
func TestClosingConnectionsOfTheHostLeavesTheLocks(t *testing.T) {
	path := file(t)
	st := openPages(t, path, nil)
	for name, db := range map[string]*sql.DB{"Store.DB": st.DB(), "modernc.org/sqlite": host(t, path)} {
		db.SetMaxIdleConns(0) // each connection is closed at once
		err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
			if err := pages.Insert(tx, &page{Title: name}); err != nil {
				return err
			}
			for range 3 {
				if err := db.QueryRowContext(ctx, "SELECT count(*) FROM pages").Scan(new(int)); err != nil {
					return err
				}
			}
			if got := child(t, path); !strings.Contains(got, "locked") {
				t.Errorf("%s: another process writes during an Update: %s", name, got)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := child(t, path); got != "<nil>" {
		t.Errorf("another process cannot write after the Updates: %s", got)
	}
	if n := len(titles(t, st)); n != 3 {
		t.Errorf("%d pages, want 3", n)
	}
}

func TestDBTransactions(t *testing.T) {
	st := openAuditWith(t, file(t), &sqlite.Options{BusyTimeout: time.Hour})
	db := st.DB()
	if st.DB() != db {
		t.Error("DB returns another pool")
	}
	insert := func(tx *sql.Tx, note string) {
		t.Helper()
		if _, err := tx.Exec("INSERT INTO audit (note) VALUES (?)", note); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []struct {
		note string
		end  func(*sql.Tx) error
	}{{"committed", (*sql.Tx).Commit}, {"lost", (*sql.Tx).Rollback}} {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		insert(tx, end.note)
		if err := end.end(tx); err != nil {
			t.Fatal(err)
		}
	}
	wantNotes(t, st, "committed")

	reading, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reading.QueryRow("SELECT count(*) FROM audit").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows, %v", n, err)
	}
	if _, err := reading.Exec("DELETE FROM audit"); err == nil {
		t.Error("a read-only transaction writes")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := db.ExecContext(ctx, "INSERT INTO audit (note) VALUES ('beside')"); err != nil {
		t.Errorf("a write beside a read-only transaction that a write failed in: %v", err)
	}
	if err := reading.QueryRow("SELECT count(*) FROM audit").Scan(&n); err != nil || n != 1 {
		t.Errorf("a transaction sees %d rows, %v, want those of its snapshot", n, err)
	}
	if err := reading.Commit(); err != nil {
		t.Error(err)
	}
	if _, err := db.Exec("INSERT INTO audit (note) VALUES ('after')"); err != nil {
		t.Errorf("after a read-only transaction: %v", err)
	}
	wantNotes(t, st, "committed", "beside", "after")
}

// A connection whose transaction was never ended is not used again.
func TestDBDropsAConnectionInATransaction(t *testing.T) {
	st := openAudit(t, file(t))
	conn, err := st.DB().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE; INSERT INTO audit (note) VALUES ('lost')"); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if _, err := st.DB().Exec("INSERT INTO audit (note) VALUES ('committed')"); err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), st, "a"); err != nil {
		t.Fatal(err)
	}
	wantNotes(t, st, "committed")
}

func TestDBRunsScripts(t *testing.T) {
	st := openAudit(t, file(t))
	const script = `INSERT INTO audit (note) VALUES (?); -- one
		INSERT INTO audit (note, weight) VALUES (?, ?);
		INSERT INTO audit (note) VALUES ('c') -- three
	`
	if _, err := st.DB().Exec(script, "a", "b", 2); err != nil {
		t.Fatal(err)
	}
	wantNotes(t, st, "a", "b", "c")
	if _, err := st.DB().Exec("DELETE FROM audit; INSERT INTO missing VALUES (1)"); err == nil {
		t.Error("a script that fails succeeds")
	}
	if _, err := st.DB().Query("SELECT 1; SELECT 2"); err == nil {
		t.Error("a query of two statements succeeds")
	}
}

// The rows of one statement may be read while it runs again.
func TestDBReadsRowsOfOneStatementTwice(t *testing.T) {
	st := openAudit(t, file(t))
	if _, err := st.DB().Exec("INSERT INTO audit (note) VALUES ('a'), ('b')"); err != nil {
		t.Fatal(err)
	}
	tx, err := st.DB().Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	all, err := tx.Prepare("SELECT note FROM audit ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	outer, err := all.Query()
	if err != nil {
		t.Fatal(err)
	}
	defer outer.Close()
	for outer.Next() {
		var a, b string
		inner, err := all.Query()
		if err != nil {
			t.Fatal(err)
		}
		for outer.Scan(&a); inner.Next(); got += a + b + " " {
			inner.Scan(&b)
		}
		if err := inner.Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := outer.Err(); err != nil || got != "aa ab ba bb " {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestDBEndsWithTheContext(t *testing.T) {
	st := openAudit(t, file(t))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	const forEver = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
	if err := st.DB().QueryRowContext(ctx, forEver).Scan(new(int)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a read that never ends: %v, want DeadlineExceeded", err)
	}
	if err := add(t.Context(), st, "a"); err != nil {
		t.Error(err)
	}
}

// A statement outside a transaction stops when its context ends, and changes nothing.
func TestDBStopsAWriteWithTheContext(t *testing.T) {
	st := openAudit(t, file(t))
	if _, err := st.DB().ExecContext(t.Context(), "CREATE TABLE numbers (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := st.DB().ExecContext(ctx, "INSERT INTO numbers WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c WHERE n % 1000 = 0")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a write without an end: %v, want the context's error", err)
	}
	var rows int
	if err := st.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM numbers").Scan(&rows); err != nil || rows != 0 {
		t.Errorf("it leaves %d rows: %v", rows, err)
	}
}

func TestDBClosesWithTheStore(t *testing.T) {
	st := openAudit(t, file(t))
	db := st.DB()
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(); err == nil {
		t.Error("the pool is open after the store is closed")
	}
	unused := openPages(t, file(t), nil)
	if err := unused.Close(); err != nil {
		t.Fatal(err)
	}
	if err := unused.DB().Ping(); err == nil {
		t.Error("a closed store opens a pool")
	}
}

func TestDBWritesBesideUpdates(t *testing.T) {
	st := openAuditWith(t, file(t), &sqlite.Options{BusyTimeout: time.Hour}) // eight commits may take more than 5 s on a busy disk
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 20 {
				if _, err := st.DB().Exec("INSERT INTO audit (note) VALUES (?)", fmt.Sprint("db", g, i)); err != nil {
					t.Error(err)
				}
				if err := st.Update(t.Context(), withNote(fmt.Sprint(g, i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(auditNotes(t, st)); n != 160 {
		t.Errorf("%d rows, want 160", n)
	}
	if n := len(titles(t, st)); n != 80 {
		t.Errorf("%d pages, want 80", n)
	}
}

// The write-ahead log does not grow where only the host writes.
func TestDBCheckpoints(t *testing.T) {
	path := file(t)
	st := openAudit(t, path)
	for range 30 {
		if _, err := st.DB().Exec("INSERT INTO audit (data) SELECT zeroblob(1000000)"); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if size := log.Size(); size > 12_000_000 {
		t.Errorf("the write-ahead log has %d bytes after 30 commits of a megabyte", size)
	}
}
