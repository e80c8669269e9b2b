package shop_test

import (
	"fmt"
	"testing"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// Requests for one product take few round trips over PostgreSQL: what they read is read together.
func TestProducts_FewRoundTrips(t *testing.T) {
	pool, roundTrips := pgtest.CountingPool(t)
	st := postgres.New(pool)
	defer st.Close()
	s := apitest.NewWithStore(t, st, nil)
	if a := s.Post("/api/2.0/categories", `{"category": "Mugs"}`); a.Status != 201 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	requests := []struct {
		method, address, body string
		most                  int // one of them asks for the versions of the tables
	}{
		{"POST", "/api/2.0/products", `{"product": "Mug", "price": 12, "category_ids": [1]}`, 7},
		{"PUT", "/api/2.0/products/1", `{"amount": %d}`, 5},
		{"GET", "/api/2.0/products/1", "", 3}, // the cached response is of before the change
	}
	fewest := make([]int, len(requests))
	for round := range 3 { // the first one prepares statements and reads the user
		for i, r := range requests {
			before := roundTrips()
			body := r.body
			if r.method == "PUT" {
				body = fmt.Sprintf(body, 100+round)
			}
			if a := s.Do(r.method, r.address, "application/json", body); a.Status >= 300 {
				t.Fatalf("%s %s: %d %s", r.method, r.address, a.Status, a.Body)
			}
			if n := roundTrips() - before; round == 0 || n < fewest[i] {
				fewest[i] = n
			}
		}
	}
	for i, r := range requests {
		if fewest[i] > r.most {
			t.Errorf("%s %s takes %d round trips, want at most %d", r.method, r.address, fewest[i], r.most)
		}
	}
}
