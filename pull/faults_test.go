package pull_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/store/memory"
)

// everyNth has a handler fail at each nth request in a row.
func everyNth(n int, fault http.HandlerFunc) func(http.Handler) http.Handler {
	var mu sync.Mutex
	count := 0
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			count++
			fails := count%n == 0
			mu.Unlock()
			if fails {
				fault(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// An old shop with faults that pass is taken wholly.
func TestE8_FaultsThatPass(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	want := tables(t, old)
	for name, fault := range map[string]http.HandlerFunc{
		"500": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "PHP Fatal error", 500) },
		"429 with Retry-After": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "0")
			http.Error(w, `{"message":"slow down"}`, http.StatusTooManyRequests)
		},
		"cut in the middle": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte(`{"products":[`))
		},
		"half of a JSON document": func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"products":[{"product_id":`)) },
		"a page of a proxy":       func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`<html>Just a moment</html>`)) },
		"silence": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-time.After(5 * time.Second):
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, old, shopapi.DialectDocumented, everyNth(11, fault))
			st := memory.New()
			o := from(url)
			o.Timeout = 200 * time.Millisecond
			report := run(t, newShop(t, st), o)
			if len(report.Problems) > 0 {
				t.Errorf("problems %+v", report.Problems)
			}
			if diff := gocmp.Diff(want, tables(t, st)); diff != "" {
				t.Errorf("tables (-old +new):\n%s", diff)
			}
		})
	}
}

// refusing answers a status below an address.
func refusing(prefix string, status int) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/api/2.0/"+prefix) {
				http.Error(w, `{"message":"no","status":0}`, status)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Objects that may not be read are reported, and the rest is pulled.
func TestE8_FaultsOfAnEntity(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	for name, test := range map[string]struct {
		prefix     string
		status     int
		entity, id string
		reason     string
	}{
		"403 on one entity":    {prefix: "taxes", status: 403, entity: "taxes", reason: "403"},
		"an object that fails": {prefix: "products/1", status: 500, entity: "products", id: "1", reason: "500"},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, old, shopapi.DialectDocumented, refusing(test.prefix, test.status))
			report := run(t, newShop(t, memory.New()), from(url))
			i := slices.IndexFunc(report.Problems, func(p pull.Problem) bool { return p.Entity == test.entity && p.ID == test.id })
			if i < 0 || !strings.Contains(report.Problems[i].Reason, test.reason) {
				t.Errorf("problems %+v", report.Problems)
			}
			if n := report.Counts["orders"]; n.Here == 0 || n.Here != n.There {
				t.Errorf("orders: %+v", n)
			}
		})
	}
}

// The error that ends a run has its reason, and a new run continues there.
func TestE8_ErrorsThatEndARun(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the credentials were sent to another origin")
		}
		w.Write([]byte(`[]`))
	}))
	defer elsewhere.Close()
	redirect := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusMovedPermanently)
		})
	}
	encrypted := httptest.NewTLSServer(newShop(t, old))
	defer encrypted.Close()
	for name, test := range map[string]struct {
		change func(o *pull.Options)
		want   string
	}{
		"a wrong key": {func(o *pull.Options) {
			o.From, o.Key = serve(t, old, shopapi.DialectDocumented), "wrong-wrong-wrong-wrong"
		}, "Check the e-mail address and the key"},
		"another origin": {func(o *pull.Options) { o.From = serve(t, old, shopapi.DialectDocumented, redirect) }, "where the key is not sent"},
		"no entity": {func(o *pull.Options) {
			o.From = serve(t, old, shopapi.DialectDocumented, refusing("", 404)) + "/elsewhere"
		}, "no entity answers"},
		"a wrong certificate": {func(o *pull.Options) { o.From = encrypted.URL + "/api" }, "certificate"},
		"plain http":          {func(o *pull.Options) { o.Insecure = false; o.From = "http://old.example/api" }, "must begin with https"},
		"a key in the URL":    {func(o *pull.Options) { o.From = "https://a:secret-key@old.example/api" }, "no credentials"},
		"no URL":              {func(o *pull.Options) { o.From = "old.example" }, "must be a URL"},
	} {
		t.Run(name, func(t *testing.T) {
			o := from("")
			test.change(&o)
			_, err := pull.Run(t.Context(), newShop(t, memory.New()), o)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), o.Key) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// A target with rows of its own is refused, and left as it is.
func TestE8_TargetWithRowsOfItsOwn(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	url := serve(t, old, shopapi.DialectDocumented)
	st := oldShop(t)
	before := tables(t, st)
	if _, err := pull.Run(t.Context(), newShop(t, st), from(url)); err == nil || !strings.Contains(err.Error(), "rows of its own") {
		t.Errorf("error %v", err)
	}
	if diff := gocmp.Diff(before, tables(t, st)); diff != "" {
		t.Errorf("tables (-before +after):\n%s", diff)
	}
}

// A server that fails in the middle ends the run; a later run continues.
func TestE8_ServerGoesAway(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	var away sync.Once
	gone := make(chan struct{})
	inner := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/products/1") {
				away.Do(func() { close(gone) })
			}
			select {
			case <-gone:
				panic(http.ErrAbortHandler)
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
	st := memory.New()
	sh := newShop(t, st)
	_, err := pull.Run(t.Context(), sh, from(serve(t, old, shopapi.DialectDocumented, inner)))
	if err == nil || !strings.Contains(err.Error(), "goes on where this one ended") {
		t.Fatalf("error %v", err)
	}
	back := serve(t, old, shopapi.DialectDocumented)
	moveSource(t, st, back)
	if report := run(t, sh, from(back)); len(report.Problems) > 0 {
		t.Errorf("problems %+v", report.Problems)
	}
	if diff := gocmp.Diff(tables(t, old), tables(t, st)); diff != "" {
		t.Errorf("tables (-old +new):\n%s", diff)
	}
}
