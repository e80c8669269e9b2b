//go:build unix

package postgres_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/users"
)

// A tally counts the responses that clients got while a server failed.
type tally struct {
	sent atomic.Int64 // writes, also those without a response yet

	mu       sync.Mutex
	saved    []string // 201
	unknown  []string // 503, with the message that the object may have been saved
	refused  []string // 503, and nothing was changed
	reads    int
	last     time.Time // of the latest success
	gap      time.Duration
	statuses map[int]int
	wrong    []string
}

func (c *tally) note(name string, a *apitest.Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.statuses[a.Status]++
	switch {
	case a.Status == http.StatusOK || a.Status == http.StatusCreated:
		now := time.Now()
		if !c.last.IsZero() {
			c.gap = max(c.gap, now.Sub(c.last))
		}
		c.last = now
		if name == "" {
			c.reads++
		} else {
			c.saved = append(c.saved, name)
		}
	case a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "":
		switch {
		case name == "":
		case strings.Contains(string(a.Body), "may have been saved"):
			c.unknown = append(c.unknown, name)
		default:
			c.refused = append(c.refused, name)
		}
	default:
		c.wrong = append(c.wrong, fmt.Sprintf("%d %s", a.Status, a.Body))
	}
}

func (c *tally) count() (saved, reads int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.saved), c.reads
}

// read lists categories, of which there were so many before all writes. The list must have the ones
// that were saved when the request began, and only ones that were sent when it ended.
func (c *tally) read(s *apitest.Shop, before int) *apitest.Answer {
	saved, _ := c.count()
	a := s.Get(listed)
	sent := int(c.sent.Load())
	c.note("", a)
	if total, err := strconv.Atoi(a.Header.Get("X-Total-Count")); a.Status == http.StatusOK && (err != nil || total < before+saved || total > before+sent) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.wrong = append(c.wrong, fmt.Sprintf("a list of %q categories, want %d to %d", a.Header.Get("X-Total-Count"), before+saved, before+sent))
	}
	return a
}

const listed = "/api/2.0/categories?items_per_page=5"

var loads atomic.Int64

// load has clients write and read until the returned function is called.
func load(s *apitest.Shop) (c *tally, stop func()) {
	c = &tally{statuses: map[int]int{}}
	before, err := strconv.Atoi(s.Get(listed).Header.Get("X-Total-Count"))
	if err != nil {
		s.T.Fatalf("the number of categories: %v", err)
	}
	run := loads.Add(1) // names differ from other runs on the shop
	done := make(chan struct{})
	var all sync.WaitGroup
	client := func(do func(n int)) {
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
					do(n)
				}
			}
		})
	}
	pause := func(a *apitest.Answer) {
		if a.Status == http.StatusServiceUnavailable {
			time.Sleep(20 * time.Millisecond) // less than clients are asked to wait
		}
	}
	for w := range 4 {
		client(func(n int) {
			name := fmt.Sprintf("r%d-w%d-%d", run, w, n)
			c.sent.Add(1)
			a := s.Post("/api/2.0/categories", fmt.Sprintf(`{"category": %q}`, name))
			c.note(name, a)
			pause(a)
		})
	}
	for range 2 {
		client(func(int) { pause(c.read(s, before)) })
	}
	return c, func() { close(done); all.Wait() }
}

// until waits for a condition that a shop which goes on brings about.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for range 6000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s does not happen", what)
}

// check compares the responses that clients got with the contents of the shop.
func (c *tally) check(t *testing.T, s *apitest.Shop) {
	t.Helper()
	have := map[string]int{}
	list, _, err := s.Categories.Find(t.Context(), findAll)
	if err != nil {
		t.Fatal(err)
	}
	for _, category := range list {
		have[category.Name]++
	}
	lost, stored := 0, 0
	for _, name := range c.saved {
		if have[name] != 1 {
			lost++
		}
	}
	for _, name := range c.unknown {
		stored += have[name]
	}
	for _, name := range c.refused {
		if have[name] != 0 {
			t.Errorf("%s was answered 503 as not saved, and is there", name)
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged writes are lost or doubled", lost, len(c.saved))
	}
	for _, answer := range c.wrong {
		t.Errorf("a client was answered %s", answer)
	}
	t.Logf("answers %v; %d writes acknowledged, %d lost; %d outcomes unknown, of which %d were saved; %d refused; %d reads; %.2f s without service",
		c.statuses, len(c.saved), lost, len(c.unknown), stored, len(c.refused), c.reads, c.gap.Seconds())
}

// The primary is killed under load and its synchronous standby takes over.
func TestFailover(t *testing.T) {
	t.Parallel()
	for _, r := range routes {
		t.Run(r.name, func(t *testing.T) {
			primary := pgtest.Start(t, pgtest.Options{Settings: []string{"synchronous_standby_names=*"}})
			standby := pgtest.Start(t, pgtest.Options{StandbyOf: primary})
			st := open(t, pgtest.PairDSN(r.to(t, primary), r.to(t, standby), "connect_timeout=2", "pool_max_conns=8"))
			s := apitest.NewWithStore(t, st, nil)
			c, stop := load(s)
			until(t, "load", func() bool { saved, reads := c.count(); return saved > 50 && reads > 50 })
			primary.Signal(t, syscall.SIGKILL)
			standby.Promote(t)
			before, readsBefore := c.count()
			until(t, "service by the standby", func() bool { saved, reads := c.count(); return saved > before+50 && reads > readsBefore+50 })
			stop()
			c.check(t, s)
		})
	}
}

// The server hangs under load, for longer than the time limit of requests, and
// goes on.
func TestHangAndResume(t *testing.T) {
	t.Parallel()
	onEachRoute(t, func(t *testing.T, server *pgtest.Server, h pgtest.Host) {
		st := open(t, h.DSNWith("connect_timeout=1"))
		s := apitest.NewWithStore(t, st, &shop.Options{Options: shopapi.Options{Limits: shopapi.Limits{Time: 500 * time.Millisecond}}})
		c, stop := load(s)
		until(t, "load", func() bool { saved, reads := c.count(); return saved > 20 && reads > 20 })
		server.Signal(t, syscall.SIGSTOP)
		resume := sync.OnceFunc(func() { server.Signal(t, syscall.SIGCONT) })
		defer resume() // also when the test fails
		until(t, "503", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.statuses[http.StatusServiceUnavailable] >= 12 })
		before, readsBefore := c.count()
		resume()
		until(t, "service", func() bool { saved, reads := c.count(); return saved > before+20 && reads > readsBefore+20 })
		stop()
		c.check(t, s)
	})
}

// A server that hangs: the request ends within its time limit, with 503 and
// Retry-After.
func TestAHangingServerIsAnswered503(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, pgtest.Options{})
	p := newProxy(t, server)
	s := apitest.NewWithStore(t, open(t, p.dsn()), &shop.Options{Options: shopapi.Options{Limits: shopapi.Limits{Time: time.Second}}})
	p.hang()
	for _, method := range []string{"GET", "POST"} {
		a := s.Do(method, "/api/2.0/categories", "application/json", `{"category": "x"}`)
		if seconds, err := strconv.Atoi(a.Header.Get("Retry-After")); a.Status != http.StatusServiceUnavailable || err != nil || seconds < 1 {
			t.Errorf("%s is answered %d with Retry-After %q, want 503 and seconds", method, a.Status, a.Header.Get("Retry-After"))
		}
	}
	p.resume()
	if a := s.Get("/api/2.0/categories"); a.Status != http.StatusOK {
		t.Errorf("after it goes on: %d %s", a.Status, a.Body)
	}
}

// Two handlers over one database, like two processes: each sees the changes of the other
// at once.
func TestTwoHandlers(t *testing.T) {
	t.Parallel()
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) { testTwoHandlers(t, d.dsn(t)) })
	}
}

func testTwoHandlers(t *testing.T, dsn string) {
	one := apitest.NewWithStore(t, open(t, dsn), nil)
	second, err := shop.New(t.Context(), store.Store(open(t, dsn)), nil)
	if err != nil {
		t.Fatal(err)
	}
	two := &apitest.Client{T: t, Handler: second, Email: one.Email, Key: one.Key}

	for n := range 3 {
		if a := one.Post("/api/2.0/categories", fmt.Sprintf(`{"category": "c%d"}`, n)); a.Status != http.StatusCreated {
			t.Fatalf("POST: %d %s", a.Status, a.Body)
		}
		for _, address := range []string{fmt.Sprintf("/api/2.0/categories/%d", n+1), "/api/2.0/categories"} {
			if a := two.Get(address); a.Status != http.StatusOK || !strings.Contains(string(a.Body), fmt.Sprintf("c%d", n)) {
				t.Errorf("the other handler does not see the new row at once: %d %s", a.Status, a.Body)
			}
		}
	}

	user, err := one.Users.Create(t.Context(), clerk, "")
	if err != nil {
		t.Fatal(err)
	}
	key, err := one.Users.GenerateKey(t.Context(), user.UserID)
	if err != nil {
		t.Fatal(err)
	}
	desk := two.As(clerk.Email, key)
	// a handler may use cached data of a user for less than a second
	within := func(want int) int {
		status, since := 0, time.Now()
		for status != want && time.Since(since) < time.Second {
			status = desk.Get("/api/2.0/categories").Status
		}
		return status
	}
	if got := within(http.StatusForbidden); got != http.StatusForbidden {
		t.Errorf("a user without privileges is answered %d, want 403", got)
	}
	group, err := one.Users.Groups().Create(t.Context(), clerks)
	if err == nil {
		err = one.Users.Groups().SetPrivileges(t.Context(), group.UsergroupID, "view_catalog")
	}
	if err == nil {
		err = one.Users.SetMembership(t.Context(), user.UserID, group.UsergroupID, "A")
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := within(http.StatusOK); got != http.StatusOK {
		t.Errorf("after the privilege was given through one handler, the other answers %d, want 200", got)
	}
	if err := one.Users.Groups().SetPrivileges(t.Context(), group.UsergroupID); err != nil {
		t.Fatal(err)
	}
	if got := within(http.StatusForbidden); got != http.StatusForbidden {
		t.Errorf("after the privilege was taken through one handler, the other answers %d, want 403", got)
	}
	if err := one.Users.RevokeKey(t.Context(), user.UserID); err != nil {
		t.Fatal(err)
	}
	if got := within(http.StatusUnauthorized); got != http.StatusUnauthorized {
		t.Errorf("after the key was revoked through one handler, the other answers %d, want 401", got)
	}
}

var (
	findAll = categories.Filter{}
	clerk   = users.User{Summary: users.Summary{Email: "desk@example.com", UserType: shopapi.Administrator, FirstName: "Order", LastName: "Desk"}}
	clerks  = users.Group{Type: shopapi.Administrator, Status: users.Active, Name: "Order desk"}
)
