package main

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
)

// TestMain makes the test binary the other process of an episode, as main does.
func TestMain(m *testing.M) {
	if path := os.Getenv(otherFile); path != "" {
		os.Exit(otherProcess(path, os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestRun: cached responses equal the responses of a shop that has just been opened. The seed
// is fixed, so that the test finds today what it found yesterday; campaigns take others.
func TestRun(t *testing.T) {
	t.Parallel()
	c := campaign{compare: 6_000, seed: 1, parallel: 2, out: io.Discard}
	figures, err := c.run(t.Context())
	if err != nil {
		t.Fatalf("%v: %v", figures, err)
	}
	t.Log(figures)
	if figures.comparisons != c.compare || figures.cached < c.compare/4 || figures.found < c.compare/2 {
		t.Errorf("%v: want at least a quarter from the cache, and half with status 200", figures)
	}
	for _, kind := range []string{"requests", "batch", "Go", "SQL in a transaction", "SQL beside", "other process", "rolled back", "clock"} {
		if figures.changes[kind] == 0 {
			t.Errorf("there was no change of the kind %q", kind)
		}
	}
}

// TestRun_PostgreSQL is TestRun over PostgreSQL, with another process and foreign SQL, for
// fewer responses: opening a shop there takes longer.
func TestRun_PostgreSQL(t *testing.T) {
	t.Parallel()
	c := campaign{compare: 300, seed: 1, store: "postgres", dsn: pgtest.DSN(t), edition: "vendors", parallel: 1, out: io.Discard}
	figures, err := c.run(t.Context())
	if err != nil {
		t.Fatalf("%v: %v", figures, err)
	}
	t.Log(figures)
	if figures.comparisons != c.compare || figures.cached < c.compare/4 || figures.found < c.compare/3 {
		t.Errorf("%v: want at least a quarter from the cache, and a third with status 200", figures)
	}
}

// A forgetful store has a defect: read sets do not see the changes of a table.
type forgetful struct {
	*sqlite.Store
	table string
	rows  bool // only the changes that the log has
}

func (s *forgetful) View(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	for _, st := range []store.Store{s, s.Store} { // s.Store has the changes
		if joined, err := driver.Join(ctx, st, false, fn); joined {
			return err
		}
	}
	reads := driver.ReadSetOf(ctx)
	return s.Store.View(driver.WithReadSet(ctx, nil), func(ctx context.Context, tx store.Tx) error {
		ctx, session := driver.NewSession(driver.WithReadSet(ctx, reads), s, tx, false)
		return fn(ctx, session.Tx())
	})
}

func (s *forgetful) ShortView(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	return s.View(ctx, fn)
}

func (s *forgetful) Unchanged(since uint64, reads []*driver.Read) bool {
	if !s.rows {
		reads = s.others(reads)
	}
	return s.Store.Unchanged(since, reads)
}

func (s *forgetful) Unaffected(since uint64, reads []*driver.Read) (uint64, bool) {
	return s.Store.Unaffected(since, s.others(reads))
}

// others returns the reads of other tables than the forgotten one.
func (s *forgetful) others(reads []*driver.Read) []*driver.Read {
	return slices.DeleteFunc(slices.Clone(reads), func(read *driver.Read) bool { return read.Schema.Name == s.table })
}

// TestRun_Notices: the campaign fails where a cached response survives a change that it
// depends on, and says how to repeat the episode.
func TestRun_Notices(t *testing.T) {
	for _, defect := range []forgetful{{table: "users"}, {table: "categories", rows: true}} {
		t.Run(defect.table, func(t *testing.T) {
			t.Parallel()
			c := campaign{compare: 20_000, seed: 1, store: "sqlite", entities: []string{defect.table}, parallel: 1, out: io.Discard}
			c.wrap = func(st store.Store) store.Store { return &forgetful{st.(*sqlite.Store), defect.table, defect.rows} }
			figures, err := c.run(t.Context())
			if err == nil || !strings.Contains(err.Error(), "differs") || !strings.Contains(err.Error(), "-seed") {
				t.Errorf("%v found %v, want a difference, and how to repeat it", figures, err)
			}
			t.Log(figures)
		})
	}
}

// The same wrapper without a defect makes no difference: what the campaign notices is the
// defect.
func TestRun_NoticesNothingElse(t *testing.T) {
	t.Parallel()
	c := campaign{compare: 1_000, seed: 1, store: "sqlite", parallel: 1, out: io.Discard}
	c.wrap = func(st store.Store) store.Store { return &forgetful{st.(*sqlite.Store), "", false} }
	if figures, err := c.run(t.Context()); err != nil || figures.cached < c.compare/4 {
		t.Errorf("%v, and %v: want no difference, and at least a quarter from the cache", figures, err)
	}
}

func TestRun_RefusesBadFlags(t *testing.T) {
	for _, args := range []string{"-compare 0", "-edition all", "-store mysql", "-p 0", "now", "-entities none"} {
		if err := run(t.Context(), strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%s was accepted", args)
		}
	}
}
