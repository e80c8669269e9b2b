package shopapi_test

import (
	"github.com/shopapi/shopapi/internal/notestest"

	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

func TestOptions_Validate(t *testing.T) {
	for _, c := range []struct {
		name string
		opts *shopapi.Options
		want []string // the fields in the error; empty: no error
	}{
		{"nil", nil, nil},
		{"the zero value", &shopapi.Options{}, nil},
		{"no cache", &shopapi.Options{Limits: shopapi.Limits{CacheBytes: -1}}, nil},
		{"the largest editions", &shopapi.Options{Edition: shopapi.MultiVendor, Dialect: shopapi.DialectLive}, nil},
		{"one limit", &shopapi.Options{Limits: shopapi.Limits{Time: -time.Second}}, []string{"Limits.Time"}},
		{"all of them", &shopapi.Options{DefaultCompany: -1, Limits: shopapi.Limits{
			Body: -1, Query: -1, Response: -1, ItemsPerPage: -1, MaxItemsPerPage: -1, Time: -1, Events: -1, LoginFailures: -1, LoginWindow: -1, LoginEntries: -1,
		}}, []string{
			"Limits.Body", "Limits.Query", "Limits.Response", "Limits.ItemsPerPage", "Limits.MaxItemsPerPage", "Limits.Time", "Limits.Events",
			"Limits.LoginFailures", "Limits.LoginWindow", "Limits.LoginEntries", "DefaultCompany",
		}},
		{"an origin", &shopapi.Options{TrustedOrigins: []string{"https://admin.example.com", "http://localhost:8080"}}, nil},
		{"allowed origins and a rate", &shopapi.Options{AllowedOrigins: []string{"https://admin.example.com"}, RateLimit: shopapi.RateLimit{Requests: 20, Seconds: 3}}, nil},
		{"all origins", &shopapi.Options{AllowedOrigins: []string{"*"}}, []string{"AllowedOrigins"}},
		{"the origin null", &shopapi.Options{AllowedOrigins: []string{"null"}}, []string{"AllowedOrigins"}},
		{"a rate without time", &shopapi.Options{RateLimit: shopapi.RateLimit{Requests: 20}}, []string{"RateLimit.Seconds"}},
		{"more seconds than a window can have", &shopapi.Options{RateLimit: shopapi.RateLimit{Requests: 1, Seconds: math.MaxInt}}, []string{"RateLimit.Seconds"}},
		{"more entries than memory can have", &shopapi.Options{Limits: shopapi.Limits{LoginEntries: math.MaxInt}}, []string{"Limits.LoginEntries"}},
		{"a negative rate", &shopapi.Options{RateLimit: shopapi.RateLimit{Requests: -1, Seconds: -1}}, []string{"RateLimit.Requests", "RateLimit.Seconds"}},
		{"an address in place of an origin", &shopapi.Options{TrustedOrigins: []string{"https://admin.example.com/"}}, []string{"TrustedOrigins"}},
		{"an origin in capitals", &shopapi.Options{AllowedOrigins: []string{"HTTPS://Admin.example.com"}}, []string{"AllowedOrigins"}},
		{"an origin with the port of its scheme", &shopapi.Options{TrustedOrigins: []string{"https://admin.example.com:443"}}, []string{"TrustedOrigins"}},
		{"an origin with another port", &shopapi.Options{TrustedOrigins: []string{"https://admin.example.com:80", "http://[::1]:8080"}}, nil},
		{"all hosts of a domain", &shopapi.Options{AllowedOrigins: []string{"https://*.example.com"}}, []string{"AllowedOrigins"}},
		{"an origin that is not ASCII", &shopapi.Options{AllowedOrigins: []string{"https://müller.example"}}, []string{"AllowedOrigins"}},
		{"a host in place of an origin", &shopapi.Options{TrustedOrigins: []string{"admin.example.com"}}, []string{"TrustedOrigins"}},
		{"a banner", &shopapi.Options{Banner: shopapi.Banner{Brand: "Shop", Version: "4.18.1", Edition: "ULTIMATE"}}, nil},
		{"a banner that lacks a word, and has two in one", &shopapi.Options{Banner: shopapi.Banner{Brand: "My Shop", Edition: "ULTIMATE\n"}}, []string{"Banner.Brand", "Banner.Version", "Banner.Edition"}},
		{"proxies", &shopapi.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}, nil},
		{"a proxy without an address", &shopapi.Options{TrustedProxies: []netip.Prefix{{}}}, []string{"TrustedProxies"}},
		{"a proxy of IPv4 in IPv6", &shopapi.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("::ffff:10.0.0.0/104")}}, []string{"TrustedProxies"}},
		{"an edition and a dialect that there are not", &shopapi.Options{Edition: 3, Dialect: -1}, []string{"Edition", "Dialect"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.opts.Validate()
			if (err != nil) != (len(c.want) > 0) {
				t.Fatalf("got %v", err)
			}
			for _, name := range c.want {
				if !strings.Contains(err.Error(), "Options."+name+" ") {
					t.Errorf("%v does not name %s", err, name)
				}
			}
			defer func() {
				if p := recover(); (p != nil) != (err != nil) {
					t.Errorf("New panicked with %v", p)
				}
			}()
			shopapi.New(c.opts)
		})
	}
}

// A rename of privileges that names no entity would leave them as they are.
func TestCheck_PrivilegesOfAnEntityThatNobodyRegistered(t *testing.T) {
	rename := func(names ...string) func(*shopapi.Options) {
		return func(o *shopapi.Options) {
			o.Privileges = map[string]shopapi.Privileges{}
			for _, name := range names {
				o.Privileges[name] = shopapi.Privileges{View: "v", Manage: "m"}
			}
		}
	}
	s := newShop(t, rename("aisles", "under"))
	if err := s.RegisterUnder("aisles", newThings("under", &s.trace)); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Errorf("names that are registered: %v", err)
	}
	s.do("GET", "/api/aisles", "").want(200)

	s = newShop(t, rename("isles", "aisles", "shelfs"))
	if err := s.Check(); err == nil || !strings.HasSuffix(err.Error(), "not registered: isles, shelfs") {
		t.Errorf("got %v", err)
	}
	for range 2 {
		s.do("GET", "/api/aisles", "").want(500)
	}
	if !strings.Contains(s.log.String(), "isles, shelfs") {
		t.Error("the log lacks the names")
	}
	if len(s.trace) > 0 {
		t.Errorf("operations ran: %q", s.trace)
	}
}

// heapBytes returns the size of the heap after garbage collection.
func heapBytes() int64 {
	var m runtime.MemStats
	for range 3 { // pools take two to be emptied
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// memoryShop is an API over notes whose authenticator accepts every user, with any number
// of privileges, but not the key "wrong".
func memoryShop(t *testing.T, limits shopapi.Limits, text string, privileges int) http.Handler {
	t.Helper()
	st := memory.New()
	if err := st.Migrate(t.Context(), notestest.Table.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return notestest.Table.Insert(tx, &notestest.Note{Text: text})
	})
	if err != nil {
		t.Fatal(err)
	}
	api := shopapi.New(&shopapi.Options{
		Limits: limits,
		Authenticator: notestest.Authenticator{AuthenticatorFunc: func(ctx context.Context, c shopapi.Credentials) (*shopapi.User, error) {
			err := st.View(ctx, func(_ context.Context, tx store.Tx) error {
				_, err := notestest.Table.Count(tx)
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
	if err := api.Register(&notestest.Notes{Store: st, Name: "notes"}); err != nil {
		t.Fatal(err)
	}
	return api
}

// The API's caches stay within Limits.CacheBytes plus a quarter, whatever clients
// request: the response cache, the cache of users and the login limiter together.
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
