//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A cluster is a primary and its standbys, and a store over them.
type cluster struct {
	*testing.T
	primary  *pgtest.Server
	standbys []*pgtest.Server
	*postgres.Store
	shop *apitest.Shop // over the store
}

func startCluster(t *testing.T, standbys int) *cluster {
	t.Helper()
	c := &cluster{T: t, primary: pgtest.Start(t, pgtest.Options{})}
	var o postgres.Options
	for range standbys {
		standby := pgtest.Start(t, pgtest.Options{StandbyOf: c.primary})
		c.standbys = append(c.standbys, standby)
		o.Replicas = append(o.Replicas, standby.DSN())
	}
	st, err := postgres.OpenWith(t.Context(), c.primary.DSN(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Migrate(t.Context(), notes.Schema()); err != nil {
		t.Fatal(err)
	}
	c.Store, c.shop = st, apitest.NewWithStore(t, st, nil)
	return c
}

// run runs a part of the test.
func (c *cluster) run(name string, part func(c *cluster)) {
	c.Run(name, func(t *testing.T) {
		inner := *c
		inner.T = t
		part(&inner)
	})
}

// serve waits until so many replicas are in service.
func (c *cluster) serve(replicas int) {
	c.Helper()
	until(c, fmt.Sprintf("service by %d replicas", replicas), func() bool {
		_, _ = c.notes()
		n := 0
		for _, r := range c.Replicas() {
			if r.InService {
				n++
			}
		}
		return n == replicas
	})
}

// views is how many Views read on replicas.
func (c *cluster) views() (n int64) {
	for _, r := range c.Replicas() {
		n += r.Views
	}
	return n
}

// readOnReplicas reads until so many Views have read on replicas.
func (c *cluster) readOnReplicas(views int64) {
	c.Helper()
	until(c, "a read on a replica", func() bool { _, _ = c.notes(); return c.views() >= views })
}

// notes reads all notes as a request does.
func (c *cluster) notes() (list []string, err error) {
	for read := driver.OnReplicas(driver.AskOnce(c.Context())); read.Next(); {
		list, err = texts(read.Context(), c.Store)
	}
	return list, err
}

// exact reads after each of some changes and compares.
func (c *cluster) exact(changes int) {
	c.Helper()
	for range changes {
		if err := add(c.Context(), c.Store, "more"); err != nil {
			c.Fatal(err)
		}
		want, err := texts(c.Context(), c.Store)
		if err != nil {
			c.Fatal(err)
		}
		if got, err := c.notes(); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			c.Fatalf("a read shows %d notes, %v, want %d", len(got), err, len(want))
		}
	}
}

// set changes a setting of a standby, which may cancel a statement while it replays changes.
func (c *cluster) set(standby int, name, value string) {
	c.Helper()
	conn := session(c, c.standbys[standby].DSN())
	for _, sql := range []string{"ALTER SYSTEM SET " + name + " = '" + value + "'", "SELECT pg_reload_conf()"} {
		until(c, sql, func() bool { _, err := conn.Exec(c.Context(), sql); return err == nil })
	}
}

func TestE11_Replicas(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 2)
	c.run("lost during a View", (*cluster).testLost)
	c.run("under load", (*cluster).testLoad)
	c.run("left out", (*cluster).testLeftOut)
	c.run("without a primary", (*cluster).testNoPrimary)
}

// Reads that follow a change show it, on replicas or not, while a replica hangs, is delayed,
// is gone or is promoted. It is left out meanwhile, and taken in again.
func (c *cluster) testLeftOut() {
	c.serve(2)
	before := c.views()
	c.exact(30)
	c.readOnReplicas(before + 20)
	before = c.views()
	if _, err := texts(c.Context(), c.Store); err != nil || c.views() != before {
		c.Errorf("a View that is no request's read on a replica, %v", err)
	}
	if err := c.View(c.Context(), func(_ context.Context, tx store.Tx) error {
		store.ReadAhead(tx, func() { c.Error("a View that may read on replicas reads ahead") })
		return nil
	}); err != nil {
		c.Error(err)
	}

	c.standbys[0].Signal(c, syscall.SIGSTOP)
	resume := sync.OnceFunc(func() { c.standbys[0].Signal(c, syscall.SIGCONT) })
	defer resume()
	c.exact(10)
	c.serve(1)
	resume()
	c.serve(2)

	c.set(0, "recovery_min_apply_delay", "10min")
	c.exact(10)
	c.serve(1)
	before = c.views()
	c.exact(10)
	c.readOnReplicas(before + 1) // the other one
	c.set(0, "recovery_min_apply_delay", "0")
	c.serve(2)

	c.standbys[0].RestartImmediately(c)
	c.exact(10)
	c.serve(2)

	c.standbys[1].Promote(c)
	exec(c, c.standbys[1].DSN(), "INSERT INTO notes (text) VALUES ('of another timeline')")
	c.exact(10)
	c.serve(1)
}

// A View that loses its replica between two reads goes on on the primary; if what it has
// read has changed, the request reads again.
func (c *cluster) testLost() {
	c.serve(2)
	kill := func() { // and wait until the sessions have ended
		for _, s := range c.standbys {
			exec(c, s.DSN(), "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'")
		}
	}
	primary := session(c, c.primary.DSN())
	insert := func() { exec(c, c.primary.DSN(), "INSERT INTO notes (text) VALUES ('x')") }
	for _, test := range []struct {
		name    string
		between func(ctx context.Context, tx store.Tx) error
		runs    int
	}{
		{"nothing", nil, 1},
		{"the end of its session", func(context.Context, store.Tx) error { kill(); return nil }, 1},
		{"the end of its session and a change", func(context.Context, store.Tx) error { kill(); insert(); return nil }, 2},
		{"a conflict with replay", func(context.Context, store.Tx) error {
			for i := range c.standbys {
				c.set(i, "max_standby_streaming_delay", "0")
			}
			exec(c, c.primary.DSN(), "TRUNCATE notes")
			for _, s := range c.standbys {
				until(c, "replay", func() bool {
					var n int
					err := session(c, s.DSN()).QueryRow(c.Context(), "SELECT count(*) FROM notes").Scan(&n)
					return err == nil && n == 0
				})
			}
			for i := range c.standbys {
				c.set(i, "max_standby_streaming_delay", "30s")
			}
			return nil
		}, 2},
		{"SQL of the host", func(ctx context.Context, tx store.Tx) error {
			own, err := postgres.TxOf(tx)
			if err != nil {
				return err
			}
			var standby bool
			if err := own.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&standby); err != nil || standby {
				c.Errorf("SQL of the host is run on a replica: %v, %v", standby, err)
			}
			return nil
		}, 1},
	} {
		insert()
		var first, second int64
		runs := 0
		until(c, "a View on a replica", func() bool {
			done, before := false, c.views()
			runs = 0
			var err error
			for read := driver.OnReplicas(driver.AskOnce(c.Context())); read.Next(); {
				err = c.View(read.Context(), func(ctx context.Context, tx store.Tx) (err error) {
					runs++
					if first, err = notes.Count(tx); err != nil {
						return err
					}
					if runs == 1 && c.views() > before && !c.readsOnPrimary(primary) {
						done = true
						if test.between != nil {
							err = test.between(ctx, tx)
						}
						if err != nil {
							return err
						}
					}
					second, err = notes.Count(tx)
					return err
				})
			}
			if err != nil {
				c.Errorf("after %s: %v", test.name, err)
			}
			return done
		})
		if first != second || runs != test.runs {
			c.Errorf("after %s the View counts %d and then %d; it ran %d times, want %d", test.name, first, second, runs, test.runs)
		}
		want, err := texts(c.Context(), c.Store)
		if err != nil || int(second) != len(want) {
			c.Errorf("after %s the View counts %d notes of %d, %v", test.name, second, len(want), err)
		}
	}
}

// readsOnPrimary reports whether an open transaction has read the notes on the primary. A View
// that has lost its replica has one, and for a moment a View that has ended.
func (c *cluster) readsOnPrimary(primary *pgx.Conn) (reads bool) {
	const sql = "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'notes'::regclass AND pid <> pg_backend_pid())"
	if err := primary.QueryRow(c.Context(), sql).Scan(&reads); err != nil {
		c.Fatal(err)
	}
	return reads
}

// No response shows less than the changes saved when its request began, nor more than the
// changes sent when it ended.
func (c *cluster) testLoad() {
	c.serve(2)
	var sent, saved, compared atomic.Int64
	ctx, cancel := context.WithTimeout(c.Context(), 1500*time.Millisecond)
	defer cancel()
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for ctx.Err() == nil {
				n := sent.Add(1)
				if a := c.shop.Post("/api/2.0/categories", fmt.Sprintf(`{"category": "c%d"}`, n)); a.Status != http.StatusCreated {
					c.Errorf("POST: %d %s", a.Status, a.Body)
				}
				saved.Add(1)
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	for i := range 4 {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				least := saved.Load()
				var list []struct{}
				a := c.shop.Get(fmt.Sprintf("/api/2.0/categories?again=%d", (i+n)%7))
				a.Decode(&list)
				if most, n := sent.Load(), int64(len(list)); a.Status != http.StatusOK || n < least || n > most {
					c.Errorf("%d with %d categories, want %d to %d", a.Status, n, least, most)
				}
				compared.Add(1)
			}
		})
	}
	all.Wait()
	c.readOnReplicas(1)
	c.Logf("%d responses compared, %d Views on replicas, %d writes", compared.Load(), c.views(), saved.Load())
}

// Without a primary nothing is answered, whatever replicas show.
func (c *cluster) testNoPrimary() {
	c.serve(1)
	if a := c.shop.Get("/api/2.0/categories"); a.Status != http.StatusOK {
		c.Fatalf("%d %s", a.Status, a.Body)
	}
	c.primary.Signal(c, syscall.SIGKILL)
	for _, query := range []string{"", "?again=new"} {
		if a := c.shop.Get("/api/2.0/categories" + query); a.Status != http.StatusServiceUnavailable {
			c.Errorf("without a primary: %d, want 503", a.Status)
		}
	}
}

// Mistakes in the options are refused, without the passwords of DSNs.
func TestReplicasRefused(t *testing.T) {
	dsn := pgtest.DSN(t)
	for _, o := range []postgres.Options{
		{Replicas: []string{"postgres://u:hunter2@127.0.0.1:none/x"}},
		{Replicas: []string{"host=127.0.0.1 password=hunter2 port=none"}},
		{Replicas: []string{dsn}, NoCache: true},
	} {
		st, err := postgres.OpenWith(t.Context(), dsn, o)
		if err == nil {
			_ = st.Close()
			t.Errorf("%d replicas, NoCache %v: no error", len(o.Replicas), o.NoCache)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error has the password: %v", err)
		}
	}
	st, err := postgres.OpenWith(t.Context(), dsn, postgres.Options{Replicas: []string{"postgres://u:hunter2@127.0.0.1:1/x"}})
	if err != nil {
		t.Fatalf("a replica that cannot be reached: %v", err)
	}
	if address := st.Replicas()[0].Address; address != "127.0.0.1:1" {
		t.Errorf("the replica is %q", address)
	}
	if err := errors.Join(st.Migrate(t.Context(), notes.Schema()), add(t.Context(), st, "a"), st.Close()); err != nil {
		t.Error(err)
	}
}
