// Package handlerbench measures a handler over loopback against a floor: a handler that
// checks the same credentials and writes the same bytes. The difference is the cost of
// the handler. It serves the benchmarks of this module.
package handlerbench

import (
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Request is the measured request.
type Request struct {
	Method, Address, Body string
	Email, Key            string
}

// new makes the request anew, to a server at base.
func (r Request) new(b *testing.B, base string) *http.Request {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), r.Method, base+r.Address, strings.NewReader(r.Body))
	if err != nil {
		b.Fatal(err)
	}
	req.SetBasicAuth(r.Email, r.Key)
	req.Header.Set("Content-Type", "application/json")
	return req
}

// Compare has clients send b.N requests to the handler, in turns with as many to
// the floor. The metric "of-floor" is the time of the floor as a share of the
// handler's: 1 is as fast.
func Compare(b *testing.B, handler http.Handler, r Request, clients int) {
	b.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r.new(b, "http://shop.example"))
	if w.Code >= 300 {
		b.Fatalf("%s %s is answered %d %s", r.Method, r.Address, w.Code, w.Body)
	}
	floor, ours := httptest.NewServer(floorOf(r, w)), httptest.NewServer(handler)
	defer floor.Close()
	defer ours.Close()
	const rounds = 5
	var floorTime, oursTime time.Duration
	b.ResetTimer()
	for i := range rounds {
		n := b.N/rounds + (b.N%rounds+i)/rounds
		b.StopTimer()
		floorTime += send(b, floor.URL, r, clients, n)
		b.StartTimer()
		oursTime += send(b, ours.URL, r, clients, n)
	}
	b.ReportMetric(float64(floorTime)/float64(oursTime), "of-floor")
}

// floorOf responds as a recorded response was, to requests with the credentials.
func floorOf(r Request, as *httptest.ResponseRecorder) http.Handler {
	header, status, body := as.Header(), as.Code, as.Body.Bytes()
	want := sha256.Sum256([]byte(r.Key))
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		email, key, _ := req.BasicAuth()
		got := sha256.Sum256([]byte(key))
		if email != r.Email || subtle.ConstantTimeCompare(got[:], want[:]) == 0 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		// The server notices what cannot be read.
		_, _ = io.Copy(io.Discard, req.Body)
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})
}

// send has clients share n requests over persistent connections, and
// returns how long that took.
func send(b *testing.B, base string, r Request, clients, n int) time.Duration {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	var sent atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for range clients {
		wg.Go(func() {
			for sent.Add(1) <= int64(n) {
				answer, err := client.Do(r.new(b, base))
				if err != nil {
					b.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				if err != nil || answer.StatusCode >= 300 {
					b.Errorf("%s %s is answered %s, %v", r.Method, r.Address, answer.Status, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// Allocations calls the handler itself, without a network, so that it counts only the
// handler's allocations.
func Allocations(b *testing.B, handler http.Handler, r Request) {
	b.Helper()
	req := r.new(b, "http://shop.example")
	w := &sink{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		handler.ServeHTTP(w, req)
	}
	if w.status != http.StatusOK {
		b.Fatalf("%s %s is answered %d", r.Method, r.Address, w.status)
	}
}

// A sink is a response writer that notes the status only.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
