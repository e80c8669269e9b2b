//go:build unix

package postgres_test

import (
	"os"
	"testing"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// Under Patroni the primary is killed under load, together with the Patroni that runs
// it, and comes back as a standby; then the two change their parts as planned. With both
// named as replicas, whichever is the standby is read.
func TestPatroni(t *testing.T) {
	if os.Getenv("SHOPAPI_PATRONI") == "" {
		t.Skip("it takes patroni and etcd, and minutes: set SHOPAPI_PATRONI=1")
	}
	p := pgtest.StartPatroni(t)
	changes := []struct {
		name   string
		change func(t testing.TB) (after func())
	}{
		{"killed", func(t testing.TB) func() {
			node := p.KillPrimary(t)
			return func() { node.Restart(t); p.AwaitStandby(t) }
		}},
		{"switchover", func(t testing.TB) func() {
			p.Switchover(t)
			return func() { p.AwaitStandby(t) }
		}},
	}
	for _, r := range routes {
		for _, c := range changes {
			t.Run(r.name+"/"+c.name, func(t *testing.T) {
				s, tally, stop := loadPatroni(t, openPatroni(t, p, r))
				after := c.change(t)
				serves(t, tally, "the standby")
				after()
				stop()
				tally.check(t, s)
			})
		}
	}
	for _, c := range changes {
		t.Run("replicas/"+c.name, func(t *testing.T) {
			st := openPatroni(t, p, routes[0], p.Nodes()[0].DSN(), p.Nodes()[1].DSN())
			s, tally, stop := loadPatroni(t, st)
			readsOnReplica(t, st)
			after := c.change(t)
			serves(t, tally, "the standby")
			after()
			readsOnReplica(t, st)
			stop()
			tally.check(t, s)
			t.Logf("replicas: %+v", st.Replicas())
		})
	}
}

// openPatroni opens a store over an empty database, with the server that is the primary.
func openPatroni(t *testing.T, p *pgtest.Patroni, r route, replicas ...string) *postgres.Store {
	t.Helper()
	one, other := p.Nodes()[0], p.Nodes()[1]
	exec(t, pgtest.PairDSN(one, other), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	dsn := pgtest.PairDSN(r.to(t, one), r.to(t, other), "connect_timeout=2", "pool_max_conns=8")
	return openWith(t, dsn, postgres.Options{Replicas: replicas})
}

// loadPatroni has clients use a shop over the store.
func loadPatroni(t *testing.T, st *postgres.Store) (s *apitest.Shop, c *tally, stop func()) {
	t.Helper()
	s = apitest.NewWithStore(t, st, nil)
	c, stop = load(s)
	serves(t, c, "the primary")
	return s, c, stop
}

// serves waits until a server has taken some more writes and answered some more reads.
func serves(t *testing.T, c *tally, server string) {
	t.Helper()
	before, readsBefore := c.count()
	until(t, "service by "+server, func() bool {
		saved, reads := c.count()
		return saved > before+200 && reads > readsBefore+200
	})
}

// readsOnReplica waits until one of two replicas, the standby, is in service, and some more of the
// shop's reads were on it.
func readsOnReplica(t *testing.T, st *postgres.Store) {
	t.Helper()
	status := func() (inService int, views int64) {
		for _, r := range st.Replicas() {
			if r.InService {
				inService++
			}
			views += r.Views
		}
		return inService, views
	}
	_, before := status()
	until(t, "reading on the standby", func() bool {
		inService, views := status()
		return inService == 1 && views > before+20
	})
}
