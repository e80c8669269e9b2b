package history

import (
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
)

// processes are shops over one database: one, or two in one process and one in another.
var processes = map[string]func(t *testing.T, dsn string) []http.Handler{
	"one process": func(t *testing.T, dsn string) []http.Handler { return []http.Handler{openFile(t, dsn)} },
	"two processes": func(t *testing.T, dsn string) []http.Handler {
		return []http.Handler{openFile(t, dsn), openFile(t, dsn), otherProcess(t, dsn)}
	},
}

// soon waits until the clients of a round are in the middle of it.
func soon() { time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) }

// TestHistories_Postgres: the histories over PostgreSQL have an order, too.
func TestHistories_Postgres(t *testing.T) {
	for name, open := range processes {
		t.Run(name, func(t *testing.T) {
			if !check(t, open(t, pgtest.DSN(t)), duration(t), nil) {
				t.Error("the shop is not linearizable")
			}
		})
	}
}

// TestHistories_Restart: the server ends without a checkpoint in each round, and recovers.
func TestHistories_Restart(t *testing.T) {
	for name, open := range processes {
		t.Run(name, func(t *testing.T) {
			server := pgtest.Start(t, pgtest.Options{})
			shops := open(t, server.DSNWith("connect_timeout=2", "pool_max_conns=8"))
			if !check(t, shops, duration(t), func() { soon(); server.RestartImmediately(t) }) {
				t.Error("the shop is not linearizable")
			}
		})
	}
}

// TestHistories_Failover: the primary is killed in the first round, and its synchronous
// standby takes over.
func TestHistories_Failover(t *testing.T) {
	for name, open := range processes {
		t.Run(name, func(t *testing.T) {
			primary := pgtest.Start(t, pgtest.Options{Settings: []string{"synchronous_standby_names=*"}})
			standby := pgtest.Start(t, pgtest.Options{StandbyOf: primary})
			shops := open(t, pgtest.PairDSN(primary, standby, "connect_timeout=2", "pool_max_conns=8"))
			failover := sync.OnceFunc(func() {
				soon()
				primary.Signal(t, syscall.SIGKILL)
				standby.Promote(t)
			})
			if !check(t, shops, duration(t), failover) {
				t.Error("the shop is not linearizable")
			}
		})
	}
}

// A failover that loses: requests after it reach another shop, which has the same objects in
// an older state.
type losing struct {
	before, after http.Handler
	failed        atomic.Bool
}

func (l *losing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if l.failed.Load() {
		l.after.ServeHTTP(w, r)
		return
	}
	l.before.ServeHTTP(w, r)
}

// TestHistories_NoticeLostWrites: what a failover loses has no explanation.
func TestHistories_NoticeLostWrites(t *testing.T) {
	dir := t.TempDir()
	shop := &losing{before: openFile(t, filepath.Join(dir, "before.db"))}
	r := newRound(t, []http.Handler{shop}, false)
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, "before.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.DB().ExecContext(t.Context(), "VACUUM INTO ?", filepath.Join(dir, "after.db")); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	shop.after = openFile(t, filepath.Join(dir, "after.db"))
	r.run(1)
	shop.failed.Store(true)
	if porcupine.CheckOperations(model, r.run(2)) {
		t.Error("lost writes were explained")
	}
}

// A request with an unknown outcome can take effect later, or never. A request with a response
// takes effect before its response.
func TestModel_UnknownOutcome(t *testing.T) {
	wrote := func(o output, returned int64) porcupine.Operation {
		return porcupine.Operation{Input: input{kind: write, value: 1}, Output: o, Call: 0, Return: returned}
	}
	reads := func(value int) porcupine.Operation {
		return porcupine.Operation{ClientId: 1, Input: input{kind: readOne}, Output: output{values: []int{value}}, Call: 20, Return: 30}
	}
	for _, c := range []struct {
		write porcupine.Operation
		value int
		want  bool
	}{
		{wrote(output{}, 10), 1, true}, {wrote(output{}, 10), 0, false},
		{wrote(output{unknown: true}, 40), 1, true}, {wrote(output{unknown: true}, 40), 0, true}, {wrote(output{unknown: true}, 40), 2, false},
	} {
		if got := porcupine.CheckOperations(model, []porcupine.Operation{c.write, reads(c.value)}); got != c.want {
			t.Errorf("%v after %v is explained: %v, want %v", c.value, c.write, got, c.want)
		}
	}
}
