//go:build unix

package changes_test

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/sqlite"
)

// A till takes orders of three lines over HTTP, from 64 clients at once, in a SQLite file.
type till struct {
	b     *testing.B
	shop  *apitest.Shop
	taken atomic.Int64
}

const goodsOfTill = 100

func openTill(b *testing.B, mode changes.Mode) *till {
	b.Helper()
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	s := apitest.NewWithStore(b, st, &shop.Options{Changes: changes.Options{Mode: mode}})
	made := func(entity, payload string) {
		if a := s.Post("/api/2.0/"+entity, payload); a.Status != 201 {
			b.Fatalf("POST %s: %d %s", entity, a.Status, a.Body)
		}
	}
	made("categories", `{"category": "Clay", "company_id": 1}`)
	made("payments", `{"payment": "Cash", "company_id": 1}`)
	made("shippings", `{"shipping": "Post", "rates": {"rate_value": {"C": {"0": {"value": 5}}}}}`)
	for i := range goodsOfTill {
		made("products", fmt.Sprintf(`{"product": "Mug %d", "category_ids": [1], "company_id": 1, "price": "5.50", "amount": 10000000}`, i))
	}
	return &till{b: b, shop: s}
}

// take takes n orders, and returns how long it took, and how much processor time of this process.
func (t *till) take(n int) (wall, processor time.Duration) {
	begun, used := time.Now(), processorTime(t.b)
	var clients sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	for range 64 {
		clients.Go(func() {
			for left.Add(-1) >= 0 {
				t.order(t.taken.Add(1))
			}
		})
	}
	clients.Wait()
	return time.Since(begun), processorTime(t.b) - used
}

func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func (t *till) order(i int64) {
	r := httptest.NewRequest("POST", "/api/2.0/orders", strings.NewReader(fmt.Sprintf(
		`{"user_id":"1","payment_id":"1","shipping_id":"1","products":{"%d":{"amount":"1"},"%d":{"amount":"2"},"%d":{"amount":"1"}}}`,
		1+i%goodsOfTill, 1+(i+1)%goodsOfTill, 1+(i+2)%goodsOfTill)))
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth(apitest.RootEmail, t.shop.Key)
	w := httptest.NewRecorder()
	t.shop.ServeHTTP(w, r)
	if w.Code != 201 {
		t.b.Errorf("%d %s", w.Code, w.Body)
	}
}

// BenchmarkChangesCost is how many orders a second a shop takes without the log and with it, and
// how much longer the second takes, in all and of the processor: the medians of rounds that each
// take 500 orders in both shops, one after the other, so that other work on the machine disturbs
// both alike.
func BenchmarkChangesCost(b *testing.B) {
	const orders = 500
	off, on := openTill(b, changes.Off), openTill(b, changes.On)
	off.take(orders)
	on.take(orders)
	var seconds [2]float64
	var slower, dearer []float64
	for round := 0; b.Loop(); round++ {
		var wall, processor [2]time.Duration
		for i := range 2 {
			which := (i + round) % 2 // the first of the two in turn
			wall[which], processor[which] = []*till{off, on}[which].take(orders)
			seconds[which] += wall[which].Seconds()
		}
		slower = append(slower, 100*(wall[1].Seconds()/wall[0].Seconds()-1))
		dearer = append(dearer, 100*(processor[1].Seconds()/processor[0].Seconds()-1))
	}
	slices.Sort(slower)
	slices.Sort(dearer)
	b.ReportMetric(float64(b.N)*orders/seconds[0], "orders/s-off")
	b.ReportMetric(float64(b.N)*orders/seconds[1], "orders/s-on")
	b.ReportMetric(slower[len(slower)/2], "%-longer")
	b.ReportMetric(dearer[len(dearer)/2], "%-processor")
}
