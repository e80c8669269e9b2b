package shop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// The attacks of these tests are small, so that they end within seconds. With
// SHOPAPI_ATTACKS=long they have their full size and print their costs:
//
//	SHOPAPI_ATTACKS=long go test ./shop -run Attack -v
var longAttacks = os.Getenv("SHOPAPI_ATTACKS") == "long"

// times returns the number of repetitions.
func times(small, large int) int {
	if longAttacks {
		return large
	}
	return small
}

// A target is a shop on an SQLite file behind a server on the loopback interface, with a
// host's default options, for the attacks of these tests.
type target struct {
	t      *testing.T
	shop   *shop.Shop
	server *httptest.Server
	log    *logBuffer
	root   *attacker
}

// newTarget returns a target; change may change its options.
func newTarget(t *testing.T, change func(*shop.Options)) *target {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	shoptest.NewFile(t, path)
	return openTarget(t, path, change)
}

func openTarget(t *testing.T, path string, change func(*shop.Options)) *target {
	t.Helper()
	tg := &target{t: t, log: &logBuffer{}}
	o := &shop.Options{}
	o.Logger = slog.New(slog.NewJSONHandler(tg.log, nil))
	if change != nil {
		change(o)
	}
	st, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tg.shop, err = shop.New(t.Context(), st, o); err != nil {
		t.Fatal(err)
	}
	const email, key = "owner@example.com", "the-owners-key-0123456789"
	if err := users.EnsureRootKey(t.Context(), st, email, key); err != nil {
		t.Fatal(err)
	}
	tg.server = httptest.NewServer(tg.shop)
	t.Cleanup(func() {
		tg.server.Close()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	tg.root = tg.as(email, key)
	return tg
}

// as returns a client.
func (tg *target) as(email, key string) *attacker {
	return &attacker{tg: tg, email: email, key: key, http: &http.Client{Timeout: 5 * time.Minute}}
}

// user returns a client for a new administrator with only these privileges.
func (tg *target) user(email string, privileges ...string) *attacker {
	tg.t.Helper()
	return tg.member(users.User{Summary: users.Summary{Email: email, UserType: shopapi.Administrator}}, privileges...)
}

// member is user for any type of user.
func (tg *target) member(u users.User, privileges ...string) *attacker {
	tg.t.Helper()
	ctx, all := tg.t.Context(), tg.shop.Users
	if u.CompanyID > 1 {
		if err := tg.shop.Companies.Ensure(ctx, u.CompanyID); err != nil {
			tg.t.Fatal(err)
		}
	}
	created, err := all.Create(ctx, u, "")
	if err != nil {
		tg.t.Fatal(err)
	}
	group, err := all.Groups().Create(ctx, users.Group{Type: shopapi.Administrator, Status: users.Active, Name: u.Email})
	if err == nil {
		err = all.Groups().SetPrivileges(ctx, group.UsergroupID, privileges...)
	}
	if err == nil {
		err = all.SetMembership(ctx, created.UserID, group.UsergroupID, users.Member)
	}
	if err != nil {
		tg.t.Fatal(err)
	}
	key, err := all.GenerateKey(ctx, created.UserID)
	if err != nil {
		tg.t.Fatal(err)
	}
	return tg.as(u.Email, key)
}

// An attacker sends requests as one user, over HTTP.
type attacker struct {
	tg         *target
	email, key string
	header     http.Header
	http       *http.Client
}

// with returns a client that sends a header.
func (a *attacker) with(name, value string) *attacker {
	other := *a
	if other.header = a.header.Clone(); other.header == nil {
		other.header = http.Header{}
	}
	other.header.Set(name, value)
	return &other
}

// from returns a client with another address of the loopback network.
func (a *attacker) from(ip net.IP) *attacker {
	other := *a
	transport := &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: ip}}).DialContext}
	a.tg.t.Cleanup(transport.CloseIdleConnections)
	other.http = &http.Client{Transport: transport, Timeout: a.http.Timeout}
	return &other
}

// A reply is a response with its whole body.
type reply struct {
	status int
	header http.Header
	body   string
	took   time.Duration
}

func (a *attacker) do(method, address, body string) *reply {
	a.tg.t.Helper()
	r, err := a.try(a.tg.t.Context(), method, address, body)
	if err != nil {
		a.tg.t.Fatal(err)
	}
	return r
}

// try is do for goroutines.
func (a *attacker) try(ctx context.Context, method, address, body string) (*reply, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.tg.server.URL+address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if a.email != "" {
		req.SetBasicAuth(a.email, a.key)
	}
	req.Header.Set("Content-Type", "application/json")
	maps.Copy(req.Header, a.header)
	began := time.Now()
	resp, err := a.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	return &reply{resp.StatusCode, resp.Header, string(text), time.Since(began)}, nil
}

func (a *attacker) get(address string) *reply { a.tg.t.Helper(); return a.do("GET", address, "") }

func (a *attacker) post(address, body string) *reply {
	a.tg.t.Helper()
	return a.do("POST", address, body)
}

func (a *attacker) put(address, body string) *reply {
	a.tg.t.Helper()
	return a.do("PUT", address, body)
}

// is expects one of the statuses, and returns the reply.
func (r *reply) is(t *testing.T, what string, statuses ...int) *reply {
	t.Helper()
	if slices.Contains(statuses, r.status) {
		return r
	}
	t.Errorf("%s: answered %d %.200s, want %v", what, r.status, r.body, statuses)
	return r
}

// budget is the memory that requests may occupy afterwards, plus a quarter for what
// cannot be counted: the defaults of Limits.CacheBytes and Limits.Events, and the cache
// of the store.
const budget = (56<<20 + 4<<20 + 8<<20) * 5 / 4

// A gauge measures the cost of an attack.
type gauge struct {
	t      *testing.T
	before runtime.MemStats
	began  time.Time
}

// measure starts a measurement after a garbage collection.
func measure(t *testing.T) *gauge {
	g := &gauge{t: t}
	settle(&g.before)
	g.began = time.Now()
	return g
}

func settle(m *runtime.MemStats) {
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for range 3 { // pools are emptied by the second collection
		runtime.GC()
	}
	runtime.ReadMemStats(m)
}

// kept prints the memory that an attack allocated and still occupies, and compares the
// latter with the budget.
func (g *gauge) kept(what string) {
	g.t.Helper()
	took := time.Since(g.began)
	var after runtime.MemStats
	settle(&after)
	kept := int64(after.HeapAlloc) - int64(g.before.HeapAlloc)
	g.t.Logf("%s: %.1f MiB kept, %.1f MiB allocated, %.1f s", what,
		float64(kept)/(1<<20), float64(after.TotalAlloc-g.before.TotalAlloc)/(1<<20), took.Seconds())
	if kept > budget {
		g.t.Errorf("%s: %d MiB are kept, more than %d MiB", what, kept>>20, budget>>20)
	}
}

// A logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// id reads the only member of a reply to POST.
func (r *reply) id(t *testing.T) string {
	t.Helper()
	var ids map[string]string
	if err := json.Unmarshal([]byte(r.body), &ids); err != nil || r.status != 201 {
		t.Fatalf("answered %d %.200s, want an id", r.status, r.body)
	}
	for _, id := range ids {
		return id
	}
	return ""
}
