package engine_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

func open(t *testing.T) *engine.Conn {
	t.Helper()
	c, err := engine.Open(filepath.Join(t.TempDir(), "test.db"), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func exec(t *testing.T, c *engine.Conn, sql string, args ...store.Value) {
	t.Helper()
	if err := c.Exec(sql, args...); err != nil {
		t.Fatal(err)
	}
}

func code(t *testing.T, err error) int {
	t.Helper()
	var e *engine.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v (%T) is no error of the engine", err, err)
	}
	return e.Code
}

func TestValuesComeBackAsTheyWere(t *testing.T) {
	c := open(t)
	exec(t, c, "CREATE TABLE t (a, b, c, d)")
	s, err := c.Prepare("INSERT INTO t VALUES (?, ?, ?, ?)")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Finalize()
	rows := [][]store.Value{
		{store.Null, store.Int(0), store.String(""), store.String("a")},
		{store.Int(math.MinInt64), store.Int(math.MaxInt64), store.String("Grüße 😀"), store.Null},
		{store.String("x"), store.String(strings.Repeat("y", 300_000)), store.String("z"), store.Int(-1)}, // more than the arena caches
		{store.String("x"), store.String("y\x00y"), store.String("z"), store.String("")},
	}
	for _, row := range rows {
		if err := s.Bind(row); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Step(); err != nil {
			t.Fatal(err)
		}
		s.Reset()
	}
	var got [][]store.Value
	err = c.Query("SELECT * FROM t ORDER BY rowid", nil, func(row []store.Value) error {
		got = append(got, append([]store.Value(nil), row...))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if c.Changes() != 1 || c.LastInsertRowID() != 4 {
		t.Errorf("changes %d, last row %d, want 1 and 4", c.Changes(), c.LastInsertRowID())
	}
}

func TestErrorsHaveTheExtendedCode(t *testing.T) {
	c := open(t)
	exec(t, c, "CREATE TABLE t (a INTEGER PRIMARY KEY, b UNIQUE)")
	exec(t, c, "INSERT INTO t VALUES (1, 2)")
	for _, test := range []struct {
		sql     string
		code    int
		message string
	}{
		{"INSERT INTO t VALUES (1, 3)", engine.ConstraintPrimaryKey, "UNIQUE constraint failed: t.a"},
		{"INSERT INTO t VALUES (2, 2)", engine.ConstraintUnique, "UNIQUE constraint failed: t.b"},
		{"SELECT", 1, "incomplete input"},
		{"SELECT x FROM missing", 1, "no such table: missing"},
	} {
		err := c.Exec(test.sql)
		if got := code(t, err); got != test.code || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: code %d, %v; want %d and %q", test.sql, got, err, test.code, test.message)
		}
	}
}

const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

func TestTheContextEndsARead(t *testing.T) {
	c := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	c.InterruptOn(ctx)
	defer c.NoInterrupt()
	cancel()
	if got := code(t, c.Exec(endless)); got != engine.Interrupt {
		t.Errorf("code %d, want %d", got, engine.Interrupt)
	}
	c.InterruptOn(t.Context())
	exec(t, c, "SELECT 1")
}

func TestTheContextDoesNotEndAWrite(t *testing.T) {
	c := open(t)
	exec(t, c, "CREATE TABLE t (a)")
	ctx, cancel := context.WithCancel(t.Context())
	c.InterruptOn(ctx)
	defer c.NoInterrupt()
	cancel()
	exec(t, c, "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000) SELECT i FROM n")
	if c.Changes() != 50000 {
		t.Errorf("%d rows, want 50000", c.Changes())
	}
}

func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	var conns [2]*engine.Conn
	for i := range conns {
		c, err := engine.Open(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		conns[i] = c
	}
	exec(t, conns[0], "BEGIN EXCLUSIVE")
	if got := code(t, conns[1].Exec("BEGIN IMMEDIATE")); got != engine.Busy {
		t.Errorf("code %d, want %d", got, engine.Busy)
	}
	if !conns[0].InTransaction() || conns[1].InTransaction() {
		t.Error("the first connection should be in a transaction, the second not")
	}
	exec(t, conns[0], "COMMIT")
	exec(t, conns[1], "BEGIN IMMEDIATE")
	exec(t, conns[1], "ROLLBACK")
}

func TestRowsAreReadWithoutAnAllocationForEachColumn(t *testing.T) {
	c := open(t)
	s, err := c.Prepare("SELECT 'a', 'bc', 3, NULL, 'def', ''")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Finalize()
	row := make([]store.Value, s.Columns())
	n := testing.AllocsPerRun(100, func() {
		if _, err := s.Step(); err != nil {
			t.Error(err)
		}
		s.Row(row)
		s.Reset()
	})
	if n > 1 {
		t.Errorf("%v allocations for a row, want 1: its texts", n)
	}
}
