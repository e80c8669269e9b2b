package changes_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// A countingStore counts the transactions that read.
type countingStore struct {
	store.Store
	views atomic.Int64
}

func (s *countingStore) View(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	s.views.Add(1)
	return s.Store.View(ctx, fn)
}

func (s *countingStore) Unwrap() store.Store { return s.Store }

// A listener is the client of a stream that has no connection.
type listener struct {
	header http.Header
	events chan<- struct{} // gets an element for each event with data
}

func (l *listener) Header() http.Header { return l.header }
func (l *listener) WriteHeader(int)     {}
func (l *listener) Flush()              {}

func (l *listener) Write(b []byte) (int, error) {
	for range strings.Count(string(b), "\ndata: ") {
		l.events <- struct{}{}
	}
	return len(b), nil
}

// listen opens n streams, and waits until all of them wait for changes.
func listen(t testing.TB, s *shop.Shop, n int) (events <-chan struct{}) {
	t.Helper()
	sent := make(chan struct{}, 64*n)
	ctx, cancel := context.WithCancel(context.Background())
	var streams sync.WaitGroup
	t.Cleanup(func() { cancel(); streams.Wait() })
	for range n {
		streams.Go(func() {
			req := httptest.NewRequestWithContext(ctx, "GET", "/api/changes", nil)
			req.SetBasicAuth("root", "key")
			req.Header.Set("Accept", "text/event-stream")
			s.ServeHTTP(&listener{http.Header{}, sent}, req)
		})
	}
	for s.Changes.Waiting() < n {
		time.Sleep(time.Millisecond)
	}
	return sent
}

func openForStreams(t testing.TB, st store.Store) *shop.Shop {
	t.Helper()
	s, err := shop.New(t.Context(), st, &shop.Options{
		Changes: changes.Options{Mode: changes.On},
		Options: shopapi.Options{Authenticator: newStaff(), Limits: shopapi.Limits{Streams: 2000, UserStreams: 2000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestE4_OneReaderForAllStreams: a change is read once for all waiting streams, which
// otherwise use neither transactions nor much memory.
func TestE4_OneReaderForAllStreams(t *testing.T) {
	const streams = 1000
	st := &countingStore{Store: shoptest.Memory(t)}
	s := openForStreams(t, st)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	events := listen(t, s, streams)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if used := int64(after.HeapInuse+after.StackInuse) - int64(before.HeapInuse+before.StackInuse); used > 32<<20 {
		t.Errorf("%d waiting streams take %d KiB", streams, used>>10)
	}
	t.Logf("%d waiting streams take %d KiB", streams, (int64(after.HeapInuse+after.StackInuse)-int64(before.HeapInuse+before.StackInuse))>>10)
	const written = 5
	from := st.views.Load()
	begun := time.Now()
	for range written {
		must[categories.Category](t)(s.Categories.Create(t.Context(), category("Cups")))
		for range streams {
			<-events
		}
	}
	looks := int64(time.Since(begun)/(changes.PollEvery)) + 1
	if n := st.views.Load() - from; n > 4*written+2*looks {
		t.Errorf("%d changes cost %d reading transactions with %d waiting streams", written, n, streams)
	}
}

// TestE4_SlowReader: a reader that falls behind the rows of the feed reads from the database,
// and misses none.
func TestE4_SlowReader(t *testing.T) {
	t.Parallel()
	s := open(t, shoptest.Memory(t), changes.Options{Mode: changes.On}, nil)
	s.Changes.SetRecent(20)
	const written = 1000
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cursor := must[string](t)(s.Changes.Position(ctx))
	must[categories.Category](t)(s.Categories.Create(ctx, category("First")))
	n := 0
	for _, err := range s.Changes.Follow(ctx, cursor, changes.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 1 {
			for range written / 100 {
				list := make([]categories.Category, 100)
				for i := range list {
					list[i] = category("Cup")
				}
				must[[]categories.Category](t)(s.Categories.CreateAll(ctx, list))
			}
		}
		if n == written+1 {
			break
		}
	}
}

// TestE4_PrunesByBytesInSteps: the log keeps about as many bytes as its options say, and no
// transaction removes more than a bounded number of rows.
func TestE4_PrunesByBytesInSteps(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := open(t, st, changes.Options{Mode: changes.On, MaxBytes: 100_000}, apitest.NewClock(time.Unix(1_700_000_000, 0)))
		ctx := t.Context()
		resume := s.Changes.PausePruning()
		had := 0
		for range 20 {
			list := make([]categories.Category, 100)
			for i := range list {
				list[i] = category("Cup")
			}
			must[[]categories.Category](t)(s.Categories.CreateAll(ctx, list))
			rows, _ := s.Changes.Kept(ctx, t)
			if had+100-rows > changes.PruneBatch {
				t.Errorf("E4: %d rows became %d with 100 more", had, rows)
			}
			had = rows
		}
		for removed := 1; removed > 0; {
			if _, err := s.Changes.Prune(ctx); err != nil {
				t.Fatal(err)
			}
			rows, _ := s.Changes.Kept(ctx, t)
			if removed = had - rows; removed > changes.PruneBatch {
				t.Errorf("E4: %d rows became %d", had, rows)
			}
			had = rows
		}
		resume()
		waitUntil(t, "the log keeps 100,000 bytes", func() bool {
			must[categories.Category](t)(s.Categories.Create(ctx, category("Last")))
			rows, bytes := s.Changes.Kept(ctx, t)
			return bytes <= 100_000+changes.PruneEvery*changes.RowBytes*2 && rows > 300
		})
	})
}

func waitUntil(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("E4: %s: it does not", what)
		}
	}
}
