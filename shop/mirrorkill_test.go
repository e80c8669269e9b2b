//go:build unix

package shop_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A disturbance kills a part of a shop, and starts it again.
type disturbance func(p *processes)

// killOne and killBoth kill processes of a shop.
func killOne(p *processes) { p.restart(rand.IntN(len(p.list))) }

func killBoth(p *processes) {
	for _, one := range p.list {
		one.kill()
	}
	for _, one := range p.list {
		p.start(one)
	}
}

// TestE4_MirrorWithKills: two processes serve a shop, and are killed at random moments while writers
// change it. The changes that readers of each kind receive, each from the position that it stored,
// make the shop. SHOPAPI_MIRROR_KILLS is the number of kills; with it there are 64 writers, and
// PostgreSQL too, which is restarted, and is reached through PgBouncer, which is killed.
func TestE4_MirrorWithKills(t *testing.T) {
	t.Parallel()
	kills, writers := 2, 8
	if text := os.Getenv("SHOPAPI_MIRROR_KILLS"); text != "" {
		if _, err := fmt.Sscan(text, &kills); err != nil {
			t.Fatal(err)
		}
		writers = 64
	}
	t.Run("sqlite", func(t *testing.T) {
		mirrorWithKills(t, filepath.Join(t.TempDir(), "shop.db"), writers, kills, killOne, killOne, killBoth)
	})
	if writers < 64 {
		return
	}
	t.Run("postgres", func(t *testing.T) {
		server := pgtest.Start(t, pgtest.Options{})
		restart := func(*processes) { server.RestartImmediately(t) }
		mirrorWithKills(t, server.DSNWith("pool_max_conns=8"), writers, kills, killOne, killBoth, restart)
	})
	t.Run("pgbouncer", func(t *testing.T) {
		server := pgtest.Start(t, pgtest.Options{})
		bouncer := pgtest.StartPgBouncer(t, server)
		restart := func(*processes) { server.RestartImmediately(t) }
		killBouncer := func(*processes) { bouncer.Kill(t); bouncer.Restart(t) }
		mirrorWithKills(t, bouncer.DSNWith("pool_max_conns=8"), writers, kills, killOne, restart, killBouncer)
	})
}

func mirrorWithKills(t *testing.T, database string, writers, kills int, disturbances ...disturbance) {
	st, err := openDatabase(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s := mirroredShop(t, st, shopapi.MultiVendor)
	clerk, vendor := s.User("view_catalog"), s.UserOf(2, "view_catalog", "view_orders")
	p := startProcesses(t, database)
	m := &mirrors{
		t: t, root: &apitest.Client{T: t, Handler: p, Email: apitest.RootEmail, Key: s.Key},
		address: p.address, breaks: true, known: &ids{of: map[string][]string{"categories": {"1"}}},
	}
	m.followAsRoot().follow("a clerk", m.root.As(clerk.Email, clerk.Key)).follow("a vendor", m.root.As(vendor.Email, vendor.Key))
	const killsOfRound = 5
	var steps atomic.Int64
	done := 0
	for done < kills && !t.Failed() {
		m.during(func() {
			stop := m.writeUntil(writers, &steps, func() { m.writeSlowlyBeside(s, st) })
			defer stop()
			for range min(killsOfRound, kills-done) {
				time.Sleep(time.Duration(20+rand.IntN(300)) * time.Millisecond)
				disturbances[done%len(disturbances)](p)
				done++
			}
		})
	}
	t.Logf("%d kills, %d steps of %d writers, %d changes without an answer, position %s", done, steps.Load(), writers, p.unsent.Load(), m.end())
}

// writeUntil has writers change the shop until stop is called, which waits for them.
func (m *mirrors) writeUntil(writers int, steps *atomic.Int64, beside func()) (stop func()) {
	isFirst := steps.Load() == 0
	ended := make(chan struct{})
	var running sync.WaitGroup
	until := func(step func()) {
		for {
			select {
			case <-ended:
				return
			default:
				step()
			}
		}
	}
	running.Go(func() { until(beside) })
	for range writers {
		running.Go(func() {
			w := &mirrorWriter{Client: m.root, rnd: rand.New(rand.NewPCG(rand.Uint64(), 0)), known: m.known, breaks: true}
			if isFirst {
				w.run(0)
			}
			until(func() {
				w.step()
				steps.Add(1)
				time.Sleep(time.Duration(50+w.rnd.IntN(400)) * time.Millisecond)
			})
		})
	}
	return func() {
		close(ended)
		running.Wait()
		time.Sleep(300 * time.Millisecond) // transactions whose process was killed may end after it
	}
}

// writeSlowlyBeside is a third process: on PostgreSQL its transaction begins before those of the
// writers, and ends after them. It fails where the database is restarted.
func (m *mirrors) writeSlowlyBeside(s *apitest.Shop, st store.Store) {
	if _, concurrent := st.(store.TableLocker); concurrent {
		_ = writeSlowly(m.t, s, st)
	}
	time.Sleep(50 * time.Millisecond)
}
