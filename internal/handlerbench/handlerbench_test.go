package handlerbench_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/handlerbench"
	wholeshop "github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// BenchmarkHandler reads one category and a list of 60 through the whole handler,
// over both stores, with the response cache and without. "of-floor" compares with
// the floor over loopback; allocs/op are the handler's own, without a network.
func BenchmarkHandler(b *testing.B) {
	file, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, over := range []struct {
		name string
		st   store.Store
	}{{"sqlite", file}, {"memory", memory.New()}} {
		key := benchShop(b, over.st)
		for _, cache := range []struct {
			name  string
			bytes int64
		}{{"uncached", -1}, {"cached", 0}} {
			sh, err := wholeshop.New(b.Context(), over.st, &wholeshop.Options{Options: shopapi.Options{Limits: shopapi.Limits{CacheBytes: cache.bytes}}})
			if err != nil {
				b.Fatal(err)
			}
			for name, address := range map[string]string{"GetOne": "/api/2.0/categories/30", "List60": "/api/2.0/categories"} {
				r := handlerbench.Request{Method: "GET", Address: address, Email: "root@example.com", Key: key}
				prefix := fmt.Sprintf("%s/%s/%s", over.name, cache.name, name)
				b.Run(prefix+"/loopback", func(b *testing.B) { handlerbench.Compare(b, sh, r, 16) })
				b.Run(prefix+"/handler", func(b *testing.B) { handlerbench.Allocations(b, sh, r) })
			}
		}
		if err := over.st.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// benchShop makes a root user and 60 categories, and returns the user's key.
func benchShop(b *testing.B, st store.Store) (key string) {
	b.Helper()
	sh, err := wholeshop.New(b.Context(), st, nil)
	if err != nil {
		b.Fatal(err)
	}
	key, _, err = users.EnsureRoot(b.Context(), st, "root@example.com")
	if err != nil {
		b.Fatal(err)
	}
	for i := range 60 {
		c := categories.Category{Summary: categories.Summary{Name: fmt.Sprintf("Category %d", i), ParentID: int64(i / 10)}}
		if _, err := sh.Categories.Create(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	return key
}

// BenchmarkRefusal compares a wrong key for the e-mail of a user with one for an unknown
// e-mail (§3): the metric "unknown/known" is the ratio of the median times, 1 if they
// cannot be distinguished. "lookup" is the time of the authenticator alone, "handler" of
// a whole request, "loopback" of a request over the network.
func BenchmarkRefusal(b *testing.B) {
	file, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	for name, st := range map[string]store.Store{"sqlite": file, "memory": memory.New()} {
		benchShop(b, st)
		sh, err := wholeshop.New(b.Context(), st, &wholeshop.Options{Options: shopapi.Options{
			Limits: shopapi.Limits{LoginFailures: 1 << 30}, Logger: slog.New(slog.DiscardHandler),
		}})
		if err != nil {
			b.Fatal(err)
		}
		auth := users.NewAuthenticator(st)
		b.Run(name+"/lookup", func(b *testing.B) {
			compareRefusals(b, func(email string) error {
				_, err := auth.Authenticate(context.Background(), shopapi.Credentials{Email: email, Key: "AAAAAAAAAAAAAAAAAAAAAAAAAA"})
				return err
			})
		})
		server := httptest.NewServer(sh)
		for way, send := range map[string]func(*http.Request) error{
			"handler":  func(r *http.Request) error { sh.ServeHTTP(httptest.NewRecorder(), r); return nil },
			"loopback": func(r *http.Request) error { _, err := roundTrip(r); return err },
		} {
			b.Run(name+"/"+way, func(b *testing.B) {
				compareRefusals(b, func(email string) error {
					r, err := http.NewRequestWithContext(b.Context(), "GET", server.URL+"/api/2.0/categories", nil)
					if err != nil {
						return err
					}
					r.RemoteAddr = "192.0.2.1:1"
					r.SetBasicAuth(email, "AAAAAAAAAAAAAAAAAAAAAAAAAA")
					return send(r)
				})
			})
		}
		server.Close()
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func roundTrip(r *http.Request) (status int, err error) {
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// compareRefusals tries the e-mails in turns.
func compareRefusals(b *testing.B, try func(email string) error) {
	b.Helper()
	emails := []string{"root@example.com", "none@example.com"}
	var times [2][]time.Duration
	for i := range 2 * max(100, b.N) {
		began := time.Now()
		err := try(emails[i%2])
		times[i%2] = append(times[i%2], time.Since(began))
		if err != nil && err != shopapi.ErrBadCredentials {
			b.Fatal(err)
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	known, unknown := times[0][len(times[0])/2], times[1][len(times[1])/2]
	b.ReportMetric(float64(unknown)/float64(known), "unknown/known")
	b.ReportMetric(float64((unknown - known).Nanoseconds()), "ns-apart")
}
