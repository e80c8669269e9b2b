package changes_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

func benchStore(b *testing.B) store.Store {
	b.Helper()
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	return st
}

// BenchmarkChangesLatency is the time from a commit until the event reached 1 and all of
// 1,000 streams.
func BenchmarkChangesLatency(b *testing.B) {
	for _, streams := range []struct {
		name string
		n    int
	}{{"1", 1}, {"1000", 1000}} {
		b.Run(streams.name, func(b *testing.B) {
			s := openForStreams(b, benchStore(b))
			events := listen(b, s, streams.n)
			var first, all []time.Duration
			for b.Loop() {
				must[categories.Category](b)(s.Categories.Create(b.Context(), category("Cup")))
				committed := time.Now()
				for i := range streams.n {
					<-events
					if i == 0 {
						first = append(first, time.Since(committed))
					}
				}
				all = append(all, time.Since(committed))
			}
			for name, list := range map[string][]time.Duration{"first": first, "all": all} {
				slices.Sort(list)
				b.ReportMetric(float64(list[len(list)/2].Microseconds()), name+"-median-µs")
				b.ReportMetric(float64(list[len(list)*99/100].Microseconds()), name+"-p99-µs")
			}
		})
	}
}

// BenchmarkChangesRead is how many changes a second one reader gets from the log, and the
// size of a row.
func BenchmarkChangesRead(b *testing.B) {
	const written = 20_000
	s := open(b, benchStore(b), changes.Options{Mode: changes.On}, nil)
	for range written / 500 {
		list := make([]categories.Category, 500)
		for i := range list {
			list[i] = category("Cup")
		}
		must[[]categories.Category](b)(s.Categories.CreateAll(b.Context(), list))
	}
	n := 0
	for b.Loop() {
		for _, err := range s.Changes.Since(b.Context(), changes.Oldest, changes.Filter{}) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "changes/s")
	rows, bytes := s.Changes.Kept(b.Context(), b)
	b.ReportMetric(float64(bytes)/float64(rows), "bytes/row")
}

// BenchmarkChangesPrune is how long the removal of the oldest rows holds the writer.
func BenchmarkChangesPrune(b *testing.B) {
	clock := apitest.NewClock(time.Unix(1_700_000_000, 0))
	s := open(b, benchStore(b), changes.Options{Mode: changes.On, Keep: time.Hour}, clock)
	var held []time.Duration
	for b.Loop() {
		b.StopTimer()
		list := make([]categories.Category, changes.PruneBatch+changes.PruneEvery)
		for i := range list {
			list[i] = category("Cup")
		}
		must[[]categories.Category](b)(s.Categories.CreateAll(b.Context(), list))
		clock.Advance(2 * time.Hour)
		b.StartTimer()
		held = append(held, must[time.Duration](b)(s.Changes.Prune(b.Context())))
	}
	slices.Sort(held)
	b.ReportMetric(float64(held[len(held)/2].Microseconds()), "median-µs")
	b.ReportMetric(float64(held[len(held)-1].Microseconds()), "longest-µs")
}
