//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// warm has the store hold several connections, idle ones and one of a View.
func warm(t testing.TB, st store.Store) {
	t.Helper()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := texts(t.Context(), st); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// A route leads to a server: straight, or through PgBouncer.
type route struct {
	name string
	to   func(t testing.TB, h pgtest.Host) pgtest.Host
}

var routes = []route{
	{"straight", func(_ testing.TB, h pgtest.Host) pgtest.Host { return h }},
	{"PgBouncer", func(t testing.TB, h pgtest.Host) pgtest.Host { return pgtest.StartPgBouncer(t, h) }},
}

// onEachRoute runs a test for each route, on a server without tables.
func onEachRoute(t *testing.T, run func(t *testing.T, s *pgtest.Server, h pgtest.Host)) {
	s := pgtest.Start(t, pgtest.Options{})
	for _, r := range routes {
		t.Run(r.name, func(t *testing.T) { run(t, s, r.to(t, s)) })
		exec(t, s.DSN(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	}
}

// terminateOthers waits until the sessions have ended.
const terminateOthers = "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"

func TestLostConnectionsAreReplaced(t *testing.T) {
	t.Parallel()
	onEachRoute(t, func(t *testing.T, s *pgtest.Server, h pgtest.Host) {
		st := openNotes(t, h.DSN())
		for i := range 5 {
			warm(t, st)
			exec(t, s.DSN(), terminateOthers)
			if i%2 == 0 {
				if _, err := texts(t.Context(), st); err != nil {
					t.Errorf("a View after all connections were ended: %v", err)
				}
				warm(t, st)
				exec(t, s.DSN(), terminateOthers)
			}
			if err := add(t.Context(), st, fmt.Sprint(i)); err != nil {
				t.Errorf("an Update after all connections were ended: %v", err)
			}
		}
		wantTexts(t, st, "0", "1", "2", "3", "4")
	})
}

func TestAnUpdateThatLosesItsConnectionRunsAgain(t *testing.T) {
	t.Parallel()
	onEachRoute(t, func(t *testing.T, s *pgtest.Server, h pgtest.Host) {
		st := openNotes(t, h.DSN())
		runs := 0
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			if err := notes.Insert(tx, &note{Text: "once"}); err != nil {
				return err
			}
			if runs++; runs == 1 {
				exec(t, s.DSN(), terminateOthers)
			}
			_, err := notes.Count(tx)
			return err
		})
		if err != nil || runs != 2 {
			t.Errorf("the Update ran %d times and returned %v, want 2 and nil", runs, err)
		}
		wantTexts(t, st, "once")
	})
}

func TestAViewThatLosesItsConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	onEachRoute(t, func(t *testing.T, s *pgtest.Server, h pgtest.Host) {
		st := openNotes(t, h.DSN())
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
			if _, err := notes.Count(tx); err != nil {
				return err
			}
			exec(t, s.DSN(), terminateOthers)
			_, err := notes.Count(tx)
			return err
		})
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("got %v, want ErrUnavailable", err)
		}
		wantTexts(t, st)
	})
}

// The outcome of a COMMIT whose response is lost is unknown: the store says so,
// whether it was carried out or not, and does not run the function again.
func TestACommitWithoutAnAnswerIsOutcomeUnknown(t *testing.T) {
	t.Parallel()
	onEachRoute(t, func(t *testing.T, s *pgtest.Server, h pgtest.Host) {
		for _, c := range []struct {
			name string
			halt func(*proxy)
			want []string
		}{
			{"carried out", (*proxy).holdResponses, []string{"x"}},
			{"never arrived", (*proxy).hang, nil},
		} {
			for _, end := range []string{"cut", "time limit"} {
				t.Run(c.name+"/"+end, func(t *testing.T) {
					p := newProxy(t, h)
					st := openNotes(t, p.dsn())
					exec(t, s.DSN(), "DELETE FROM notes")
					ctx := t.Context()
					if end == "time limit" {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, 500*time.Millisecond)
						defer cancel()
					}
					runs := 0
					err := st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
						runs++
						store.AfterCommit(ctx, func() { t.Error("a hook runs, though a commit is not known") })
						if err := notes.Insert(tx, &note{Text: "x"}); err != nil {
							return err
						}
						c.halt(p)
						if end == "cut" {
							time.AfterFunc(300*time.Millisecond, p.cut)
						}
						return nil
					})
					if !errors.Is(err, store.ErrOutcomeUnknown) || !errors.Is(err, store.ErrUnavailable) || runs != 1 {
						t.Errorf("the Update ran %d times and returned %v, want once and ErrOutcomeUnknown", runs, err)
					}
					p.cut() // data that the proxy delays never arrives
					p.resume()
					wantTexts(t, st, c.want...)
				})
			}
		}
	})
}

func TestAHangingServerEndsWithTheContext(t *testing.T) {
	t.Parallel()
	onEachRoute(t, func(t *testing.T, _ *pgtest.Server, h pgtest.Host) {
		p := newProxy(t, h)
		st := openNotes(t, p.dsn())
		if err := add(t.Context(), st, "before"); err != nil {
			t.Fatal(err)
		}
		p.hang()
		for range 3 { // the first on a connection that was good, later ones on new ones
			for name, run := range map[string]func(context.Context) error{
				"View":   func(ctx context.Context) error { _, err := texts(ctx, st); return err },
				"Update": func(ctx context.Context) error { return add(ctx, st, "lost") },
			} {
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				if err := run(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s of a server that hangs: %v, want the context's error", name, err)
				}
				cancel()
			}
		}
		p.resume()
		if err := add(t.Context(), st, "after"); err != nil {
			t.Error(err)
		}
		wantTexts(t, st, "before", "after")
	})
}

func TestNobodyListensIsUnavailable(t *testing.T) {
	t.Parallel()
	onEachRoute(t, func(t *testing.T, _ *pgtest.Server, h pgtest.Host) {
		p := newProxy(t, h)
		st := openNotes(t, p.dsn())
		p.listener.Close()
		p.cut()
		if _, err := texts(t.Context(), st); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("View: %v, want ErrUnavailable", err)
		}
		if err := add(t.Context(), st, "x"); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrOutcomeUnknown) {
			t.Errorf("Update: %v, want ErrUnavailable", err)
		}
		if _, err := postgres.Open(t.Context(), p.dsn()); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("Open: %v, want ErrUnavailable", err)
		}
	})
}

// A transaction that always meets another one gives up when its time is over.
func TestRetriesEndWithTheContext(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	st := openNotes(t, dsn)
	if err := add(t.Context(), st, "a"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	runs := 0
	err := st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		runs++
		n, err := notes.Get(tx, 1)
		if err != nil {
			return err
		}
		exec(t, dsn, "UPDATE notes SET text = text || 'b'")
		n.Text += "c"
		return notes.Update(tx, &n)
	})
	if !errors.Is(err, context.DeadlineExceeded) || runs < 2 {
		t.Errorf("the Update ran %d times and returned %v, want more than one and the context's error", runs, err)
	}
}

func TestAStandbyIsUnavailableToUpdates(t *testing.T) {
	t.Parallel()
	primary := pgtest.Start(t, pgtest.Options{})
	openNotes(t, primary.DSN())
	standby := pgtest.Start(t, pgtest.Options{StandbyOf: primary})
	st := open(t, standby.DSN())
	if err := add(t.Context(), st, "x"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("an Update on a standby: %v, want ErrUnavailable", err)
	}
	wantTexts(t, st) // reads are served

	both := open(t, pgtest.PairDSN(standby, primary))
	if err := add(t.Context(), both, "x"); err != nil {
		t.Errorf("an Update with target_session_attrs=read-write: %v", err)
	}
}
