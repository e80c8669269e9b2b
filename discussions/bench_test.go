package discussions_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

var benchReviews = flag.Int("reviews", 100_000, "number of reviews that benchmarks run over")

// BenchmarkDiscussions sends requests to the whole API over loopback, on SQLite,
// beside a bare handler that checks the same credentials and answers the same
// bytes. The metric "of-bare" is the time of that one in relation to ours: 1 is as
// fast.
func BenchmarkDiscussions(b *testing.B) {
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	api := shopapi.New(&shopapi.Options{
		Authenticator: shopapi.AuthenticatorFunc(func(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
			if c.Email == "root@example.com" && c.Key == "key" {
				return users[c.Email], nil
			}
			return nil, shopapi.ErrBadCredentials
		}),
	})
	reviews, err := discussions.Register(b.Context(), api, st)
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	load(b, st, reviews, *benchReviews)
	b.Logf("%d reviews loaded in %s", *benchReviews, time.Since(start).Round(time.Millisecond))

	const body = `{"object_type":"P","object_id":41,"name":"Ana","message":"Holds heat well, pours without a drip, and looks good on the table.","rating_value":5}`
	for _, bench := range []struct{ name, method, query, body string }{
		{"Get", "GET", "/5000", ""},
		{"List10", "GET", "?items_per_page=10", ""},
		{"List10Status", "GET", "?status=A&sort_by=timestamp&items_per_page=10", ""},
		{"List100Status", "GET", "?status=A&sort_by=timestamp&items_per_page=100", ""},
		{"List10StatusPage5000", "GET", "?status=A&sort_by=timestamp&items_per_page=10&page=5000", ""},
		{"List10Object", "GET", "?object_type=P&object_id=500&items_per_page=10", ""},
		{"List10Month", "GET", "?period=C&time_from=1700000000&time_to=1702600000&items_per_page=10", ""},
		{"List10Rating", "GET", "?rating_value=3&items_per_page=10", ""},
		{"List10Type", "GET", "?type=B&items_per_page=10", ""},
		{"List10SortName", "GET", "?sort_by=name&items_per_page=10", ""},
		{"List10SortStatus", "GET", "?sort_by=status&items_per_page=10", ""},
		{"List10SortIPAddress", "GET", "?sort_by=ip_address&items_per_page=10", ""},
		{"List10StatusSortName", "GET", "?status=A&sort_by=name&items_per_page=10", ""},
		{"List10Message", "GET", "?message=drip+4711&items_per_page=10", ""},
		{"List10Name", "GET", "?name=ana+47&items_per_page=10", ""},
		{"Post", "POST", "", body},
	} {
		for _, clients := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/clients=%d", bench.name, clients), func(b *testing.B) {
				compare(b, api, bench.method, "/api/2.0/discussions"+bench.query, bench.body, clients)
			})
		}
	}
	b.Run("GoApproved", func(b *testing.B) {
		for b.Loop() {
			if _, err := reviews.Approved(b.Context(), discussions.Product, 500, 10, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// load files n reviews of a thousand products, one in ten of them disapproved.
func load(b *testing.B, st store.Store, reviews *discussions.Discussions, n int) {
	b.Helper()
	const batch = 5000
	for first := 0; first < n; first += batch {
		err := st.Update(b.Context(), func(ctx context.Context, _ store.Tx) error {
			for i := first; i < min(n, first+batch); i++ {
				p := discussions.Post{
					ObjectType: discussions.Product, ObjectID: int64(i*7919%1000 + 1),
					Name: fmt.Sprintf("Ana %d", i%5000), Message: fmt.Sprintf("Holds heat well, pours without a drip %d. ", i) + strings.Repeat("Looks good on the table. ", i%10),
					RatingValue: discussions.Rating(i % 6), Timestamp: int64(1_600_000_000 + i*7919%n*1000),
					IPAddress: fmt.Sprintf("192.0.%d.%d", i/256%256, i%256),
				}
				if i%10 == 0 {
					p.Status = discussions.Disapproved
				}
				if _, err := reviews.Create(ctx, p); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// compare runs b.N requests against the bare handler, then against the API.
func compare(b *testing.B, api http.Handler, method, address, body string, clients int) {
	w := httptest.NewRecorder()
	api.ServeHTTP(w, newRequest(b, method, "http://shop.example"+address, body))
	if w.Code >= 300 {
		b.Fatalf("%s %s is answered %d %s", method, address, w.Code, w.Body)
	}
	bare := send(b, bareHandler(w), method, address, body, clients)
	b.ResetTimer()
	ours := send(b, api, method, address, body, clients)
	b.ReportMetric(float64(bare)/float64(ours), "of-bare")
}

// bareHandler checks credentials and answers as an answer of the API was.
func bareHandler(as *httptest.ResponseRecorder) http.Handler {
	header, status, body := as.Header(), as.Code, as.Body.Bytes()
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if email, key, ok := req.BasicAuth(); !ok || email != "root@example.com" || key != "key" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})
}

// send has clients share b.N requests over connections that are kept open.
func send(b *testing.B, handler http.Handler, method, address, body string, clients int) time.Duration {
	server := httptest.NewServer(handler)
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	var sent atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for range clients {
		wg.Go(func() {
			for sent.Add(1) <= int64(b.N) {
				answer, err := client.Do(newRequest(b, method, server.URL+address, body))
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				if answer.StatusCode >= 300 {
					b.Errorf("%s %s is answered %s", method, address, answer.Status)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

func newRequest(b *testing.B, method, url, body string) *http.Request {
	req, err := http.NewRequestWithContext(b.Context(), method, url, strings.NewReader(body))
	if err != nil {
		panic(err) // the addresses are constants
	}
	req.SetBasicAuth("root@example.com", "key")
	req.Header.Set("Content-Type", "application/json")
	return req
}
