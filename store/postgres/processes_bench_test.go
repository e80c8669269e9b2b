//go:build unix

package postgres_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	osexec "os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// BenchmarkProcesses loads one process that serves a shop, then two over the same
// database, each on one processor (GOMAXPROCS=1) with four connections. "near" has the
// database on the socket of this machine, where it takes processors away from the
// processes; "far" delays each direction by one millisecond, as another machine would, so
// that it is not the limit. The metric x/one is the throughput of two processes divided
// by the throughput of one.
func BenchmarkProcesses(b *testing.B) {
	const span = 3 * time.Second
	for _, place := range []string{"near", "far"} {
		b.Run(place, func(b *testing.B) {
			server := pgtest.Start(b, pgtest.Options{})
			newBenchShop(b, server.DSN())
			dsn := server.DSNWith("pool_max_conns=4")
			if place == "far" {
				p := newProxy(b, server)
				p.delay = time.Millisecond
				dsn = p.dsn() + " pool_max_conns=4"
			}
			one, two := serveShop(b, dsn), serveShop(b, dsn)
			for b.Loop() {
				alone := served(b, span, one)
				both := served(b, span, one, two)
				b.ReportMetric(float64(alone)/span.Seconds(), "one/s")
				b.ReportMetric(float64(both)/span.Seconds(), "two/s")
				b.ReportMetric(float64(both)/float64(alone), "x/one")
			}
		})
	}
}

// serveShop starts a process that serves the shop, and returns its address.
func serveShop(b *testing.B, dsn string) (url string) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	process := osexec.CommandContext(b.Context(), self)
	process.Env = append(os.Environ(), "POSTGRES_TEST_SERVE="+dsn, "GOMAXPROCS=1")
	process.Stderr = os.Stderr
	out, err := process.StdoutPipe()
	if err == nil {
		err = process.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	url, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(url)
}

// serve is such a process.
func serve(dsn string) error {
	st, err := postgres.Open(context.Background(), dsn)
	if err != nil {
		return err
	}
	s, err := shop.New(context.Background(), st, &shop.Options{Options: shopapi.Options{Logger: slog.New(slog.DiscardHandler)}})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	return http.Serve(listener, s)
}

// served counts the requests that the processes serve within a span, when each
// has eight clients.
func served(b *testing.B, span time.Duration, urls ...string) int64 {
	b.Helper()
	var n atomic.Int64
	var all sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	end := time.Now().Add(span)
	for _, url := range urls {
		for c := range 8 {
			all.Go(func() {
				for i := c; time.Now().Before(end); i++ {
					req, err := http.NewRequest("GET", fmt.Sprintf("%s/api/2.0/categories/%d", url, i%benchShop+1), nil)
					if err != nil {
						b.Error(err)
						return
					}
					req.SetBasicAuth(benchEmail, benchKey)
					resp, err := client.Do(req)
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					if resp.StatusCode != http.StatusOK {
						b.Errorf("a request gets %d", resp.StatusCode)
						return
					}
					n.Add(1)
				}
			})
		}
	}
	all.Wait()
	return n.Load()
}
