package engine_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// A joiningConn is a connection that joins frames, with the statements that commit.
type joiningConn struct {
	*engine.Conn
	commit *engine.Stmt
}

func openJoining(t *testing.T, path string) *joiningConn {
	t.Helper()
	c, err := engine.Open(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, c, "PRAGMA page_size = 2048")
	exec(t, c, "PRAGMA journal_mode = WAL")
	exec(t, c, "PRAGMA synchronous = FULL")
	c.JoinFrames()
	c.JoinFrames() // changes nothing
	j := &joiningConn{c, nil}
	if j.commit, err = c.Prepare("COMMIT"); err != nil {
		t.Fatal(err)
	}
	return j
}

func (j *joiningConn) close(t *testing.T) {
	t.Helper()
	j.commit.Finalize()
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

// change runs statements in a transaction.
func (j *joiningConn) change(t *testing.T, statements ...string) {
	t.Helper()
	exec(t, j.Conn, "BEGIN IMMEDIATE")
	for _, sql := range statements {
		exec(t, j.Conn, sql)
	}
	if err := j.Commit(j.commit); err != nil {
		t.Fatal(err)
	}
}

const (
	rowsOfJoined = 300
	createJoined = "CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, n INTEGER, pad TEXT)"
	fillJoined   = "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c WHERE x < 300) INSERT INTO t SELECT x, 0, hex(zeroblob(900)) FROM c"
)

// wantJoined asks a connection of its own: all rows have the number, and nothing is damaged.
func wantJoined(t *testing.T, path string, n int) {
	t.Helper()
	c, err := engine.Open(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	err = c.Query("SELECT count(*), min(n), max(n), (SELECT group_concat(integrity_check) FROM pragma_integrity_check) FROM t", nil, func(row []store.Value) error {
		if row[0].Int() != rowsOfJoined || row[1].Int() != int64(n) || row[2].Int() != int64(n) || row[3].Text() != "ok" {
			t.Errorf("%d rows from %d to %d, %s; want %d of %d", row[0].Int(), row[1].Int(), row[2].Int(), row[3].Text(), rowsOfJoined, n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever happens to the WAL between commits, and whether the pages of a transaction fit the
// cache, other connections see each commit, and nothing of a transaction that is rolled back.
func TestCommitsAreReadWhateverHappensToTheWAL(t *testing.T) {
	for _, pragma := range []string{"cache_size = 1000", "cache_size = 10", "auto_vacuum = FULL", "synchronous = OFF"} {
		t.Run(pragma, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "test.db")
			if strings.HasPrefix(pragma, "auto_vacuum") { // which a file takes before its first table
				c, err := engine.Open(path, 0)
				if err != nil {
					t.Fatal(err)
				}
				exec(t, c, "PRAGMA "+pragma)
				exec(t, c, "CREATE TABLE other (n)")
				if err := c.Close(); err != nil {
					t.Fatal(err)
				}
			}
			j := openJoining(t, path)
			defer func() { j.close(t) }()
			exec(t, j.Conn, "PRAGMA "+pragma)
			j.change(t, createJoined, fillJoined)
			for n, between := range []string{
				"",
				"PRAGMA wal_checkpoint(PASSIVE)",
				"PRAGMA wal_checkpoint(RESTART)",
				"PRAGMA wal_checkpoint(TRUNCATE)",
				"VACUUM",
				"PRAGMA cache_size = 10",
				"PRAGMA incremental_vacuum",
				"PRAGMA locking_mode = EXCLUSIVE",
				"PRAGMA locking_mode = NORMAL",
				"PRAGMA journal_mode = DELETE", // closes the WAL
				"PRAGMA journal_mode = WAL",    // opens another file
				"reopen",
				"PRAGMA journal_mode = DELETE",
			} {
				n++
				set := fmt.Sprint("UPDATE t SET n = ", n)
				switch between {
				case "":
				case "reopen":
					j.close(t)
					j = openJoining(t, path)
				default:
					exec(t, j.Conn, between)
				}
				// Two thirds of the rows are written, removed and written again.
				j.change(t, set, "SAVEPOINT s", "DELETE FROM t WHERE k % 3 > 0", "UPDATE t SET n = -1, pad = 'short'", "ROLLBACK TO s", set, "RELEASE s",
					"DELETE FROM t WHERE k > 200", "INSERT INTO t SELECT k + 200, n, pad FROM t WHERE k <= 100", set)
				if between != "PRAGMA locking_mode = EXCLUSIVE" {
					wantJoined(t, path, n)
				}
				exec(t, j.Conn, "BEGIN IMMEDIATE")
				exec(t, j.Conn, "UPDATE t SET n = -2")
				exec(t, j.Conn, "ROLLBACK")
				j.change(t)          // writes nothing
				exec(t, j.Conn, set) // commits by itself
				if between != "PRAGMA locking_mode = EXCLUSIVE" {
					wantJoined(t, path, n)
				}
			}
		})
	}
}

// The commits of two connections follow one another in one WAL, also where the other one has begun it
// anew.
func TestCommitsOfTwoJoiningConnections(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	first, second := openJoining(t, path), openJoining(t, path)
	first.change(t, createJoined, fillJoined)
	for n := range 40 {
		set := fmt.Sprint("UPDATE t SET n = ", n)
		first.change(t, set)
		wantJoined(t, path, n)
		if n%3 == 0 {
			exec(t, second.Conn, "PRAGMA wal_checkpoint("+[]string{"PASSIVE", "RESTART", "TRUNCATE"}[n%9/3]+")")
		}
		second.change(t, "UPDATE t SET n = -1 WHERE k < 40", set)
		wantJoined(t, path, n)
	}
	first.close(t)
	second.change(t, "UPDATE t SET n = 50")
	second.close(t)
	wantJoined(t, path, 50)
}
