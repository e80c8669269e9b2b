package orders_test

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store/sqlite"
)

// BenchmarkPlace places orders of three lines over HTTP, from 64 clients at once, in a
// SQLite file.
func BenchmarkPlace(b *testing.B) {
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	s := apitest.NewWithStore(b, st, nil)
	made := func(entity, payload string) {
		if a := s.Post("/api/2.0/"+entity, payload); a.Status != 201 {
			b.Fatalf("POST %s: %d %s", entity, a.Status, a.Body)
		}
	}
	const goods = 100
	made("categories", `{"category": "Clay", "company_id": 1}`)
	made("payments", `{"payment": "Cash", "company_id": 1}`)
	made("shippings", `{"shipping": "Post", "rates": {"rate_value": {"C": {"0": {"value": 5}}}}}`)
	for i := range goods {
		made("products", fmt.Sprintf(`{"product": "Mug %d", "category_ids": [1], "company_id": 1, "price": "5.50", "amount": 10000000}`, i))
	}
	var n atomic.Int64
	b.SetParallelism(32)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := n.Add(1)
			r := httptest.NewRequest("POST", "/api/2.0/orders", strings.NewReader(fmt.Sprintf(
				`{"user_id":"1","payment_id":"1","shipping_id":"1","products":{"%d":{"amount":"1"},"%d":{"amount":"2"},"%d":{"amount":"1"}}}`,
				1+i%goods, 1+(i+1)%goods, 1+(i+2)%goods)))
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
