package resource_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store/sqlite"
)

// BenchmarkCreateAll compares objects that are added in one transaction with the
// same ones added one by one, in a SQLite file: alone/op is how much longer one of
// the latter takes.
func BenchmarkCreateAll(b *testing.B) {
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	f := newFixture(b, st)
	const together, alone = 1000, 50
	list := make([]part, together)
	for i := range list {
		list[i] = part{Name: "p"}
	}
	var all, single time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := f.parts.CreateAll(b.Context(), list); err != nil {
			b.Fatal(err)
		}
		all += time.Since(start)
		start = time.Now()
		for range alone {
			if _, err := f.parts.Create(b.Context(), list[0]); err != nil {
				b.Fatal(err)
			}
		}
		single += time.Since(start)
	}
	b.ReportMetric(float64(together*b.N)/all.Seconds(), "together/s")
	b.ReportMetric((single.Seconds()/alone)/(all.Seconds()/together), "alone/op")
}
