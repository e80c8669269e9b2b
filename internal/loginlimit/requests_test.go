package loginlimit_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"golang.org/x/text/unicode/norm"
)

// A shop is an API with users and a clock that the test sets.
type shop struct {
	*shopapi.API
	t   *testing.T
	now time.Time
	log *strings.Builder
}

// newShop returns a shop with the users root@example.com and clerk@example.com and the key "key".
func newShop(t *testing.T, change ...func(*shopapi.Options)) *shop {
	t.Helper()
	s := &shop{t: t, now: time.Unix(1_700_000_000, 0), log: &strings.Builder{}}
	o := &shopapi.Options{
		Authenticator: shopapi.AuthenticatorFunc(authenticate),
		Clock:         func() time.Time { return s.now },
		Logger:        slog.New(slog.NewTextHandler(s.log, nil)),
	}
	for _, f := range change {
		f(o)
	}
	s.API = shopapi.New(o)
	if err := s.Register(aisles{}); err != nil {
		t.Fatal(err)
	}
	return s
}

func authenticate(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
	email := strings.ToLower(strings.TrimSpace(c.Email))
	if c.Key != "key" || email != "root@example.com" && email != "clerk@example.com" {
		return nil, shopapi.ErrBadCredentials
	}
	return &shopapi.User{ID: int64(len(email)), Root: true, Type: shopapi.Administrator}, nil
}

// Aisles is an entity without objects.
type aisles struct{}

func (aisles) Describe() shopapi.Description {
	return shopapi.Description{Name: "aisles", Privileges: shopapi.Privileges{View: "view"}}
}

func (aisles) List(context.Context, *shopapi.Request) (any, error) { return []string{}, nil }

// A header changes a request.
type header func(*http.Request)

func with(name, value string) header { return func(r *http.Request) { r.Header.Set(name, value) } }
func as(email, key string) header    { return func(r *http.Request) { r.SetBasicAuth(email, key) } }
func from(addr string) header        { return func(r *http.Request) { r.RemoteAddr = addr } }
func anonymous(r *http.Request)      { r.Header.Del("Authorization") }

// get asks for the aisles, as root unless a header says otherwise.
func (s *shop) get(headers ...header) *reply {
	r := httptest.NewRequest("GET", "/api/aisles", nil)
	r.SetBasicAuth("root@example.com", "key")
	for _, h := range headers {
		h(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return &reply{w, s.t}
}

type reply struct {
	*httptest.ResponseRecorder
	t *testing.T
}

func (r *reply) want(status int) *reply {
	r.t.Helper()
	if r.Code != status {
		r.t.Errorf("status %d %s, want %d", r.Code, r.Body, status)
	}
	return r
}

func (r *reply) has(name, value string) *reply {
	r.t.Helper()
	if got := r.Header().Get(name); got != value {
		r.t.Errorf("%s is %q, want %q", name, got, value)
	}
	return r
}

func (r *reply) contains(text string) *reply {
	r.t.Helper()
	if !strings.Contains(r.Body.String(), text) {
		r.t.Errorf("%s lacks %q", r.Body, text)
	}
	return r
}

// spellings are many ways to write one e-mail: the case of each letter, space
// around it, the long s and ligatures that fold to plain letters, accents composed
// or not.
func spellings(n int) []string {
	list := make([]string, n)
	for i := range list {
		var b strings.Builder
		for bit, r := range []string{"J", "ü", "s", "s", "e", "F", "x"} {
			switch upper := i>>bit&1 == 1; {
			case upper && r == "s":
				b.WriteString("ſ")
			case upper && r == "ü":
				b.WriteString(norm.NFD.String("Ü"))
			case upper:
				b.WriteString(strings.ToUpper(r))
			default:
				b.WriteString(strings.ToLower(r))
			}
		}
		list[i] = strings.Repeat(" ", i>>7&63) + b.String() + "@example.com" + strings.Repeat("\t", i>>13)
	}
	return list
}

// newSpelledShop returns a shop with one user, which the library finds by the e-mail of spellings, and
// counts the credentials that were checked.
func newSpelledShop(t *testing.T, change ...func(*shopapi.Options)) (*shop, *atomic.Int64) {
	t.Helper()
	var guesses atomic.Int64
	s := newShop(t, append(change, func(o *shopapi.Options) {
		o.Authenticator = shopapi.AuthenticatorFunc(func(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
			guesses.Add(1)
			if store.Fold(strings.TrimSpace(c.Email)) != "jüssefx@example.com" || c.Key != "key" {
				return nil, shopapi.ErrBadCredentials
			}
			return &shopapi.User{ID: 1, Root: true, Type: shopapi.Administrator}, nil
		})
	})...)
	return s, &guesses
}

// §3: after 30 wrong credentials within a minute from one address, further
// ones that are not known good are refused unseen.
func TestLoginLimit_PerAddress(t *testing.T) {
	s := newShop(t)
	wrong := func(i int, addr string) *reply {
		return s.get(as(fmt.Sprintf("user%d@example.com", i), "wrong"), from(addr))
	}
	for i := range 30 {
		wrong(i, "192.0.2.1:1000").want(401)
		s.now = s.now.Add(time.Second)
	}
	wrong(30, "192.0.2.1:2000").want(429).has("Retry-After", "30").contains("Too many")
	wrong(31, "192.0.2.2:1000").want(401)
	// Good credentials that were never seen are refused unseen as well.
	s.get(from("192.0.2.1:1000")).want(429)
	s.get(from("192.0.2.2:1000")).want(200)
	// A refused attempt does not lengthen the wait.
	s.now = s.now.Add(29 * time.Second)
	wrong(32, "192.0.2.1:1000").want(429).has("Retry-After", "1")
	s.now = s.now.Add(time.Second)
	wrong(33, "192.0.2.1:1000").want(401)
	s.get(from("192.0.2.1:1000")).want(200)
}

// §3: or on one e-mail, from many addresses, in whatever spelling.
func TestLoginLimit_PerEmail(t *testing.T) {
	s := newShop(t)
	for i := range 30 {
		s.get(as(" Root@EXAMPLE.com", fmt.Sprint("wrong", i)), from(fmt.Sprintf("192.0.2.%d:1", i))).want(401)
	}
	s.get(as("root@example.com", "wrong"), from("198.51.100.1:1")).want(429)
	s.get(as("clerk@example.com", "wrong"), from("198.51.100.1:1")).want(401)
}

// An IPv6 client has a whole /64 at its disposal.
func TestLoginLimit_IPv6(t *testing.T) {
	s := newShop(t)
	for i := range 30 {
		s.get(as(fmt.Sprint(i), "wrong"), from(fmt.Sprintf("[2001:db8:0:1::%x]:1", i+1))).want(401)
	}
	s.get(as("a", "wrong"), from("[2001:db8:0:1:ffff::1]:1")).want(429)
	s.get(as("a", "wrong"), from("[2001:db8:0:2::1]:1")).want(401)
}

// §3: credentials that were good before keep working meanwhile, from that address
// too, so that an attacker cannot lock the owner out.
func TestLoginLimit_KnownGoodCredentialsPass(t *testing.T) {
	s := newShop(t)
	s.get().want(200)
	for range 40 {
		s.get(as("root@example.com", "wrong"))
	}
	s.get(as("root@example.com", "wrong")).want(429)
	s.get().want(200)
	s.get(from("198.51.100.1:1")).want(200)
}

// Revoked credentials are refused, also if they were accepted before.
func TestLoginLimit_RevokedCredentials(t *testing.T) {
	var revoked atomic.Bool
	s := newShop(t, func(o *shopapi.Options) {
		o.Limits.LoginFailures = 1
		o.Authenticator = shopapi.AuthenticatorFunc(func(ctx context.Context, c shopapi.Credentials) (*shopapi.User, error) {
			if revoked.Load() {
				return nil, shopapi.ErrBadCredentials
			}
			return authenticate(ctx, c)
		})
	})
	s.get().want(200)
	revoked.Store(true)
	s.get().want(401)
	revoked.Store(false)
	s.get().want(429)
}

// §3: a request without credentials does not count.
func TestLoginLimit_WithoutCredentials(t *testing.T) {
	s := newShop(t)
	for range 40 {
		s.get(anonymous).want(401)
		s.get(anonymous, with("Authorization", "Bearer x")).want(401)
	}
	s.get().want(200)
}

// §3: limits are options.
func TestLoginLimit_Limits(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) {
		o.Limits.LoginFailures, o.Limits.LoginWindow = 2, time.Hour
	})
	for _, want := range []int{401, 401, 429} {
		s.get(as("root@example.com", "wrong")).want(want)
	}
	s.now = s.now.Add(59 * time.Minute)
	s.get(as("root@example.com", "wrong")).want(429).has("Retry-After", "60")
}

// §3: an e-mail is counted in the form in which it is looked up, so that no
// spelling has a limit of its own.
func TestLoginLimit_EverySpellingIsOneEmail(t *testing.T) {
	t.Parallel()
	s, _ := newSpelledShop(t)
	for i, email := range spellings(128) {
		want := 401
		if i >= 30 {
			want = 429
		}
		s.get(as(email, fmt.Sprint("wrong", i)), from(fmt.Sprintf("192.0.2.%d:1", i))).want(want)
	}
}

// §3: where only the e-mail is over its limit the key is still checked, also by a
// process that has just started and knows no credentials: the owner passes, from any
// new address and in any spelling, and wrong keys are 429.
func TestLoginLimit_OwnerIsNotLockedOut(t *testing.T) {
	s, _ := newSpelledShop(t)
	for i := range 100 {
		s.get(as("jüssefx@example.com", fmt.Sprint("wrong", i)), from(fmt.Sprintf("192.0.2.%d:1", i)))
	}
	for i, email := range spellings(20) {
		address := from(fmt.Sprintf("198.51.100.%d:1", i))
		s.get(as(email, "wrong"), address).want(429).has("Retry-After", "60").contains("Too many")
		s.get(as(email, "key"), address).want(200)
	}
}

// §3: 10,000 spellings of one's own e-mail are one pair of credentials and take the
// place of nobody's.
func TestLoginLimit_SpellingsEvictNoKnownGoodCredentials(t *testing.T) {
	t.Parallel()
	s := newShop(t, func(o *shopapi.Options) { o.Limits.LoginEntries = 100 })
	s.get().want(200) // root
	for i := range 10_000 {
		email := strings.Repeat(" ", i/200) + "clerk@example.com" + strings.Repeat(" ", i%200)
		s.get(as(email, "key"), from("198.51.100.1:1")).want(200)
	}
	for i := range 40 {
		s.get(as(fmt.Sprint("user", i), "wrong"))
	}
	s.get(as("user", "wrong")).want(429)
	s.get().want(200)
}

// §3: attempts count before they are tried: of many simultaneous guesses no more
// are seen than of as many one after another.
func TestLoginLimit_GuessesAtOnce(t *testing.T) {
	const limit = 5
	var seen atomic.Int64
	begun, gate := make(chan struct{}, 100), make(chan struct{})
	s := newShop(t, func(o *shopapi.Options) {
		o.Limits.LoginFailures = limit
		o.Authenticator = shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
			seen.Add(1)
			begun <- struct{}{}
			<-gate
			return nil, shopapi.ErrBadCredentials
		})
	})
	var running sync.WaitGroup
	statuses := make(chan int, 100)
	ask := func(key string) {
		running.Go(func() { statuses <- s.get(as("root@example.com", key)).Code })
	}
	for i := range limit {
		ask(fmt.Sprint("wrong", i))
		<-begun
	}
	for i := range 20 {
		s.get(as("root@example.com", fmt.Sprint("more", i))).want(429).has("Retry-After", "1")
	}
	close(gate)
	running.Wait()
	close(statuses)
	for status := range statuses {
		if status != 401 {
			t.Errorf("a guess within the limit got %d", status)
		}
	}
	s.get(as("root@example.com", "wrong")).want(429).has("Retry-After", "60")
	if seen.Load() != limit {
		t.Errorf("%d guesses were seen, want %d", seen.Load(), limit)
	}
}

// Many requests with the same credentials at once are one attempt: a program that
// starts with many connections is not refused.
func TestLoginLimit_SameCredentialsAtOnce(t *testing.T) {
	gate := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Add(50)
	s := newShop(t, func(o *shopapi.Options) {
		o.Limits.LoginFailures = 2
		o.Authenticator = shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
			waiting.Done()
			<-gate
			return &shopapi.User{ID: 1, Root: true, Type: shopapi.Administrator}, nil
		})
	})
	var running sync.WaitGroup
	for range 50 {
		running.Go(func() { s.get().want(200) })
	}
	waiting.Wait()
	close(gate)
	running.Wait()
}

// §3: a /48 gets ten times the limit of a /64.
func TestLoginLimit_IPv6Network(t *testing.T) {
	t.Parallel()
	s, guesses := newSpelledShop(t)
	for i := range 1000 {
		s.get(as(fmt.Sprint("user", i), "wrong"), from(fmt.Sprintf("[2001:db8:0:%x::1]:1", i)))
	}
	if guesses.Load() != 300 {
		t.Errorf("%d guesses from one /48 were seen, want 300", guesses.Load())
	}
	s.get(as("user", "wrong"), from("[2001:db8:1::1]:1")).want(401)
}

// §3: filler from a network takes nobody's failures away.
func TestLoginLimit_FillerResetsNothing(t *testing.T) {
	t.Parallel()
	s, guesses := newSpelledShop(t, func(o *shopapi.Options) { o.Limits.LoginEntries = 100 })
	guesser, seen := from("192.0.2.1:1"), int64(0)
	for i := range 100 {
		before := guesses.Load()
		s.get(as("jüssefx@example.com", fmt.Sprint("wrong", i)), guesser)
		seen += guesses.Load() - before
		for j := range 20 {
			s.get(as(fmt.Sprint("filler", i, j), "wrong"), from(fmt.Sprintf("[2001:db8:0:%x::1]:1", 20*i+j)))
		}
	}
	if seen > 30 {
		t.Errorf("%d guesses of one address were seen beside filler, want at most 30", seen)
	}
}

// A failure of the Authenticator does not count as an attempt.
func TestLoginLimit_OutagesDoNotCount(t *testing.T) {
	failing := true
	s := newShop(t, func(o *shopapi.Options) {
		o.Limits.LoginFailures = 2
		o.Authenticator = shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
			if failing {
				return nil, store.ErrUnavailable
			}
			return nil, shopapi.ErrBadCredentials
		})
	})
	for range 10 {
		s.get().want(503)
	}
	failing = false
	for _, want := range []int{401, 401, 429} {
		s.now = s.now.Add(time.Second)
		s.get().want(want)
	}
}

// §3: an address shared behind a proxy has ten times the limit, so that one attacker does
// not soon block everybody behind it; a client cannot get that limit by writing the
// headers of proxies.
func TestLoginLimit_SharedAddresses(t *testing.T) {
	t.Parallel()
	forwarded := with("X-Forwarded-For", "203.0.113.9")
	for _, test := range []struct {
		name   string
		header string // Options.ProxyHeader
		sent   []header
		limit  int
	}{
		{"a client", "", []header{from("192.0.2.1:1")}, 30},
		{"a client that writes headers of proxies", "", []header{from("192.0.2.1:1"), forwarded}, 30},
		{"a neighbour", "", []header{from("10.0.0.1:1")}, 30},
		{"a proxy that is not named", "", []header{from("10.0.0.1:1"), forwarded}, 300},
		{"one of this machine", "", []header{from("127.0.0.1:1"), with("Forwarded", "for=203.0.113.9")}, 300},
		{"a proxy that tells nobody", "", []header{from("172.16.0.1:1"), with("X-Forwarded-For", "unknown")}, 300},
		{"a proxy that tells a client", "", []header{from("172.16.0.1:1"), forwarded}, 30},
		{"a Unix socket", "", []header{from("@")}, 300},
		{"a Unix socket with a header", "X-Forwarded-For", []header{from("@"), forwarded}, 30},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, func(o *shopapi.Options) {
				o.TrustedProxies, o.ProxyHeader = []netip.Prefix{netip.MustParsePrefix("172.16.0.0/12")}, test.header
			})
			refused := 0
			for i := range test.limit + 5 {
				wrong := as(fmt.Sprintf("user%d@example.com", i), "wrong")
				if s.get(append([]header{wrong}, test.sent...)...).Code == 429 {
					refused++
				}
			}
			if refused != 5 {
				t.Errorf("%d of %d guesses were refused, want 5", refused, test.limit+5)
			}
			if named := !strings.Contains(test.name, "not named") && !strings.Contains(test.name, "this machine"); named == strings.Contains(s.log.String(), "TrustedProxies does not name") {
				t.Errorf("the log is %s", s.log)
			}
		})
	}
}

// §3: where the host names no proxy, headers of proxies do not raise the limit, also from
// this machine.
func TestLoginLimit_HeadersWithoutProxies(t *testing.T) {
	for _, header := range []string{"Via", "X-Forwarded-For", "Forwarded"} {
		s := newShop(t)
		refused := 0
		for i := range 40 {
			wrong := as(fmt.Sprintf("user%d@example.com", i), "wrong")
			if s.get(from("127.0.0.1:1"), with(header, "203.0.113.9"), wrong).Code == 429 {
				refused++
			}
		}
		if refused != 10 {
			t.Errorf("with %s %d of 40 guesses were refused, want 10", header, refused)
		}
	}
}

// §3: repeated wrong credentials are not a guess. A program of a disabled user that goes on
// asking is refused alone: other users behind its address are not, and its own limit is the
// one of an address.
func TestLoginLimit_RepeatedCredentials(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"192.0.2.1:1000", "[2001:db8::1]:1000", "@"} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			var disabled atomic.Bool
			var seen atomic.Int64
			s := newShop(t, func(o *shopapi.Options) {
				o.Authenticator = shopapi.AuthenticatorFunc(func(ctx context.Context, c shopapi.Credentials) (*shopapi.User, error) {
					seen.Add(1)
					if disabled.Load() && strings.HasPrefix(c.Email, "clerk") {
						return nil, shopapi.ErrBadCredentials
					}
					return authenticate(ctx, c)
				})
			})
			clerk := as("clerk@example.com", "key")
			s.get(clerk, from(client)).want(200)
			disabled.Store(true)
			seen.Store(0)
			for i := range 100 {
				want := 401
				if i >= 30 {
					want = 429
				}
				s.get(clerk, from(client)).want(want)
			}
			s.get(clerk, from(client)).want(429).has("Retry-After", "60").contains("Too many")
			if seen.Load() != 30 {
				t.Errorf("the clerk's credentials were checked %d times, want 30", seen.Load())
			}
			s.get(from(client)).want(200) // root, for the first time
			s.get(as("clerk@example.com", "other"), from(client)).want(401)
			s.get(clerk, from("203.0.113.9:1")).want(401)

			// They are one of the 30 in each window.
			s.now = s.now.Add(time.Minute)
			s.get(clerk, from(client)).want(401)
			limit := 30
			if client == "@" {
				limit = 300
			}
			for i := range limit - 1 {
				s.get(as(fmt.Sprint("user", i), "wrong"), from(client)).want(401)
			}
			s.get(as("user", "wrong"), from(client)).want(429)
			s.get(clerk, from(client)).want(429)

			// The clerk is enabled again.
			s.now = s.now.Add(time.Minute)
			s.get(clerk, from(client)).want(401)
			disabled.Store(false)
			s.get(clerk, from(client)).want(200)
			disabled.Store(true)
			s.get(clerk, from(client)).want(401)
		})
	}
}
