// Package loginlimit slows the guessing of credentials (§3). After so many failures
// within a window from one client address, attempts are refused without a look at
// them until the window is over. After as many on one e-mail they are still looked
// at, and only the wrong ones refused, so that guessing does not lock the owner out.
// Credentials that are known good pass in any case.
//
// Repeated credentials are not a guess: a program of a disabled user or with an old key goes
// on asking, and other users behind its address must not pay for it. From one client they
// count as one failure of a window, and have the limit of an address to themselves.
package loginlimit

import (
	"crypto/sha256"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store"
)

// A Limiter counts failures. It may be used by several goroutines at once, and the
// memory that it takes is bounded.
type Limiter struct {
	mu        sync.Mutex
	byAddress counter[netip.Prefix] // IPv4 addresses and /64 of IPv6
	byNetwork counter[netip.Prefix] // /48 of IPv6, and addresses that many clients share
	byEmail   counter[string]
	knownGood bounded[Hash, struct{}]
	wrong     repeats
	trying    map[Hash]int // attempts that have begun
}

// A Hash identifies credentials without containing them.
type Hash = [sha256.Size]byte

// An Attempt is one pair of credentials from one client.
type Attempt struct {
	// Address is zero where it is not known. Shared says that many clients may have
	// it; so it is with the zero one.
	Address netip.Addr
	Shared  bool

	// Email is in the form in which e-mails are looked up, and Credentials is the
	// hash of that form and the key: other spellings are the same credentials.
	Email       string
	Credentials Hash
}

// NewAttempt returns the attempt of credentials. The e-mail is normalized, so that no
// spelling of it has a separate limit.
func NewAttempt(address netip.Addr, shared bool, email, key string) Attempt {
	email = store.Fold(strings.TrimSpace(email))
	return Attempt{Address: address, Shared: shared, Email: email, Credentials: sha256.Sum256([]byte(email + "\x00" + key))}
}

// networkFactor is how many times the limit of an address a network may fail.
const networkFactor = 10

// New returns a limiter that allows a number of failures within a window. entries bounds
// each of the numbers of addresses, networks, e-mails, known good and wrong credentials that
// it stores. Beyond that, some keys share their counters, so that a flood of keys cannot
// reset anybody's failures.
func New(failures int, window time.Duration, entries int) *Limiter {
	return &Limiter{
		byAddress: newCounter[netip.Prefix](failures, window, entries),
		byNetwork: newCounter[netip.Prefix](networkFactor*failures, window, entries),
		byEmail:   newCounter[string](failures, window, entries),
		knownGood: newBounded[Hash, struct{}](entries),
		wrong:     newRepeats(failures, window, entries),
		trying:    map[Hash]int{},
	}
}

// Size is how much memory a limiter of so many entries takes at most, in bytes.
func Size(entries int) int64 {
	const perCell, perKnownGood, perWrong, counters = 16, 200, 220, 3
	return int64(counters*rows*perCell)*int64(width(entries)) + (perKnownGood+perWrong)*int64(entries)
}

// Begin counts an attempt before it is made, so that many at once do not pass the
// limit together. A wait above 0 refuses it, unseen, for that long. Otherwise one
// method of the Try has to be called once the outcome is known.
func (l *Limiter) Begin(a Attempt, now time.Time) (t *Try, wait time.Duration) {
	t = &Try{limiter: l, attempt: a}
	t.address, t.network = networks(a)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, t.knownGood = l.knownGood.get(a.Credentials); t.knownGood {
		return t, 0
	}
	t.emailWait = l.byEmail.wait(a.Email, now)
	repeated, wait := l.wrong.seen(t.repeatKey(), now)
	if wait > 0 {
		return nil, wait
	}
	// Concurrent attempts with the same credentials count once, repeated ones do not.
	first := l.trying[a.Credentials] == 0
	if first || repeated {
		if wait = max(l.byAddress.wait(t.address, now), l.byNetwork.wait(t.network, now)); wait > 0 {
			return nil, wait
		}
	}
	if t.counted = first && !repeated; t.counted {
		l.byAddress.begin(t.address)
		l.byNetwork.begin(t.network)
		l.byEmail.begin(a.Email)
	}
	l.trying[a.Credentials]++
	return t, 0
}

// A Try is an attempt that has begun.
type Try struct {
	limiter          *Limiter
	attempt          Attempt
	address, network netip.Prefix
	repeat           Hash          // see repeatKey
	emailWait        time.Duration // above 0: the e-mail is over its limit
	knownGood        bool
	counted          bool // counted as a started attempt
	ended            bool
}

// Failed counts wrong credentials, unless they have failed before in the window, and removes
// them from the known good ones. A wait above 0 means that the e-mail had too many failures
// before.
func (t *Try) Failed(now time.Time) (wait time.Duration) {
	l := t.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	t.end()
	l.knownGood.remove(t.attempt.Credentials)
	if l.wrong.fail(t.repeatKey(), now) {
		return t.emailWait
	}
	l.byAddress.fail(t.address, now)
	l.byNetwork.fail(t.network, now)
	l.byEmail.fail(t.attempt.Email, now)
	return t.emailWait
}

// Succeeded notes that the credentials are good.
func (t *Try) Succeeded() {
	t.limiter.mu.Lock()
	defer t.limiter.mu.Unlock()
	t.end()
	t.limiter.knownGood.put(t.attempt.Credentials, struct{}{})
	t.limiter.wrong.remove(t.repeatKey())
}

// Cancel ends an attempt whose outcome is not known. After another method it does
// nothing.
func (t *Try) Cancel() {
	t.limiter.mu.Lock()
	defer t.limiter.mu.Unlock()
	t.end()
}

func (t *Try) end() {
	if t.ended || t.knownGood {
		return
	}
	t.ended = true
	l := t.limiter
	if l.trying[t.attempt.Credentials]--; l.trying[t.attempt.Credentials] == 0 {
		delete(l.trying, t.attempt.Credentials)
	}
	if t.counted {
		l.byAddress.end(t.address)
		l.byNetwork.end(t.network)
		l.byEmail.end(t.attempt.Email)
	}
}

// networks returns the address that counts as one client, an IPv4 address or the /64 of
// an IPv6 client, and its network. A missing one is the zero Prefix, which is not
// counted.
func networks(a Attempt) (address, network netip.Prefix) {
	addr := a.Address.Unmap()
	switch {
	case !addr.IsValid():
		return address, unknown
	case addr.Is4():
		address = netip.PrefixFrom(addr, 32)
	default:
		address, network = prefix(addr, 64), prefix(addr, 48)
	}
	if a.Shared {
		return netip.Prefix{}, address
	}
	return address, network
}

// unknown is the key of requests without a known address.
var unknown = netip.PrefixFrom(netip.IPv4Unspecified(), 0)

func prefix(addr netip.Addr, bits int) netip.Prefix {
	return netip.PrefixFrom(addr.WithZone(""), bits).Masked()
}
