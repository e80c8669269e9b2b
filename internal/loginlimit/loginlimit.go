// Package loginlimit slows the guessing of credentials (§3): after so many failures
// within a window, from one client address or on one e-mail, attempts are refused
// without a look at them until the window is over. Credentials that are known good
// pass meanwhile, so that an attacker cannot lock their owner out.
package loginlimit

import (
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"
)

// A Limiter counts failures. It may be used by several goroutines at once, and the
// memory that it takes is bounded.
type Limiter struct {
	failures int
	window   time.Duration

	mu        sync.Mutex
	byAddress bounded[netip.Prefix, count]
	byEmail   bounded[Hash, count]
	knownGood bounded[Hash, struct{}]
}

// A Hash stands for what a client sent.
type Hash = [sha256.Size]byte

// An Attempt is one pair of credentials from one client.
type Attempt struct {
	Address     netip.Addr
	Email       Hash // in the form in which e-mails are compared
	Credentials Hash
}

// A count is that of the failures since the first one of a window.
type count struct {
	failures int
	since    time.Time
}

// New returns a limiter that allows so many failures within a window, and has room
// for so many addresses, e-mails and known good credentials each.
func New(failures int, window time.Duration, entries int) *Limiter {
	return &Limiter{
		failures:  failures,
		window:    window,
		byAddress: newBounded[netip.Prefix, count](entries),
		byEmail:   newBounded[Hash, count](entries),
		knownGood: newBounded[Hash, struct{}](entries),
	}
}

// Blocked reports whether the attempt is refused, and for how long.
func (l *Limiter) Blocked(a Attempt, now time.Time) (wait time.Duration, blocked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.knownGood.get(a.Credentials); ok {
		return 0, false
	}
	byAddress, _ := l.byAddress.get(network(a.Address))
	byEmail, _ := l.byEmail.get(a.Email)
	wait = max(l.remaining(byAddress, now), l.remaining(byEmail, now))
	return wait, wait > 0
}

// remaining is how long failures still block.
func (l *Limiter) remaining(c count, now time.Time) time.Duration {
	if c.failures < l.failures {
		return 0
	}
	return c.since.Add(l.window).Sub(now)
}

// Failed counts an attempt with wrong credentials, which are no longer known good.
func (l *Limiter) Failed(a Attempt, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.knownGood.remove(a.Credentials)
	add(&l.byAddress, network(a.Address), now, l.window)
	add(&l.byEmail, a.Email, now, l.window)
}

func add[K comparable](in *bounded[K, count], key K, now time.Time, window time.Duration) {
	c, _ := in.get(key)
	if c.failures == 0 || now.Sub(c.since) >= window {
		c = count{since: now}
	}
	c.failures++
	in.put(key, c)
}

// Succeeded notes that the credentials are good.
func (l *Limiter) Succeeded(a Attempt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.knownGood.put(a.Credentials, struct{}{})
}

// network is what counts as one client: an IPv4 address, or the /64 that an IPv6
// client has at its disposal.
func network(a netip.Addr) netip.Prefix {
	a = a.Unmap()
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil { // the zero Addr: the host's server told no address
		return netip.Prefix{}
	}
	return p
}
