package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/bench/internal/data"
	"github.com/shopapi/shopapi/bench/internal/load"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// The benchmarks of this file measure what saves requests (extensions E3, E6 and E10) beside
// the requests that it saves. Each opens a shop over an SQLite file, durable as a host's, behind
// a server of this process. See README.md.

// A requestShop is a shop behind a server.
type requestShop struct {
	*shop.Shop
	addr string
}

var authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(data.Email+":"+data.Key))

// serve serves a handler until the benchmark ends, and returns its address.
func serve(b *testing.B, h http.Handler) string {
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// openRequestShop opens a shop with n products in a category, with the codes C-0, C-1, ….
func openRequestShop(b *testing.B, n int, o shop.Options) *requestShop {
	b.Helper()
	ctx := b.Context()
	st, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "shop.db"), nil)
	must(b, err)
	b.Cleanup(func() { must(b, st.Close()) })
	o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := shop.New(ctx, st, &o)
	must(b, err)
	b.Cleanup(func() { must(b, s.Shutdown(context.Background())) })
	must(b, users.EnsureRootKey(ctx, st, data.Email, data.Key))
	_, err = s.Categories.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Cups", Status: "A"}})
	must(b, err)
	for from := 0; from < n; from += 1000 {
		var list []products.Product
		for i := from; i < min(from+1000, n); i++ {
			p := s.Products.Defaults(ctx)
			p.Name, p.Code, p.CategoryIDs, p.Price = fmt.Sprintf("Cup %d", i), fmt.Sprintf("C-%d", i), []int64{1}, decimal.MustNew(950, 2)
			p.FullDescription = strings.Repeat("A cup of stoneware. ", 20)
			list = append(list, p)
		}
		_, err := s.Products.CreateAll(ctx, list)
		must(b, err)
	}
	return &requestShop{s, serve(b, s)}
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// A request is rendered once, so that rendering is not measured.
func request(method, target, body string) []byte {
	return load.Request(method, target, authorization, body)
}

// timed sends requests one after another over a connection, and returns how long they took
// and the last answer.
func timed(b *testing.B, c *load.Client, status int, requests ...[]byte) (time.Duration, string) {
	b.Helper()
	var last string
	start := time.Now()
	for _, r := range requests {
		got, _, answer, err := c.Answer(r)
		if err != nil || got != status {
			b.Fatalf("%.60s: %d %.300s, %v", r, got, answer, err)
		}
		last = answer
	}
	return time.Since(start), last
}

func dial(b *testing.B, addr string) *load.Client {
	c, err := load.Dial(addr)
	must(b, err)
	b.Cleanup(func() { _ = c.Close() })
	return c
}

// reportMedian reports the median of values.
func reportMedian(b *testing.B, values []float64, unit string) {
	b.ReportMetric(load.SpreadOf(values).Median, unit)
}

// syncTime returns the median time in which the disk stores a page for good, which is what a
// single request waits for besides its work.
func syncTime(b *testing.B) time.Duration {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "synced"))
	must(b, err)
	defer func() { must(b, f.Close()) }()
	page, times := make([]byte, 4096), make([]time.Duration, 201)
	for i := range times {
		begun := time.Now()
		_, err := f.Write(page)
		must(b, err)
		must(b, f.Sync())
		times[i] = time.Since(begun)
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// BenchmarkBatchCreates creates 1,000 categories and 1,000 products in one atomic batch, and
// as many by requests of one connection. Only the requests wait for the disk each: the slower it
// is, the more the batch saves.
func BenchmarkBatchCreates(b *testing.B) {
	const n = 1000
	for _, of := range []struct{ entity, body string }{
		{"categories", `{"category":"Plates %d","status":"A"}`},
		{"products", `{"product":"Plate %d","price":"9.50","category_ids":[1],"product_code":"P-%[1]d"}`},
	} {
		b.Run(of.entity, func(b *testing.B) {
			s := openRequestShop(b, 1, shop.Options{Batch: true, Options: shopapi.Options{Limits: shopapi.Limits{BatchTime: time.Minute}}})
			c := dial(b, s.addr)
			i := 0
			var ratios, singles, batches []float64
			for b.Loop() {
				var members []string
				var requests [][]byte
				for range n {
					i++
					body := fmt.Sprintf(of.body, i)
					members = append(members, `{"method":"POST","url":"`+of.entity+`","body":`+body+`}`)
					requests = append(requests, request("POST", "/api/2.0/"+of.entity, body))
				}
				single, _ := timed(b, c, 201, requests...)
				batch, _ := timed(b, c, 200, request("POST", "/api/2.0/batch", `{"requests":[`+strings.Join(members, ",")+`]}`))
				singles, batches = append(singles, single.Seconds()), append(batches, batch.Seconds())
				ratios = append(ratios, single.Seconds()/batch.Seconds())
			}
			reportMedian(b, singles, "s/1000-requests")
			reportMedian(b, batches, "s/batch")
			reportMedian(b, ratios, "times-as-fast")
			b.ReportMetric(float64(syncTime(b).Microseconds()), "µs/sync")
		})
	}
}

// stock is an array of n changes of stock by code.
func stock(n, amount int) string {
	var body strings.Builder
	for i := range n {
		fmt.Fprintf(&body, `,{"product_code":"C-%d","amount":"%d"}`, i, amount+i%7)
	}
	return "[" + body.String()[1:] + "]"
}

// BenchmarkStockByCode changes the stock of 10,000 products, or of 10,000 combinations, by
// their codes: alone, then beside readers, then beside another client that changes a category.
// The readers are measured alone too, and beside a loop that allocates memory and does nothing
// else in this process: it shows what a busy processor alone costs them.
func BenchmarkStockByCode(b *testing.B) {
	const rows = 10_000
	b.Run("products", func(b *testing.B) {
		benchmarkStock(b, openRequestShop(b, rows, shop.Options{Batch: true}), "products", rows)
	})
	b.Run("combinations", func(b *testing.B) {
		const each = 20
		s := openRequestShop(b, rows/each, shop.Options{Batch: true})
		addCombinations(b, s, rows/each, each)
		benchmarkStock(b, s, "combinations", rows)
	})
}

// addCombinations gives each of n products an option, and a combination for each of its
// variants, with the codes C-0, C-1, ….
func addCombinations(b *testing.B, s *requestShop, n, each int) {
	ctx := b.Context()
	for p := range n {
		o := s.Options.Defaults(ctx)
		o.ProductID, o.Name, o.Type, o.Inventory = int64(p+1), "Size", "S", true
		for v := range each {
			o.Variants = append(o.Variants, options.Variant{Name: fmt.Sprint(v)})
		}
		o, err := s.Options.Create(ctx, o)
		must(b, err)
		list := make([]options.Combination, each)
		for v := range list {
			list[v] = options.Combination{
				ProductID: o.ProductID, Code: fmt.Sprintf("C-%d", p*each+v), Amount: 1,
				Variants: options.VariantOf{o.OptionID: o.Variants[v].VariantID},
			}
		}
		_, err = s.Options.Combinations().CreateAll(ctx, list)
		must(b, err)
	}
}

func benchmarkStock(b *testing.B, s *requestShop, entity string, rows int) {
	amount := 10
	c := dial(b, s.addr)
	var next []byte
	render := func() {
		amount += 10
		next = request("PUT", "/api/2.0/"+entity+"?match=product_code", stock(rows, amount))
	}
	change := func() time.Duration {
		took, answer := timed(b, c, 200, next)
		if !strings.Contains(answer, fmt.Sprintf(`"updated":%d,`, rows)) {
			b.Fatalf("answered %.300s", answer)
		}
		return took
	}
	render()
	change()
	var alone, processor, quiets, meanwhile, slower, looped, waits []float64
	for b.Loop() {
		render()
		before := processorTime(b)
		alone = append(alone, change().Seconds())
		processor = append(processor, (processorTime(b) - before).Seconds())
		read := beside(b, s)
		quiet := read(func() { time.Sleep(time.Second) })
		render()
		busy := read(func() { change() })
		quiets, meanwhile, slower = append(quiets, quiet*1e6), append(meanwhile, busy*1e6), append(slower, busy/quiet)
		looped = append(looped, read(func() { allocate(time.Second) })/quiet)
		render()
		waits = append(waits, longestWrite(b, s, func() { change() }).Seconds()*1000)
	}
	reportMedian(b, alone, "s/10000")
	reportMedian(b, processor, "processor-s/10000")
	reportMedian(b, quiets, "us-readers-alone")
	reportMedian(b, meanwhile, "us-readers")
	reportMedian(b, slower, "times-as-slow-readers")
	reportMedian(b, looped, "times-as-slow-beside-a-loop")
	reportMedian(b, waits, "ms-longest-other-write")
}

var allocated []byte

// allocate allocates memory in a loop for some time.
func allocate(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
		for range 100 {
			allocated = make([]byte, 256)
		}
	}
}

// processorTime is the time that the processors spent on this process, client included. Other
// programs do not disturb it.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// beside returns a function that has two connections read a list of users and a product,
// each every 5 ms, while it calls another function. It returns the mean time of their answers
// in seconds.
func beside(b *testing.B, s *requestShop) func(during func()) float64 {
	clients := []*load.Client{dial(b, s.addr), dial(b, s.addr)}
	targets := []string{"/api/2.0/users?items_per_page=10", "/api/2.0/products/1"}
	return func(during func()) float64 {
		ctx, cancel := context.WithCancel(b.Context())
		times, counts := make([]time.Duration, len(clients)), make([]int, len(clients))
		var wg sync.WaitGroup
		for i, c := range clients {
			wg.Go(func() {
				for ctx.Err() == nil {
					took, _ := timed(b, c, 200, request("GET", targets[i], ""))
					times[i] += took
					counts[i]++
					time.Sleep(5 * time.Millisecond)
				}
			})
		}
		during()
		cancel()
		wg.Wait()
		return (times[0] + times[1]).Seconds() / float64(counts[0]+counts[1])
	}
}

// longestWrite returns the longest time that a change of another client took meanwhile.
func longestWrite(b *testing.B, s *requestShop, during func()) (longest time.Duration) {
	c := dial(b, s.addr)
	ctx, cancel := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			took, _ := timed(b, c, 200, request("PUT", "/api/2.0/categories/1", fmt.Sprintf(`{"position":"%d"}`, i)))
			longest = max(longest, took)
			time.Sleep(20 * time.Millisecond)
		}
	})
	during()
	cancel()
	wg.Wait()
	return longest
}

const (
	products100 = "/api/2.0/products?items_per_page=100"
	sixFields   = "&fields=product_id,product,product_code,price,full_description,amount"
)

// BenchmarkFields reads a list of 100 products with six fields, and the list with a GET of
// each product, which it replaces, cold and, beside the floor, from the cache.
func BenchmarkFields(b *testing.B) {
	b.Run("cold", func(b *testing.B) {
		s := openRequestShop(b, 1000, shop.Options{Options: shopapi.Options{Limits: shopapi.Limits{CacheBytes: -1}}})
		c := dial(b, s.addr)
		chosen, each := request("GET", products100+sixFields, ""), [][]byte{request("GET", products100, "")}
		for i := range 100 {
			each = append(each, request("GET", fmt.Sprintf("/api/2.0/products/%d", i+1), ""))
		}
		timed(b, c, 200, append(each, chosen)...)
		var ratios, of []float64
		for b.Loop() {
			one, _ := timed(b, c, 200, chosen)
			all, _ := timed(b, c, 200, each...)
			of, ratios = append(of, one.Seconds()*1000), append(ratios, all.Seconds()/one.Seconds())
		}
		reportMedian(b, of, "ms/list")
		reportMedian(b, ratios, "times-as-fast")
	})
	b.Run("hot", func(b *testing.B) {
		s := openRequestShop(b, 1000, shop.Options{})
		_, body := timed(b, dial(b, s.addr), 200, request("GET", products100+sixFields, ""))
		floor := serve(b, bare([]byte(body)))
		compareHot(b, "of-the-floor", s.addr, floor, request("GET", products100+sixFields, ""), request("GET", products100+sixFields, ""))
	})
}

// BenchmarkCompressed reads a hot list of 100 products compressed and plain.
func BenchmarkCompressed(b *testing.B) {
	s := openRequestShop(b, 1000, shop.Options{Options: shopapi.Options{Compress: true}})
	plain := request("GET", products100, "")
	_, body := timed(b, dial(b, s.addr), 200, plain)
	for _, coding := range []string{"gzip", "zstd"} {
		b.Run(coding, func(b *testing.B) {
			coded := bytes.Replace(plain, []byte("\r\n\r\n"), []byte("\r\nAccept-Encoding: "+coding+"\r\n\r\n"), 1)
			_, small := timed(b, dial(b, s.addr), 200, coded)
			compareHot(b, "of-plain", s.addr, s.addr, coded, plain)
			b.ReportMetric(float64(len(body)), "bytes-plain")
			b.ReportMetric(float64(len(small)), "bytes")
		})
	}
}

// BenchmarkOff asks three shops in turns: one with all of these extensions off, a second one
// like it, and one in which they are on and the client uses none. The ratio of the first two is
// the spread of the measurement.
func BenchmarkOff(b *testing.B) {
	for _, of := range []struct {
		name     string
		status   int
		requests [][]byte
	}{
		{"object", 200, [][]byte{request("GET", "/api/2.0/products/1", "")}},
		{"list", 200, [][]byte{request("GET", products100, "")}},
		{"update", 200, [][]byte{request("PUT", "/api/2.0/products/1", `{"amount":"5"}`), request("PUT", "/api/2.0/products/1", `{"amount":"6"}`)}},
	} {
		b.Run(of.name, func(b *testing.B) {
			var shops []string
			for _, o := range []shop.Options{{}, {}, {Batch: true, Options: shopapi.Options{
				Compress: true, AllowedOrigins: []string{"https://admin.example.com"}, RateLimit: shopapi.RateLimit{Requests: 1 << 30, Seconds: 3600},
			}}} {
				shops = append(shops, openRequestShop(b, 100, o).addr)
			}
			pool := load.Pool{Requests: of.requests, Status: of.status}
			var same, on []float64
			for round := 0; b.Loop(); round++ {
				var speeds [3]float64
				for i := range shops {
					turn := (round + i) % len(shops) // each is first as often as the others
					count, err := load.Run(b.Context(), shops[turn], pool, 16, 300*time.Millisecond)
					must(b, err)
					speeds[turn] = count.PerSecond()
				}
				same, on = append(same, speeds[1]/speeds[0]), append(on, speeds[2]/speeds[0])
			}
			reportSpread(b, same, "off-of-off")
			reportSpread(b, on, "on-of-off")
		})
	}
}

// reportSpread reports the median, the least and the most of values.
func reportSpread(b *testing.B, values []float64, unit string) {
	spread := load.SpreadOf(values)
	b.ReportMetric(spread.Median, unit)
	b.ReportMetric(spread.Min, "least-"+unit)
	b.ReportMetric(spread.Max, "most-"+unit)
}

// compareHot reports how many times as many requests a second one server answers as another,
// over 16 connections each, in turns.
func compareHot(b *testing.B, unit, addr, other string, of, by []byte) {
	second := func(addr string, r []byte) float64 {
		count, err := load.Run(b.Context(), addr, load.Pool{Requests: [][]byte{r}, Status: 200}, 16, 300*time.Millisecond)
		must(b, err)
		return count.PerSecond()
	}
	var ratios []float64
	for b.Loop() {
		first := second(addr, of)
		ratios = append(ratios, first/second(other, by))
	}
	reportMedian(b, ratios, unit)
}

// bare checks the credentials and writes a body: the least that a request can cost.
func bare(body []byte) http.Handler {
	want := sha256.Sum256([]byte(data.Key))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		email, key, ok := r.BasicAuth()
		hash := sha256.Sum256([]byte(key))
		if !ok || email != data.Email || subtle.ConstantTimeCompare(hash[:], want[:]) != 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
}
