//go:build unix

package postgres_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// BenchmarkReplicas prints the processor time that one list of 100 categories costs the
// primary (primary-µs/op) and the standby (standby-µs/op): from the cache, read on the
// standby, and read on the primary.
func BenchmarkReplicas(b *testing.B) {
	primary := pgtest.Start(b, pgtest.Options{})
	standby := pgtest.Start(b, pgtest.Options{StandbyOf: primary})
	for _, c := range []struct {
		name     string
		replicas []string
		cold     bool
	}{
		{"hot", []string{standby.DSN()}, false},
		{"cold, on a replica", []string{standby.DSN()}, true},
		{"cold, on the primary", nil, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			exec(b, primary.DSN(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
			st, err := postgres.OpenWith(b.Context(), primary.DSN(), postgres.Options{Replicas: c.replicas})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = st.Close() })
			shop := fillBenchShop(b, st, primary.DSN())
			list := func(n int64) {
				// Each address is new, and each list has 100 of the 2,000 categories.
				address := "/api/2.0/categories?items_per_page=100&page=3"
				if c.cold {
					address = fmt.Sprintf("/api/2.0/categories?items_per_page=100&page=%d&nothing=%d", 1+n%20, n)
				}
				req := httptest.NewRequest("GET", address, nil)
				req.SetBasicAuth(benchEmail, benchKey)
				w := httptest.NewRecorder()
				if shop.ServeHTTP(w, req); w.Code != http.StatusOK {
					b.Errorf("%d %s", w.Code, w.Body)
				}
			}
			for range c.replicas {
				until(b, "service by the standby", func() bool { list(0); return st.Replicas()[0].InService })
			}
			const requests = 4000
			for b.Loop() {
				before, beforeStandby, began := primary.ProcessorTime(b), standby.ProcessorTime(b), time.Now()
				views := int64(0)
				for range c.replicas {
					views = -st.Replicas()[0].Views
				}
				var next atomic.Int64
				var all sync.WaitGroup
				for range 8 {
					all.Go(func() {
						for n := next.Add(1); n <= requests; n = next.Add(1) {
							list(n)
						}
					})
				}
				all.Wait()
				for range c.replicas {
					views += st.Replicas()[0].Views
				}
				us := func(d time.Duration) float64 { return float64(d.Microseconds()) / requests }
				b.ReportMetric(us(primary.ProcessorTime(b)-before), "primary-µs/op")
				b.ReportMetric(us(standby.ProcessorTime(b)-beforeStandby), "standby-µs/op")
				b.ReportMetric(us(time.Since(began)), "µs/op")
				b.ReportMetric(float64(views)/requests, "replica-views/op")
			}
		})
	}
}
