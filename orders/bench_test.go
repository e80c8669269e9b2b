package orders_test

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
)

// BenchmarkPlace places orders of three lines over HTTP, from 64 clients at once, in a
// SQLite file and in PostgreSQL.
func BenchmarkPlace(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
		if err != nil {
			b.Fatal(err)
		}
		benchmarkPlace(b, st, 1000)
	})
	b.Run("postgres", func(b *testing.B) {
		for _, goods := range []int{1000, 50, 10} { // many orders of few products meet
			b.Run(fmt.Sprintf("%d products", goods), func(b *testing.B) {
				st, err := postgres.Open(b.Context(), pgtest.DSN(b)+"&pool_max_conns=16")
				if err != nil {
					b.Fatal(err)
				}
				benchmarkPlace(b, st, goods)
			})
		}
	})
}

// benchmarkPlace has orders of three out of so many products.
func benchmarkPlace(b *testing.B, st store.Store, goods int) {
	s := apitest.NewWithStore(b, st, &shop.Options{Options: shopapi.Options{Clock: time.Now}})
	made := func(entity, payload string) {
		if a := s.Post("/api/2.0/"+entity, payload); a.Status != 201 {
			b.Fatalf("POST %s: %d %s", entity, a.Status, a.Body)
		}
	}
	const customers = 100
	made("categories", `{"category": "Clay", "company_id": 1}`)
	made("payments", `{"payment": "Cash", "company_id": 1}`)
	made("shippings", `{"shipping": "Post", "rates": {"rate_value": {"C": {"0": {"value": 5}}}}}`)
	for i := range goods {
		made("products", fmt.Sprintf(`{"product": "Mug %d", "category_ids": [1], "company_id": 1, "price": "5.50", "amount": 10000000}`, i))
	}
	for i := range customers {
		made("users", fmt.Sprintf(`{"email": "customer%d@example.com", "user_type": "C", "company_id": 1, "status": "A"}`, i))
	}
	b.SetParallelism(32)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			chosen := rand.Perm(goods)[:3]
			r := httptest.NewRequest("POST", "/api/2.0/orders", strings.NewReader(fmt.Sprintf(
				`{"user_id":"%d","payment_id":"1","shipping_id":"1","products":{"%d":{"amount":"1"},"%d":{"amount":"2"},"%d":{"amount":"1"}}}`,
				2+rand.IntN(customers), 1+chosen[0], 1+chosen[1], 1+chosen[2])))
			r.Header.Set("Content-Type", "application/json")
			r.SetBasicAuth(apitest.RootEmail, s.Key)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != 201 {
				b.Errorf("%d %s", w.Code, w.Body)
				return
			}
		}
	})
}
