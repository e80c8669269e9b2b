package orders_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// issuingProcess names, in the environment, the shop whose orders a process invoices until it
// is killed.
const issuingProcess = "SHOPAPI_TEST_INVOICES"

// Clients of two processes, which are killed again and again, issue the invoices of all
// orders, many of them at once and some in transactions that roll back: no number is left
// out, none is given twice, and each that was answered is there (decisions §26). With
// SHOPAPI_ORDERS=long there are 64 clients, thousands of orders and PostgreSQL too:
//
//	SHOPAPI_ORDERS=long go test ./orders -run NumbersSurviveKills -timeout 2h -v
func TestOrders_26_NumbersSurviveKills(t *testing.T) {
	if text := os.Getenv(issuingProcess); text != "" {
		issueForEver(t, text)
		return
	}
	t.Parallel()
	storm := invoiceStorm{Clients: 4, Orders: 40}
	stores := map[string]func(*testing.T) string{
		"sqlite": func(t *testing.T) string { return filepath.Join(t.TempDir(), "shop.db") },
	}
	if os.Getenv("SHOPAPI_ORDERS") == "long" {
		storm = invoiceStorm{Clients: 32, Orders: 3000}
		stores["postgres"] = func(t *testing.T) string { return pgtest.DSN(t) }
	}
	for name, file := range stores {
		t.Run(name, func(t *testing.T) {
			s := storm
			s.Store, s.File = name, file(t)
			s.run(t)
		})
	}
}

// An invoiceStorm is a shop over a database, with clients in each of two processes.
type invoiceStorm struct {
	otherTraffic
	Clients, Orders int
	First           int64 // the first order; the others follow
}

func (s *invoiceStorm) run(t *testing.T) {
	clock := apitest.NewClock(time.Now())
	st := s.open(t)
	w := newWorld(t, unclosed{st}, shopapi.Options{Clock: clock.Now})
	for i := range s.Orders {
		id := idOf(t, w.place(`{"4": {"amount": 1}}`))
		if i == 0 {
			s.First = id
		}
	}
	answered, kills := map[int64]string{}, 0
	var mu sync.Mutex
	for s.left(t, w) > 0 {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				for id, number := range s.killed(t) {
					mu.Lock()
					if was := answered[id]; was != "" && was != number {
						t.Errorf("order %d was answered %s and %s", id, was, number)
					}
					answered[id] = number
					mu.Unlock()
				}
			})
		}
		both.Wait()
		if kills += 2; t.Failed() || kills > 400+s.Orders {
			t.Fatalf("after %d kills %d orders have no invoice", kills, s.left(t, w))
		}
	}
	s.check(t, w, answered)
	t.Logf("%s: %d invoices, %d answered before %d kills", s.Store, s.Orders, len(answered), kills)
}

// left is the number of orders without an invoice.
func (s *invoiceStorm) left(t *testing.T, w *world) (n int64) {
	t.Helper()
	n, err := orders.CountNotInvoiced(t.Context(), w.st)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// killed runs a process until it is killed, and returns the numbers that it was answered.
func (s *invoiceStorm) killed(t *testing.T) map[int64]string {
	text, err := json.Marshal(s)
	if err != nil {
		t.Error(err)
		return nil
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOrders_26_NumbersSurviveKills$", "-test.timeout=5m")
	child.Env = append(os.Environ(), issuingProcess+"="+string(text))
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	answered := map[int64]string{}
	kill := time.AfterFunc(time.Minute, func() { _ = child.Process.Kill() }) // it has not begun
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var id int64
		var number string
		switch _, err := fmt.Sscanf(lines.Text(), "issued %d %s", &id, &number); {
		case err != nil && strings.HasPrefix(lines.Text(), "begins"):
			kill.Reset(time.Duration(5+rand.IntN(100)) * time.Millisecond)
		case err != nil && strings.TrimSpace(lines.Text()) != "":
			t.Errorf("a process says %s", lines.Text())
		case err == nil:
			answered[id] = number
		}
	}
	_ = child.Wait() // killed
	return answered
}

// issueForEver issues invoices of random orders until the process is killed.
func issueForEver(t *testing.T, text string) {
	var s invoiceStorm
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	shop := apitest.NewWithStore(t, s.open(t), nil)
	fmt.Println("begins")
	errRollback := errors.New("rolled back")
	var all sync.WaitGroup
	for range s.Clients {
		all.Go(func() {
			for {
				id := s.First + rand.Int64N(int64(s.Orders))
				if rand.IntN(4) == 0 {
					_ = shop.Store.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
						_, err := shop.Orders.IssueInvoice(ctx, id)
						return errors.Join(err, errRollback)
					})
				}
				d, err := shop.Orders.IssueInvoice(t.Context(), id)
				if err != nil {
					fmt.Println("failed", id, err)
					continue
				}
				fmt.Println("issued", id, d.Number) // one write, not buffered
			}
		})
	}
	all.Wait()
}

// check checks that the numbers are those from 1 on, and that each that was answered is its
// order's.
func (s *invoiceStorm) check(t *testing.T, w *world, answered map[int64]string) {
	of, last := map[int64]int64{}, int64(0)
	for i := range s.Orders {
		id := s.First + int64(i)
		list, _, err := w.Orders.Documents(t.Context(), id, resource.ListOptions{})
		if err != nil || len(list) != 1 {
			t.Fatalf("order %d has the documents %+v, %v", id, list, err)
		}
		number := list[0].Number
		if shown := w.Get("/api/2.0/orders/" + shopapi.FormatID(id)).Field("invoice_id"); shown != number || answered[id] != "" && answered[id] != number {
			t.Errorf("order %d has the invoice %s, shows %s, and was answered %q", id, number, shown, answered[id])
		}
		var year, n int64
		if _, err := fmt.Sscanf(number, "INV-%d-%d", &year, &n); err != nil {
			t.Fatal(err)
		}
		if of[n] != 0 {
			t.Errorf("orders %d and %d both have the number %d", of[n], id, n)
		}
		of[n], last = id, max(last, n)
	}
	if last != int64(s.Orders) {
		t.Errorf("the last of %d numbers is %d: there are gaps", s.Orders, last)
	}
}
