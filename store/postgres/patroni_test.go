package postgres_test

import (
	"os"
	"testing"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// Under Patroni the primary is killed under load, together with the Patroni that runs
// it, and comes back as a standby; then the two change their parts as planned.
func TestPatroni(t *testing.T) {
	if os.Getenv("SHOPAPI_PATRONI") == "" {
		t.Skip("it takes patroni and etcd, and minutes: set SHOPAPI_PATRONI=1")
	}
	p := pgtest.StartPatroni(t)
	for _, r := range routes {
		for _, c := range []struct {
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
		} {
			t.Run(r.name+"/"+c.name, func(t *testing.T) {
				exec(t, pgtest.PairDSN(p.Nodes()[0], p.Nodes()[1]), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
				dsn := pgtest.PairDSN(r.to(t, p.Nodes()[0]), r.to(t, p.Nodes()[1]), "connect_timeout=2", "pool_max_conns=8")
				s := apitest.NewWithStore(t, open(t, dsn), nil)
				tally, stop := load(s)
				until(t, "load", func() bool { saved, reads := tally.count(); return saved > 200 && reads > 200 })
				after := c.change(t)
				before, readsBefore := tally.count()
				until(t, "service by the standby", func() bool {
					saved, reads := tally.count()
					return saved > before+200 && reads > readsBefore+200
				})
				after()
				stop()
				tally.check(t, s)
			})
		}
	}
}
