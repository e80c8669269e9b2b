package shopapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// heapBytes is what the heap holds once all is freed that can be.
func heapBytes() int64 {
	var m runtime.MemStats
	for range 3 { // pools take two to be emptied
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// memoryShop is an API over notes whose authenticator knows everybody, with any number
// of privileges, but the key "wrong".
func memoryShop(t *testing.T, limits shopapi.Limits, text string, privileges int) http.Handler {
	t.Helper()
	st := memory.New()
	if err := st.Migrate(t.Context(), noteTable.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return noteTable.Insert(tx, &note{Text: text}) })
	if err != nil {
		t.Fatal(err)
	}
	api := shopapi.New(&shopapi.Options{
		Limits: limits,
		Authenticator: cacheableAuthenticator{func(ctx context.Context, c shopapi.Credentials) (*shopapi.User, error) {
			err := st.View(ctx, func(_ context.Context, tx store.Tx) error {
				_, err := noteTable.Count(tx)
				return err
			})
			if c.Key == "wrong" {
				return nil, shopapi.ErrBadCredentials
			}
			u := &shopapi.User{ID: 1, Type: shopapi.Administrator, Name: "Mallory", Email: c.Email, Privileges: map[string]bool{"view": true}}
			for i := range privileges {
				u.Privileges[fmt.Sprintf("privilege_%d_of_this_user", i)] = true
			}
			return u, err
		}},
	})
	if err := api.Register(&notes{st: st, name: "notes"}); err != nil {
		t.Fatal(err)
	}
	return api
}

// What the API keeps on behalf of requests is within Limits.CacheBytes and a quarter
// more, whatever clients ask for: the response cache, the cache of users and the login
// limiter together.
func TestLimits_MemoryIsBounded(t *testing.T) {
	const budget = 4 << 20
	for _, test := range []struct {
		name       string
		text       string // of the one note
		privileges int
		requests   int
		request    func(i int) (query, email, key string)
	}{
		{"short responses", "", 0, 8_000, func(i int) (string, string, string) { return fmt.Sprint(i), "a@example.com", "key" }},
		{"longer ones", strings.Repeat("x", 3_000), 0, 2_000, func(i int) (string, string, string) { return fmt.Sprint(i), "a@example.com", "key" }},
		{"long addresses", "", 0, 3_000, func(i int) (string, string, string) {
			return fmt.Sprint(i, strings.Repeat("q", 1_800)), "a@example.com", "key"
		}},
		{"users", "", 0, 8_000, func(i int) (string, string, string) { return "", fmt.Sprintf("user%d@example.com", i), "key" }},
		{"users with many privileges", "", 200, 400, func(i int) (string, string, string) { return "", fmt.Sprintf("user%d@example.com", i), "key" }},
		{"spellings of one user", "", 20, 4_000, func(i int) (string, string, string) {
			return "", strings.Repeat(" ", i%100) + "user@example.com" + strings.Repeat(" ", i/100), "key"
		}},
		{"all of it", strings.Repeat("x", 500), 20, 8_000, func(i int) (string, string, string) {
			return fmt.Sprint(i), fmt.Sprintf("user%d@example.com", i), "key"
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := heapBytes()
			h := memoryShop(t, shopapi.Limits{CacheBytes: budget, LoginEntries: 2_000}, test.text, test.privileges)
			for i := range test.requests + 20 {
				query, email, key := test.request(i)
				if i >= test.requests { // the login limiter has its counters at the first failure
					key = "wrong"
				}
				req := httptest.NewRequest("GET", "/api/notes?x="+strings.ReplaceAll(query, " ", ""), nil)
				req.SetBasicAuth(email, key)
				req.RemoteAddr = fmt.Sprintf("192.0.%d.%d:1", i/200%200, i%200)
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, req); w.Code != 200 && w.Code != 401 {
					t.Fatalf("answered %d %s", w.Code, w.Body)
				}
			}
			kept := heapBytes() - before
			runtime.KeepAlive(h)
			t.Logf("%.0f %% of the budget is kept", 100*float64(kept)/budget)
			if kept > budget*5/4 {
				t.Errorf("%d KiB are kept, more than %d KiB", kept>>10, budget*5/4>>10)
			}
		})
	}
}
