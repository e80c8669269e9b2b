package pull_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/pulltest"
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
			if diff := pulltest.Diff(want, tables(t, st)); diff != "" {
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

// An address at which nobody answers ends the run after a few attempts, with the reason: it may be mistyped.
func TestE8_NobodyAnswers(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		requests.Add(1)
		panic(http.ErrAbortHandler)
	}))
	defer silent.Close()
	_, err := pull.Run(t.Context(), newShop(t, memory.New()), from(silent.URL+"/api"))
	if err == nil || !strings.Contains(err.Error(), "EOF. Check the address, and that the old shop runs") {
		t.Errorf("error %v", err)
	}
	if n := requests.Load(); n > 4 {
		t.Errorf("%d requests to an address at which nobody answers", n)
	}
}

// A shifting list is a list of callback requests, two to a page, that changes while it is read.
type shiftingList struct {
	sync.Mutex
	ids   []int
	pages int
	shift func(l *shiftingList) // before each page
}

// asksForCallRequests reports whether a request reads callback requests. It answers other requests: the
// shop has no categories, and no other entity.
func asksForCallRequests(w http.ResponseWriter, r *http.Request) bool {
	switch strings.TrimPrefix(r.URL.Path, "/api/2.0/") {
	case "call_requests":
		return true
	case "categories":
		fmt.Fprint(w, "[]")
	default:
		http.NotFound(w, r)
	}
	return false
}

func (l *shiftingList) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !asksForCallRequests(w, r) {
		return
	}
	l.Lock()
	defer l.Unlock()
	l.pages++
	l.shift(l)
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	var items []string
	for i := 2 * (page - 1); i < min(2*page, len(l.ids)); i++ {
		items = append(items, fmt.Sprintf(`{"request_id":"%d","company_id":"1","status":"new","phone":"1"}`, l.ids[i]))
	}
	fmt.Fprintf(w, `{"call_requests":[%s],"params":{"total_items":"%d"}}`, strings.Join(items, ","), len(l.ids))
}

// A list that shifts while it is read is read again until nothing is missing. A list that does not
// come to rest is reported, and nothing is removed for it.
func TestE8_ListsThatShift(t *testing.T) {
	t.Parallel()
	at := func(page int, shift func(*shiftingList)) func(*shiftingList) {
		return func(l *shiftingList) {
			if l.pages == page {
				shift(l)
			}
		}
	}
	for name, test := range map[string]struct {
		shift    func(*shiftingList)
		taken    []int64
		problems int
	}{
		"unchanged":             {func(*shiftingList) {}, []int64{1, 2, 3, 4, 5}, 0},
		"the first is deleted":  {at(2, func(l *shiftingList) { l.ids = l.ids[1:] }), []int64{2, 3, 4, 5}, 0},
		"one is added in front": {at(2, func(l *shiftingList) { l.ids = append([]int{6}, l.ids...) }), []int64{1, 2, 3, 4, 5, 6}, 0},
		"one moves to the end":  {at(2, func(l *shiftingList) { l.ids = append(l.ids[1:], l.ids[0]) }), []int64{1, 2, 3, 4, 5}, 0},
		"an id twice":           {at(2, func(l *shiftingList) { l.ids = append([]int{1}, l.ids...) }), []int64{1, 2, 3, 4, 5}, 1},
		"never at rest":         {func(l *shiftingList) { l.ids = append(l.ids, 100+l.pages) }, []int64{1, 2, 3, 4, 5}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(&shiftingList{ids: []int{1, 2, 3, 4, 5}, shift: test.shift})
			defer server.Close()
			sh := newShop(t, memory.New())
			o := from(server.URL + "/api")
			o.Delete = true
			report := run(t, sh, o)
			if len(report.Problems) != test.problems {
				t.Errorf("problems %+v, want %d", report.Problems, test.problems)
			}
			for _, id := range test.taken {
				if _, err := sh.CallRequests.Get(t.Context(), id); err != nil {
					t.Errorf("the request %d: %v", id, err)
				}
			}
		})
	}
}

// Where the old shop says how long it is to be left alone, it is.
func TestE8_RetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var refused, next time.Time
	url := serve(t, oldShop(t), shopapi.DialectDocumented, func(inner http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			first := refused.IsZero()
			switch {
			case first:
				refused = time.Now()
			case next.IsZero():
				next = time.Now()
			}
			mu.Unlock()
			if first {
				w.Header().Set("Retry-After", "1")
				http.Error(w, `{"message":"slow down"}`, http.StatusServiceUnavailable)
				return
			}
			inner.ServeHTTP(w, r)
		})
	})
	run(t, newShop(t, memory.New()), from(url))
	if waited := next.Sub(refused); waited < time.Second {
		t.Errorf("the next request came after %v, want a second or more", waited)
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

// refusingFromProducts serves a shop that answers with a status from the first product on, and counts
// these answers.
func refusingFromProducts(t *testing.T, status int) (url string, later *atomic.Int64) {
	later = new(atomic.Int64)
	return serve(t, oldShop(t), shopapi.DialectDocumented, func(next http.Handler) http.Handler {
		refused := refusing("", status)(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if later.Load() > 0 || strings.HasSuffix(r.URL.Path, "/products/1") {
				later.Add(1)
				refused.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}), later
}

// A key that the old shop refuses in the middle ends the run.
func TestE8_RefusedKeyEndsTheRun(t *testing.T) {
	t.Parallel()
	url, later := refusingFromProducts(t, http.StatusUnauthorized)
	_, err := pull.Run(t.Context(), newShop(t, memory.New()), from(url))
	if err == nil || !strings.Contains(err.Error(), "Check the e-mail address and the key") {
		t.Errorf("error %v", err)
	}
	if n := later.Load(); n > 10 {
		t.Errorf("%d requests with a refused key", n)
	}
}

// An answer with another id than the request's is reported, and not imported.
func TestE8_AnswersWithAnotherID(t *testing.T) {
	t.Parallel()
	url := php(t, map[string]string{
		"categories": `[]`,
		"products":   `[{"product_id":"1"},{"product_id":"2"}]`,
		"products/1": `{"product_id":"1","product":"Mug","status":"A"}`,
		"products/2": `{"product_id":"1","product":"Mug","status":"A"}`,
	})
	report := run(t, newShop(t, memory.New()), from(url))
	if got := problem(report, "products", "2", ""); !strings.Contains(got, "with the product_id 1") {
		t.Errorf("problems %+v", report.Problems)
	}
	if n := report.Counts["products"]; n.There != 2 || n.Here != 1 {
		t.Errorf("products: %+v", n)
	}
}

// A server that refuses every request in the middle, such as for maintenance, ends the run.
func TestE8_ServerRefusesEverything(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusInternalServerError} {
		url, later := refusingFromProducts(t, status)
		_, err := pull.Run(t.Context(), newShop(t, memory.New()), from(url))
		if err == nil || !strings.Contains(err.Error(), strconv.Itoa(status)) || !strings.Contains(err.Error(), "goes on where this one ended") {
			t.Errorf("%d: error %v", status, err)
		}
		if n := later.Load(); n > 100 {
			t.Errorf("%d requests to a server that answers %d", n, status)
		}
	}
}

// Many objects in a row that cannot be read do not end the run while the server answers others.
func TestE8_ManyObjectsThatFail(t *testing.T) {
	t.Parallel()
	const size = 12
	answers := map[string]string{"categories": `[]`, "pages": `[{"page_id":"1","page":"About"}]`, "pages/1": `{"page_id":"1","page":"About","status":"A"}`}
	var items []string
	for id := range size {
		items = append(items, fmt.Sprintf(`{"product_id":"%d"}`, id+1))
	}
	answers["products"] = "[" + strings.Join(items, ",") + "]"
	for name, fault := range map[string]http.HandlerFunc{
		"503":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<b>Warning</b>")) },
	} {
		t.Run(name, func(t *testing.T) {
			inner := phpHandler(answers)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/api/2.0/products/") {
					fault(w, r)
					return
				}
				inner.ServeHTTP(w, r)
			}))
			defer server.Close()
			report := run(t, newShop(t, memory.New()), from(server.URL+"/api"))
			if len(report.Problems) != size || report.Counts["pages"].Here != 1 {
				t.Errorf("%d problems, want %d, pages %+v", len(report.Problems), size, report.Counts["pages"])
			}
		})
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
	if diff := pulltest.Diff(tables(t, old), tables(t, st)); diff != "" {
		t.Errorf("tables (-old +new):\n%s", diff)
	}
}
