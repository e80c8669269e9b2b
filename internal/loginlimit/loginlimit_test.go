package loginlimit

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

var start = time.Unix(1_700_000_000, 0)

func attempt(addr, email string, credentials any) Attempt {
	a := Attempt{Email: email, Credentials: sha256.Sum256(fmt.Append(nil, credentials))}
	if addr != "" {
		a.Address = netip.MustParseAddr(addr)
	}
	return a
}

// guess makes a wrong attempt and reports whether it was seen.
func guess(l *Limiter, a Attempt, now time.Time) bool {
	t, wait := l.Begin(a, now)
	if wait > 0 {
		return false
	}
	t.Failed(now)
	return true
}

// seen is how many of many guesses with different keys are seen.
func seen(l *Limiter, now time.Time, guesses int, next func(i int) Attempt) int {
	n := 0
	for i := range guesses {
		if guess(l, next(i), now) {
			n++
		}
	}
	return n
}

// §3: an IPv4 address and a /64 have the limit, a /48 and what many clients share
// ten times as much.
func TestLimiter_Networks(t *testing.T) {
	for name, c := range map[string]struct {
		want int
		next func(i int) Attempt
	}{
		"one address":                 {3, func(i int) Attempt { return attempt("192.0.2.1", fmt.Sprint(i), i) }},
		"the address as IPv6":         {3, func(i int) Attempt { return attempt("::ffff:192.0.2.1", fmt.Sprint(i), i) }},
		"a /64":                       {3, func(i int) Attempt { return attempt(fmt.Sprintf("2001:db8::%x", i+1), fmt.Sprint(i), i) }},
		"a /48":                       {30, func(i int) Attempt { return attempt(fmt.Sprintf("2001:db8:0:%x::1", i), fmt.Sprint(i), i) }},
		"many /48":                    {200, func(i int) Attempt { return attempt(fmt.Sprintf("2001:db8:%x::1", i), fmt.Sprint(i), i) }},
		"many addresses":              {200, func(i int) Attempt { return attempt(fmt.Sprintf("192.0.2.%d", i), fmt.Sprint(i), i) }},
		"many addresses on an e-mail": {200, func(i int) Attempt { return attempt(fmt.Sprintf("192.0.2.%d", i), "a", i) }},
		"no address":                  {30, func(i int) Attempt { return attempt("", fmt.Sprint(i), i) }},
		"a shared address": {30, func(i int) Attempt {
			a := attempt("10.0.0.1", fmt.Sprint(i), i)
			a.Shared = true
			return a
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l := New(3, time.Minute, 10_000)
			if got := seen(l, start, 200, c.next); got != c.want {
				t.Errorf("%d guesses were seen, want %d", got, c.want)
			}
			if got := seen(l, start.Add(59*time.Second), 1, c.next); got != 0 && c.want < 200 {
				t.Error("the wait ended before the window")
			}
			if got := seen(l, start.Add(time.Minute), 200, c.next); got != c.want {
				t.Errorf("in the next window %d guesses were seen, want %d", got, c.want)
			}
		})
	}
}

// §3: attempts on an e-mail over its limit are still checked, and wrong ones get the
// limit's error.
func TestLimiter_EmailOverItsLimitIsStillTried(t *testing.T) {
	l := New(3, time.Minute, 100)
	for i := range 6 {
		try, wait := l.Begin(attempt(fmt.Sprintf("192.0.2.%d", i), "a", i), start)
		if wait > 0 {
			t.Fatalf("attempt %d waits %s", i, wait)
		}
		wait = try.Failed(start.Add(time.Second))
		if over := wait > 0; over != (i >= 3) {
			t.Errorf("attempt %d was told to wait %s", i, wait)
		}
	}
	owner := attempt("198.51.100.1", "a", "good")
	try, wait := l.Begin(owner, start)
	if wait > 0 {
		t.Fatalf("the owner waits %s", wait)
	}
	try.Succeeded()
	try, wait = l.Begin(owner, start)
	if wait > 0 {
		t.Fatalf("the owner waits %s", wait)
	}
	if wait := try.Failed(start); wait > 0 {
		t.Errorf("credentials that were good are told to wait %s", wait)
	}
}

// §3: attempts count before they are checked, so that many at once do not pass together.
// Concurrent attempts with the same credentials count once; successful and aborted
// attempts do not count.
func TestLimiter_AttemptsAtOnce(t *testing.T) {
	l := New(3, time.Minute, 100)
	var begun []*Try
	for i := range 10 {
		if try, wait := l.Begin(attempt("192.0.2.1", "a", i), start); wait == 0 {
			begun = append(begun, try)
		} else if wait != time.Second {
			t.Errorf("attempt %d waits %s, want a second: others may turn out good", i, wait)
		}
	}
	if len(begun) != 3 {
		t.Fatalf("%d attempts began at once, want 3", len(begun))
	}
	same, wait := l.Begin(attempt("192.0.2.1", "a", 0), start)
	if wait > 0 {
		t.Fatalf("the same credentials wait %s", wait)
	}
	same.Cancel()
	begun[0].Succeeded()
	begun[0].Cancel()
	begun[1].Cancel()
	begun[2].Failed(start)
	if got := seen(l, start, 10, func(i int) Attempt { return attempt("192.0.2.1", "b", 100+i) }); got != 2 {
		t.Errorf("%d further guesses were seen, want 2", got)
	}
	for name, n := range map[string]int{
		"credentials": len(l.trying), "addresses": len(l.byAddress.begun), "networks": len(l.byNetwork.begun), "e-mails": len(l.byEmail.begun),
	} {
		if n != 0 {
			t.Errorf("%d %s are left of what began", n, name)
		}
	}
}

// §3: filler takes nobody's failures away, from however many networks it comes,
// and no known good credentials.
func TestLimiter_FillerResetsNothing(t *testing.T) {
	l := New(3, time.Minute, 10_000)
	guesser := func(i int) Attempt { return attempt("192.0.2.1", "victim", i) }
	seen(l, start, 10, guesser)
	owner := attempt("198.51.100.1", "owner", "good")
	try, _ := l.Begin(owner, start)
	try.Succeeded()
	for i := range 10_000 {
		guess(l, attempt(fmt.Sprintf("2001:db8:%x:%x::1", i%1000, i), fmt.Sprint("filler", i), i), start)
	}
	if guess(l, guesser(11), start) {
		t.Error("the guesser's address was forgotten")
	}
	if try, _ := l.Begin(attempt("203.0.113.1", "victim", 12), start); try == nil || try.Failed(start) == 0 {
		t.Error("the failures on the e-mail were forgotten")
	}
	if _, wait := l.Begin(owner, start); wait > 0 {
		t.Errorf("the owner waits %s", wait)
	}
}

// §3: a flood of guesses makes nobody's guesses repeated ones, which would not count.
func TestLimiter_FloodMakesNoGuessFree(t *testing.T) {
	l := New(3, time.Minute, 100)
	for i := range 10_000 {
		guess(l, attempt(fmt.Sprintf("2001:db8:%x::1", i), fmt.Sprint("filler", i), -i), start)
	}
	// Each guess is made twice, and others push it out in between.
	if got := seen(l, start, 100, func(i int) Attempt {
		if i%2 == 1 {
			seen(l, start, 200, func(j int) Attempt {
				return attempt(fmt.Sprintf("198.51.100.%d", j), fmt.Sprint("more", i, j), fmt.Sprint(i, j))
			})
		}
		return attempt("192.0.2.1", "victim", i/2)
	}); got > 3 {
		t.Errorf("%d guesses of one address were seen, want at most 3", got)
	}
}

// With room to spare, addresses do not get into each other's way.
func TestLimiter_OthersAreNotBlocked(t *testing.T) {
	l := New(30, time.Minute, 10_000)
	for i := range 1000 { // networks that are all blocked
		for range 30 {
			guess(l, attempt(fmt.Sprintf("10.0.%d.%d", i/250, i%250), "a", i), start)
		}
	}
	blocked := 0
	for i := range 1000 {
		if !guess(l, attempt(fmt.Sprintf("192.0.%d.%d", i/250, i%250), "b", i), start) {
			blocked++
		}
	}
	if blocked > 10 {
		t.Errorf("%d of 1000 other addresses are blocked", blocked)
	}
}

// §3: the memory that guessing takes is bounded, and known good credentials that
// are in use stay.
func TestLimiter_MemoryIsBounded(t *testing.T) {
	l := New(2, time.Minute, 10)
	used := attempt("198.51.100.1", "owner", "good")
	for i := range 1000 {
		for _, a := range []Attempt{used, attempt(fmt.Sprintf("10.0.%d.%d", i>>8, i&255), fmt.Sprint("email", i), i)} {
			try, wait := l.Begin(a, start)
			if wait > 0 && a == used {
				t.Fatal("known good credentials in use were evicted")
			}
			if wait == 0 {
				try.Succeeded()
			}
		}
		guess(l, attempt(fmt.Sprintf("2001:db8:%x::1", i), fmt.Sprint("wrong", i), fmt.Sprint("wrong", i)), start)
	}
	for name, size := range map[string]int{
		"known good": len(l.knownGood.items), "known good order": l.knownGood.recent.Len(),
		"wrong": len(l.wrong.entries.items), "wrong order": l.wrong.entries.recent.Len(),
	} {
		if size != 10 {
			t.Errorf("%s: %d entries, want 10", name, size)
		}
	}
	for name, size := range map[string]int{
		"addresses": len(l.byAddress.cells), "networks": len(l.byNetwork.cells), "e-mails": len(l.byEmail.cells),
	} {
		if size != rows*16 {
			t.Errorf("%s: %d cells, want %d", name, size, rows*16)
		}
	}
}

// A clock that is put back blocks nobody for long.
func TestLimiter_ClockPutBack(t *testing.T) {
	l := New(1, time.Minute, 10)
	a := attempt("192.0.2.1", "a", 1)
	guess(l, a, start)
	if guess(l, a, start) {
		t.Error("the limit does not hold")
	}
	if !guess(l, a, start.Add(-time.Hour)) {
		t.Error("an hour that comes again is blocked")
	}
}

// However many clients, e-mails and credentials there are, a limiter takes no more
// than Size, and not much less once it is full.
func TestSize(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		for range 2 {
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for _, entries := range []int{1_000, 5_000} {
		before := heap()
		l := New(30, time.Minute, entries)
		for i := range 3 * entries {
			a := attempt(fmt.Sprintf("2001:db8:%x:%x::1", i>>8, i&255), fmt.Sprint("user", i), i)
			if try, wait := l.Begin(a, start); wait == 0 {
				try.Succeeded()
			}
			guess(l, attempt(fmt.Sprintf("2001:db8:%x:%x::2", i>>8, i&255), fmt.Sprint("user", i), -i), start)
		}
		kept := heap() - before
		runtime.KeepAlive(l)
		if kept > Size(entries)*11/10 || kept < Size(entries)/3 {
			t.Errorf("%d entries take %d bytes, and Size says %d", entries, kept, Size(entries))
		}
	}
}
