package orders_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A new order, and a change of its status, take few round trips over PostgreSQL, however many lines
// it has: what they read is read together.
func TestOrders_FewRoundTrips(t *testing.T) {
	pool, roundTrips := pgtest.CountingPool(t)
	w := newWorld(t, postgres.New(pool), shopapi.Options{})
	for _, id := range []string{"1", "2", "4"} {
		if a := w.Put("/api/2.0/products/"+id, `{"amount": 1000}`); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	// One of them asks for the versions of the tables.
	const mostForNew, mostForStatus = 5, 6
	for _, lines := range []string{
		`{"1": {"amount": 1}, "2": {"amount": 1}}`,
		`{"1": {"amount": 2}, "2": {"amount": 1}, "4": {"amount": 3}}`,
	} {
		order := w.order(lines)
		setStatus := func(id, status string) {
			if a := w.Put("/api/2.0/orders/"+id, fmt.Sprintf(`{"status": %q}`, status)); a.Status != 200 {
				t.Fatalf("PUT of the status %s: %d %s", status, a.Status, a.Body)
			}
		}
		setStatus(w.made("orders", order), "P") // prepares the statements
		fewest, fewestForStatus := 1000, 1000
		for range 3 { // some add up the sales of a product
			before := roundTrips()
			id := w.made("orders", order)
			after := roundTrips()
			setStatus(id, "P")
			fewest, fewestForStatus = min(fewest, after-before), min(fewestForStatus, roundTrips()-after)
		}
		if fewest > mostForNew {
			t.Errorf("an order of %s takes %d round trips, want at most %d", lines, fewest, mostForNew)
		}
		if fewestForStatus > mostForStatus {
			t.Errorf("a new status of an order of %s takes %d round trips, want at most %d", lines, fewestForStatus, mostForStatus)
		}
	}
}

// Orders of the same product, and changes of the same product, wait for each other over PostgreSQL
// rather than run again: together they take no more round trips than alone.
func TestOrders_OfOneProductRunOnce(t *testing.T) {
	pool, roundTrips := pgtest.CountingPool(t)
	w := newWorld(t, postgres.New(pool), shopapi.Options{})
	order := w.order(`{"1": {"amount": 1}}`)
	if a := w.Put("/api/2.0/products/1", `{"amount": 1000}`); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	for name, request := range map[string]func(i int) *apitest.Answer{
		"orders":  func(int) *apitest.Answer { return w.Post("/api/2.0/orders", order) },
		"changes": func(i int) *apitest.Answer { return w.Put("/api/2.0/products/1", fmt.Sprintf(`{"weight": %d}`, 1+i)) },
	} {
		t.Run(name, func(t *testing.T) {
			const clients, each = 8, 5
			together := func(round int) int {
				before := roundTrips()
				var wg sync.WaitGroup
				for c := range clients {
					wg.Go(func() {
						for n := range each {
							if a := request(round*1000 + c*each + n); a.Status >= 300 {
								t.Errorf("%d %s", a.Status, a.Body)
							}
						}
					})
				}
				wg.Wait()
				return roundTrips() - before
			}
			together(0) // opens the connections and prepares the statements
			before := roundTrips()
			for n := range each {
				request(9000 + n)
			}
			alone := roundTrips() - before
			if n := together(1); n > clients*alone*5/4 {
				t.Errorf("%d requests together take %d round trips, %d alone take %d", clients*each, n, each, alone)
			}
		})
	}
}
