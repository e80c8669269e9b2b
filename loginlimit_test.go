package shopapi_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

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

// newSpelledShop is a shop whose one user has the e-mail of spellings, looked up as
// the library does, and a count of the guesses that were seen.
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

// §3: an e-mail is counted in the form in which it is looked up, so that no
// spelling has a limit of its own.
func TestLoginLimit_EverySpellingIsOneEmail(t *testing.T) {
	s, _ := newSpelledShop(t)
	for i, email := range spellings(128) {
		want := 401
		if i >= 30 {
			want = 429
		}
		s.do("GET", "/api/aisles", "", as(email, fmt.Sprint("wrong", i)), from(fmt.Sprintf("192.0.2.%d:1", i))).want(want)
	}
}

// §3: where only the e-mail is over its limit the key is still checked, also by a
// process that has just started and knows no credentials: the owner passes, from any
// new address and in any spelling, and wrong keys are 429.
func TestLoginLimit_OwnerIsNotLockedOut(t *testing.T) {
	s, _ := newSpelledShop(t)
	for i := range 100 {
		s.do("GET", "/api/aisles", "", as("jüssefx@example.com", fmt.Sprint("wrong", i)), from(fmt.Sprintf("192.0.2.%d:1", i)))
	}
	for i, email := range spellings(20) {
		address := from(fmt.Sprintf("198.51.100.%d:1", i))
		s.do("GET", "/api/aisles", "", as(email, "wrong"), address).want(429).has("Retry-After", "60").contains("Too many")
		s.do("GET", "/api/aisles", "", as(email, "key"), address).want(200)
	}
}

// §3: 10,000 spellings of one's own e-mail are one pair of credentials and take the
// place of nobody's.
func TestLoginLimit_SpellingsEvictNoKnownGoodCredentials(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.Limits.LoginEntries = 100 })
	s.clerk["view_aisles"] = true
	s.do("GET", "/api/aisles", "").want(200) // root
	for i := range 10_000 {
		email := strings.Repeat(" ", i/200) + "clerk@example.com" + strings.Repeat(" ", i%200)
		s.do("GET", "/api/aisles", "", as(email, "key"), from("198.51.100.1:1")).want(200)
	}
	for i := range 40 {
		s.do("GET", "/api/aisles", "", as(fmt.Sprint("user", i), "wrong"))
	}
	s.do("GET", "/api/aisles", "", as("user", "wrong")).want(429)
	s.do("GET", "/api/aisles", "").want(200)
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
		running.Go(func() { statuses <- s.do("GET", "/api/aisles", "", as("root@example.com", key)).Code })
	}
	for i := range limit {
		ask(fmt.Sprint("wrong", i))
		<-begun
	}
	for i := range 20 {
		s.do("GET", "/api/aisles", "", as("root@example.com", fmt.Sprint("more", i))).want(429).has("Retry-After", "1")
	}
	close(gate)
	running.Wait()
	close(statuses)
	for status := range statuses {
		if status != 401 {
			t.Errorf("a guess within the limit got %d", status)
		}
	}
	s.do("GET", "/api/aisles", "", as("root@example.com", "wrong")).want(429).has("Retry-After", "60")
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
		running.Go(func() { s.do("GET", "/api/aisles/1", "").want(200) })
	}
	waiting.Wait()
	close(gate)
	running.Wait()
}

// §3: a /48 gets ten times the limit of a /64.
func TestLoginLimit_IPv6Network(t *testing.T) {
	s, guesses := newSpelledShop(t)
	for i := range 1000 {
		s.do("GET", "/api/aisles", "", as(fmt.Sprint("user", i), "wrong"), from(fmt.Sprintf("[2001:db8:0:%x::1]:1", i)))
	}
	if guesses.Load() != 300 {
		t.Errorf("%d guesses from one /48 were seen, want 300", guesses.Load())
	}
	s.do("GET", "/api/aisles", "", as("user", "wrong"), from("[2001:db8:1::1]:1")).want(401)
}

// §3: filler from a network takes nobody's failures away.
func TestLoginLimit_FillerResetsNothing(t *testing.T) {
	s, guesses := newSpelledShop(t, func(o *shopapi.Options) { o.Limits.LoginEntries = 100 })
	guesser, seen := from("192.0.2.1:1"), int64(0)
	for i := range 100 {
		before := guesses.Load()
		s.do("GET", "/api/aisles", "", as("jüssefx@example.com", fmt.Sprint("wrong", i)), guesser)
		seen += guesses.Load() - before
		for j := range 20 {
			s.do("GET", "/api/aisles", "", as(fmt.Sprint("filler", i, j), "wrong"), from(fmt.Sprintf("[2001:db8:0:%x::1]:1", 20*i+j)))
		}
	}
	if seen > 30 {
		t.Errorf("%d guesses of one address were seen beside filler, want at most 30", seen)
	}
}

// An Authenticator that cannot tell uses nothing up.
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
		s.do("GET", "/api/aisles", "").want(503)
	}
	failing = false
	for _, want := range []int{401, 401, 429} {
		s.now = s.now.Add(time.Second)
		s.do("GET", "/api/aisles", "").want(want)
	}
}

// §3: what only a proxy's address is known of has ten times the limit, so that one
// guesser does not soon block everybody behind it; nobody outside gets it by writing the
// headers of proxies.
func TestLoginLimit_SharedAddresses(t *testing.T) {
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
			s := newShop(t, func(o *shopapi.Options) {
				o.TrustedProxies, o.ProxyHeader = prefixes("172.16.0.0/12"), test.header
			})
			refused := 0
			for i := range test.limit + 5 {
				wrong := as(fmt.Sprintf("user%d@example.com", i), "wrong")
				if s.do("GET", "/api/aisles", "", append([]header{wrong}, test.sent...)...).Code == 429 {
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
