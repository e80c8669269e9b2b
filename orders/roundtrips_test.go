package orders_test

import (
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A new order over PostgreSQL takes few round trips, however many lines it has: what it reads is
// read together.
func TestOrders_FewRoundTrips(t *testing.T) {
	pool, roundTrips := pgtest.CountingPool(t)
	st := postgres.New(pool)
	defer st.Close()
	w := newWorld(t, unclosed{st}, shopapi.Options{})
	const most = 13 // two of them ask for the versions of the tables
	for _, lines := range []string{
		`{"1": {"amount": 1}, "2": {"amount": 1}}`,
		`{"1": {"amount": 2}, "2": {"amount": 1}, "4": {"amount": 3}}`,
	} {
		order := w.order(lines)
		w.made("orders", order) // prepares the statements
		before := roundTrips()
		w.made("orders", order)
		if n := roundTrips() - before; n > most {
			t.Errorf("an order of %s takes %d round trips, want at most %d", lines, n, most)
		}
	}
}
