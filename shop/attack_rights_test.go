package shop_test

import (
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/users"
)

// failures is the default of Limits.LoginFailures.
const failures = 30

// A tally counts the statuses of guesses.
type tally struct {
	mu       sync.Mutex
	statuses map[int]int
}

func (c *tally) add(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.statuses == nil {
		c.statuses = map[int]int{}
	}
	c.statuses[status]++
}

// seen expects that at most allowed wrong guesses were checked, and that all others were
// refused.
func (c *tally) seen(t *testing.T, what string, guesses, allowed int) {
	t.Helper()
	t.Logf("%s: of %d guesses %d were seen, %d refused", what, guesses, c.statuses[401], c.statuses[429])
	if c.statuses[401] > allowed || c.statuses[401]+c.statuses[429] != guesses {
		t.Errorf("%s: the statuses are %v, want at most %d of 401 and else 429", what, c.statuses, allowed)
	}
}

// guess sends a request in process, from an address outside the loopback network.
func (tg *target) guess(from, email, key string) int {
	req := httptest.NewRequest("GET", "/api/categories", nil)
	req.RemoteAddr = net.JoinHostPort(from, "40000")
	req.SetBasicAuth(email, key)
	w := httptest.NewRecorder()
	tg.shop.ServeHTTP(w, req)
	return w.Code
}

// TestAttack_GuessesBySpelling: all spellings of an e-mail address share one limit.
func TestAttack_GuessesBySpelling(t *testing.T) {
	tg := newTarget(t, nil)
	const email = "strasse.sos@example.com"
	tg.user(email, "view_catalog")
	spellings := []string{""}
	for _, letter := range email {
		var next []string
		for _, s := range spellings {
			next = append(next, s+string(letter))
			switch {
			case letter == 's':
				next = append(next, s+"ſ", s+"S")
			case letter == 'a' && len(s) < 5:
				next = append(next, s+"A")
			}
		}
		if spellings = next; len(spellings) > times(100, 400) {
			spellings = spellings[:times(100, 400)]
		}
	}
	var c tally
	n := 0
	for i, s := range spellings {
		for k := range 4 {
			n++
			c.add(tg.guess(fmt.Sprintf("192.0.%d.%d", i%250, k+1), s, fmt.Sprintf("wrong-%d", n)))
		}
	}
	c.seen(t, fmt.Sprintf("%d spellings of one e-mail from many addresses", len(spellings)), n, failures)
}

// TestAttack_GuessesAtOnce: concurrent guesses do not exceed the limit together.
func TestAttack_GuessesAtOnce(t *testing.T) {
	tg := newTarget(t, nil)
	const n = 200
	var c tally
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			r, err := tg.as(fmt.Sprintf("nobody%d@example.com", i), "wrong-key-0123456789").try(t.Context(), "GET", "/api/categories", "")
			if err != nil {
				t.Error(err)
				return
			}
			c.add(r.status)
		})
	}
	wg.Wait()
	c.seen(t, "200 at once from one address", n, failures)
}

// TestAttack_GuessesByNetwork: filler from a /48 neither resets the counters of others
// nor gets more than ten times the limit.
func TestAttack_GuessesByNetwork(t *testing.T) {
	entries := times(1_000, 10_000)
	tg := newTarget(t, func(o *shop.Options) { o.Limits.LoginEntries = entries })
	var c tally
	n := 2*entries + 500
	for i := range n {
		from := fmt.Sprintf("2001:db8:1:%x::1", i%(2*entries))
		c.add(tg.guess(from, fmt.Sprintf("filler%d@example.com", i), "wrong"))
	}
	c.seen(t, "filler of one /48", n, 10*failures)

	var on tally
	networks := times(100, 1000)
	for i := range networks {
		on.add(tg.guess(fmt.Sprintf("2001:db8:%x::1", i+2), tg.root.email, fmt.Sprintf("wrong-%d", i)))
	}
	on.seen(t, "the owner's e-mail after the filler, from as many networks", networks, failures)
}

// TestAttack_LockOutTheOwner: the owner's key works while guessers are refused, in any
// spelling of the e-mail address, after a restart and after filler.
func TestAttack_LockOutTheOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	for _, start := range []string{"first", "after a restart"} {
		t.Run(start, func(t *testing.T) {
			entries := times(1_000, 10_000)
			tg := openTarget(t, path, func(o *shop.Options) { o.Limits.LoginEntries = entries })
			for i := range 3 * failures {
				tg.guess(fmt.Sprintf("192.0.2.%d", 1+i), tg.root.email, fmt.Sprintf("wrong-%d", i))
			}
			if s := tg.guess("192.0.2.200", tg.root.email, "wrong"); s != 429 {
				t.Fatalf("a guess was answered %d, want 429", s)
			}
			for _, email := range []string{tg.root.email, " " + strings.ToUpper(tg.root.email) + " ", "Owner@Example.com"} {
				tg.as(email, tg.root.key).get("/api/categories").is(t, fmt.Sprintf("the owner as %q", email), 200)
			}
			if start == "first" {
				return
			}
			var wg sync.WaitGroup
			for n := range 60 { // more in total than Limits.LoginEntries
				wg.Go(func() {
					for i := range entries / 50 {
						tg.guess(fmt.Sprintf("198.51.%d.%d", n, i), fmt.Sprintf("filler%d-%d@example.com", n, i), "wrong")
					}
				})
			}
			wg.Wait()
			tg.root.get("/api/categories?x=1").is(t, "the owner after filler", 200)
			if s := tg.guess("203.0.113.7", tg.root.email, tg.root.key); s != 200 {
				t.Errorf("the owner from another address was answered %d", s)
			}
		})
	}
}

// TestAttack_KnownEmails measures how much longer a wrong key takes for an existing
// e-mail address.
func TestAttack_KnownEmails(t *testing.T) {
	tg := newTarget(t, func(o *shop.Options) { o.Limits.LoginFailures = 1_000_000 })
	var spent [2]time.Duration
	rounds := times(50, 500)
	for i := range rounds {
		for n, email := range []string{tg.root.email, "nobody@example.com"} {
			began := time.Now()
			if s := tg.guess("192.0.2.1", email, fmt.Sprintf("wrong-%d", i)); s != 401 {
				t.Fatalf("answered %d", s)
			}
			spent[n] += time.Since(began)
		}
	}
	t.Logf("a wrong key of a known e-mail took %.2f µs, of an unknown one %.2f µs",
		float64(spent[0].Nanoseconds())/float64(rounds)/1000, float64(spent[1].Nanoseconds())/float64(rounds)/1000)
}

// TestAttack_FiltersReveal: data that a privilege hides is not revealed by a filter or a
// sort order.
func TestAttack_FiltersReveal(t *testing.T) {
	tg := newTarget(t, nil)
	for address, c := range map[string]struct {
		mallory *attacker
		names   string
	}{
		"/api/users?usergroup_id=4":        {tg.user("a@example.com", "view_users"), "view_usergroups"},
		"/api/call_requests?sort_by=user":  {tg.user("b@example.com", "view_call_requests"), "view_users"},
		"/api/users?usergroup_id=4&page=1": {tg.user("c@example.com", "view_users", "view_catalog"), "view_usergroups"},
	} {
		if r := c.mallory.get(address).is(t, address, 403); !strings.Contains(r.body, c.names) {
			t.Errorf("%s: the error does not name %s: %s", address, c.names, r.body)
		}
		tg.root.get(address).is(t, address+" as root", 200)
	}
}

// TestAttack_PositionsOfOthers: a vendor's default position does not depend on the
// categories of others.
func TestAttack_PositionsOfOthers(t *testing.T) {
	tg := newTarget(t, func(o *shop.Options) { o.Edition = shopapi.MultiVendor })
	vendor := func(company int64) *attacker {
		u := users.User{Summary: users.Summary{Email: fmt.Sprintf("vendor%d@example.com", company), UserType: shopapi.Vendor, CompanyID: company}}
		return tg.member(u, "view_catalog", "manage_catalog")
	}
	one, two := vendor(2), vendor(3)
	one.post("/api/categories", `{"category": "Last", "position": 2147483647}`).is(t, "one vendor's", 201)
	for i := range 3 {
		id := two.post("/api/categories", `{"category": "Own"}`).id(t)
		want := fmt.Sprintf(`"position":"%d"`, 10*(i+1))
		if r := two.get("/api/categories/"+id).is(t, "the other vendor's", 200); !strings.Contains(r.body, want) {
			t.Errorf("want %s in %s", want, r.body)
		}
	}
}

// TestAttack_CrossSite: a form of another site, which the browser sends with the owner's
// credentials, cannot create an administrator.
func TestAttack_CrossSite(t *testing.T) {
	tg := newTarget(t, nil)
	form := "email=mallory@example.com&user_type=A&is_root=Y&password=0123456789"
	for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		for name, browser := range map[string]*attacker{
			"Sec-Fetch-Site": tg.root.with("Sec-Fetch-Site", "cross-site"),
			"Origin":         tg.root.with("Origin", "https://mallory.example"),
			"same-site":      tg.root.with("Sec-Fetch-Site", "same-site"),
		} {
			browser.with("Content-Type", contentType).do("POST", "/api/users", form).is(t, contentType+" with "+name, 403)
		}
	}
	if _, total, err := tg.shop.Users.Find(t.Context(), users.Filter{}); err != nil || total != 1 {
		t.Errorf("%d users, %v", total, err)
	}
	own := tg.root.with("Content-Type", "text/plain")
	for i, same := range []*attacker{own.with("Sec-Fetch-Site", "same-origin"), own.with("Sec-Fetch-Site", "none"), own} {
		same.do("POST", "/api/users", fmt.Sprintf("email=u%d@example.com&user_type=A&password=0123456789", i)).is(t, "the owner's own", 201)
	}
}

// TestAttack_Addresses: an address has one limit, which no client header changes; over
// the loopback network each address has its own.
func TestAttack_Addresses(t *testing.T) {
	tg := newTarget(t, nil)
	var c tally
	const n = 3 * failures
	for i := range n {
		req := httptest.NewRequest("GET", "/api/categories", nil)
		req.RemoteAddr = "203.0.113.66:40000"
		for name, value := range map[string]string{"X-Forwarded-For": "192.0.2.%d", "Forwarded": "for=192.0.2.%d", "X-Real-Ip": "192.0.2.%d", "Via": "1.1 proxy%d"} {
			req.Header.Set(name, fmt.Sprintf(value, i))
		}
		req.SetBasicAuth(fmt.Sprintf("nobody%d@example.com", i), "wrong-key-0123456789")
		w := httptest.NewRecorder()
		tg.shop.ServeHTTP(w, req)
		c.add(w.Code)
	}
	c.seen(t, "one address that says it is many", n, failures)

	if runtime.GOOS != "linux" {
		t.Skip("the loopback interface of this system has one address")
	}
	mallory := tg.as("nobody@example.com", "wrong-key-0123456789").from(net.IPv4(127, 66, 6, 6))
	var local tally
	for range n {
		local.add(mallory.get("/api/categories").status)
	}
	local.seen(t, "one address of the loopback network", n, failures)
	tg.root.from(net.IPv4(127, 66, 6, 7)).get("/api/categories").is(t, "another address", 200)
}

// TestAttack_GuessesAreLogged: with the address, and without the key.
func TestAttack_GuessesAreLogged(t *testing.T) {
	tg := newTarget(t, nil)
	const wrong = "wrong-key-0123456789"
	for range failures + 1 {
		tg.as("nobody@example.com", wrong).get("/api/categories")
	}
	log := tg.log.String()
	for _, status := range []string{`"status":401`, `"status":429`} {
		if !strings.Contains(log, status) {
			t.Errorf("the log has no %s: %.500s", status, log)
		}
	}
	if !strings.Contains(log, "127.0.0.1") || strings.Contains(log, wrong) {
		t.Errorf("want the address and no key in %.500s", log)
	}
}

// TestAttack_CredentialsInALog show no key, with any log handler.
func TestAttack_CredentialsInALog(t *testing.T) {
	const secret = "secret-0123456789"
	var buf logBuffer
	logger := slog.New(slog.NewJSONHandler(&buf, nil))
	c := shopapi.Credentials{Email: "owner@example.com", Key: secret}
	logger.Info("x", "c", c, "p", &c, "list", []shopapi.Credentials{c})
	logger.Info(fmt.Sprintf("%v %+v %#v %s", c, c, c, c))
	if strings.Contains(buf.String(), secret) {
		t.Errorf("the log shows the key: %s", buf.String())
	}
}
