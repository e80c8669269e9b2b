package webhooks_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

// BenchmarkDeliver is how many messages a second reach a receiver on the same machine: 10,000
// products change, and the clock stops when the receiver has the messages of all of them.
func BenchmarkDeliver(b *testing.B) {
	const products = 10_000
	for name, open1 := range map[string]func(testing.TB) store.Store{"memory": shoptest.Memory, "sqlite": shoptest.SQLite} {
		b.Run(name, func(b *testing.B) {
			s := open(b, open1(b), options())
			var told sync.WaitGroup
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { told.Done() }))
			defer server.Close()
			s.add(s.Client, server.URL, "products.*")
			for b.Loop() {
				told.Add(products)
				s.change(products)
				told.Wait()
			}
			b.ReportMetric(float64(products*b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
