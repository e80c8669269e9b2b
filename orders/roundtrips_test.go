package orders_test

import (
	"fmt"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A new order, and a change of its status, take few round trips over PostgreSQL, however many lines
// it has: what they read is read together.
func TestOrders_FewRoundTrips(t *testing.T) {
	pool, roundTrips := pgtest.CountingPool(t)
	w := newWorld(t, postgres.New(pool), shopapi.Options{})
	// Two or three of them ask for the versions of the tables.
	const mostForNew, mostForStatus = 13, 11
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
		before := roundTrips()
		id := w.made("orders", order)
		if n := roundTrips() - before; n > mostForNew {
			t.Errorf("an order of %s takes %d round trips, want at most %d", lines, n, mostForNew)
		}
		before = roundTrips()
		setStatus(id, "P")
		if n := roundTrips() - before; n > mostForStatus {
			t.Errorf("a new status of an order of %s takes %d round trips, want at most %d", lines, n, mostForStatus)
		}
	}
}
