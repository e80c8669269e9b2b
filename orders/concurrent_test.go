package orders_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
)

// Random orders, edits, changes of status, shipments and deletions from sixteen
// goroutines, of two processes where a store has several, leave no stock lost or made,
// and totals that are the sums of their parts (decisions §18). With SHOPAPI_ORDERS=long
// they go on for many rounds, from another seed each time:
//
//	SHOPAPI_ORDERS=long go test ./orders -run NeverDrift -timeout 2h -v
func TestOrders_NeverDrift(t *testing.T) {
	if text := os.Getenv(otherProcess); text != "" {
		sendFromOtherProcess(t, text)
		return
	}
	t.Parallel()
	rounds, seed := 1, uint64(7)
	if os.Getenv("SHOPAPI_ORDERS") == "long" {
		rounds, seed = 60, uint64(time.Now().UnixNano())
	}
	t.Logf("the seed is %d", seed)
	t.Run("memory", func(t *testing.T) {
		st := memory.New()
		w := newDriftWorld(t, st)
		second := apitest.NewWithStore(t, unclosed{st}, driftOptions())
		second.Key = w.Key
		for round := range rounds {
			first, other := newTraffic(w.world, w.Client, seed+uint64(round), 30), newTraffic(w.world, second.Client, ^seed+uint64(round), 30)
			var wg sync.WaitGroup
			wg.Go(func() { first.send(goroutines / 2) })
			wg.Go(func() { other.send(goroutines / 2) })
			wg.Wait()
			w.done.add(first.report)
			w.done.add(other.report)
			w.check()
		}
	})
	for name, file := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "shop.db") },
		"postgres": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			o := otherTraffic{Store: name, File: file(t), Requests: 10}
			w := newDriftWorld(t, o.open(t))
			o.Key = w.Key
			for round := range rounds {
				traffic := newTraffic(w.world, w.Client, seed+uint64(round), o.Requests)
				o.Seed = ^seed + uint64(round)
				wait := o.start(t)
				traffic.send(goroutines / 2)
				w.done.add(traffic.report)
				w.done.add(wait())
				w.check()
			}
		})
	}
}

const goroutines = 16 // of all processes together

func driftOptions() *shop.Options {
	return &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}}
}

// A driftWorld is a world of two vendors with more in stock, product 5 Basket 4.00 of
// company 2 among it.
type driftWorld struct {
	*world
	stocked map[source]int64 // before the first order
	done    *report          // by all traffic
}

func newDriftWorld(t *testing.T, st store.Store) *driftWorld {
	w := newWorld(t, st, driftOptions().Options)
	w.made("products", `{"product": "Basket", "category_ids": [1], "company_id": 2, "price": "4", "amount": 50, "tax_ids": "1"}`)
	w.Put("/api/2.0/products/1", `{"amount": 90}`)
	w.Put("/api/2.0/products/2", `{"amount": 40}`)
	for i, c := range w.combinations() {
		w.Put("/api/2.0/combinations/"+shopapi.FormatID(c.Hash), []string{`{"amount": 30}`, `{"amount": 20}`}[i])
	}
	d := &driftWorld{world: w, done: newReport()}
	d.stocked = d.inStock()
	return d
}

// otherProcess names, in the environment, the traffic of a process that the test
// binary is run as.
const otherProcess = "SHOPAPI_TEST_ORDERS"

// An otherTraffic is what another process sends to the shop over the same database.
type otherTraffic struct {
	Store, File string
	Key         string // of the root user
	Seed        uint64
	Requests    int    // of each goroutine
	Report      string // the file that the report is written to
}

func (o *otherTraffic) open(t *testing.T) (st store.Store) {
	t.Helper()
	var err error
	if o.Store == "postgres" {
		st, err = postgres.Open(t.Context(), o.File)
	} else {
		st, err = sqlite.Open(t.Context(), o.File, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// start starts the other process; the function that it returns waits for its end.
func (o *otherTraffic) start(t *testing.T) (wait func() *report) {
	t.Helper()
	o.Report = filepath.Join(t.TempDir(), "report.json")
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOrders_NeverDrift$", "-test.timeout=5m")
	child.Env = append(os.Environ(), otherProcess+"="+string(text))
	var said strings.Builder
	child.Stdout, child.Stderr = &said, &said
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	return func() *report {
		t.Helper()
		if err := child.Wait(); err != nil {
			t.Fatalf("the other process: %v: %s", err, said.String())
		}
		written, err := os.ReadFile(o.Report)
		r := newReport()
		if err == nil {
			err = json.Unmarshal(written, r)
		}
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

func sendFromOtherProcess(t *testing.T, text string) {
	var o otherTraffic
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	s := apitest.NewWithStore(t, o.open(t), driftOptions())
	s.Key = o.Key
	traffic := newTraffic(&world{s, t, nil}, s.Client, o.Seed, o.Requests)
	traffic.send(goroutines / 2)
	written, err := json.Marshal(traffic.report)
	if err == nil {
		err = os.WriteFile(o.Report, written, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
