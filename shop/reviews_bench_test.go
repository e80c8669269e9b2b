package shop_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/internal/handlerbench"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// benchRows is the number of reviews for the benchmarks: the environment variable
// SHOPAPI_BENCH_ROWS, or 100,000.
func benchRows(b *testing.B) int {
	text := os.Getenv("SHOPAPI_BENCH_ROWS")
	if text == "" {
		return 100_000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatalf("SHOPAPI_BENCH_ROWS: %v", err)
	}
	return n
}

// BenchmarkReviews sends requests to the whole API over loopback, on SQLite,
// beside the floor: see [handlerbench.Compare].
func BenchmarkReviews(b *testing.B) {
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	// Without products, so that the objects of reviews need not exist.
	sh, err := shop.New(b.Context(), st, &shop.Options{Without: []string{"products", "exceptions"}})
	if err != nil {
		b.Fatal(err)
	}
	const email = "root@example.com"
	key, _, err := users.EnsureRoot(b.Context(), st, email)
	if err != nil {
		b.Fatal(err)
	}
	reviews := sh.Discussions
	start := time.Now()
	rows := benchRows(b)
	load(b, st, reviews, rows)
	b.Logf("%d reviews loaded in %s", rows, time.Since(start).Round(time.Millisecond))

	const body = `{"object_type":"P","object_id":41,"name":"Ana","message":"Holds heat well, pours without a drip, and looks good on the table.","rating_value":5}`
	for _, bench := range []struct{ name, method, query, body string }{
		{"Get", "GET", fmt.Sprintf("/%d", rows/2), ""},
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
				handlerbench.Compare(b, sh, handlerbench.Request{
					Method: bench.method, Address: "/api/2.0/discussions" + bench.query, Body: bench.body, Email: email, Key: key,
				}, clients)
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
