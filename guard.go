package shopapi

import (
	"container/list"
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"
)

// A guard slows the guessing of credentials (§3): after so many failures within
// a window, from one client address or on one e-mail, attempts are refused
// unseen until the window is over. Credentials that were good before pass
// meanwhile, so that a guesser cannot lock the owner out.
type guard struct {
	limit  int
	window time.Duration

	mu        sync.Mutex
	byAddress bounded[netip.Prefix, failures]
	byEmail   bounded[[sha256.Size]byte, failures]
	proven    bounded[[sha256.Size]byte, struct{}]
}

// An attempt is one pair of credentials from one client, by hashes.
type attempt struct {
	address netip.Addr
	email   [sha256.Size]byte
	proof   [sha256.Size]byte
}

// Failures are counted from the first one of a window.
type failures struct {
	count int
	since time.Time
}

func newGuard(l Limits) *guard {
	return &guard{
		limit:     l.Guesses,
		window:    l.GuessWindow,
		byAddress: newBounded[netip.Prefix, failures](l.GuessMemory),
		byEmail:   newBounded[[sha256.Size]byte, failures](l.GuessMemory),
		proven:    newBounded[[sha256.Size]byte, struct{}](l.GuessMemory),
	}
}

// blocked reports whether the attempt is refused unseen, and for how long.
func (g *guard) blocked(t attempt, now time.Time) (time.Duration, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.proven.get(t.proof); ok {
		return 0, false
	}
	byAddress, _ := g.byAddress.get(network(t.address))
	byEmail, _ := g.byEmail.get(t.email)
	wait := max(g.remaining(byAddress, now), g.remaining(byEmail, now))
	return wait, wait > 0
}

// remaining is how long failures still block.
func (g *guard) remaining(f failures, now time.Time) time.Duration {
	if f.count < g.limit {
		return 0
	}
	return f.since.Add(g.window).Sub(now)
}

// failed counts a refused attempt. Credentials that were good before are no
// longer.
func (g *guard) failed(t attempt, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.proven.remove(t.proof)
	count(&g.byAddress, network(t.address), now, g.window)
	count(&g.byEmail, t.email, now, g.window)
}

func count[K comparable](in *bounded[K, failures], key K, now time.Time, window time.Duration) {
	f, _ := in.get(key)
	if f.count == 0 || now.Sub(f.since) >= window {
		f = failures{since: now}
	}
	f.count++
	in.put(key, f)
}

// proved remembers credentials that are good.
func (g *guard) proved(t attempt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.proven.put(t.proof, struct{}{})
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

// A bounded map forgets what was used least recently.
type bounded[K comparable, V any] struct {
	most  int
	items map[K]*list.Element
	order *list.List // of pair[K, V], most recent first
}

type pair[K comparable, V any] struct {
	key   K
	value V
}

func newBounded[K comparable, V any](most int) bounded[K, V] {
	return bounded[K, V]{most: most, items: map[K]*list.Element{}, order: list.New()}
}

func (b *bounded[K, V]) get(key K) (V, bool) {
	e, ok := b.items[key]
	if !ok {
		var none V
		return none, false
	}
	b.order.MoveToFront(e)
	return e.Value.(*pair[K, V]).value, true
}

func (b *bounded[K, V]) put(key K, value V) {
	if e, ok := b.items[key]; ok {
		e.Value.(*pair[K, V]).value = value
		b.order.MoveToFront(e)
		return
	}
	b.items[key] = b.order.PushFront(&pair[K, V]{key, value})
	if b.order.Len() > b.most {
		oldest := b.order.Back()
		b.order.Remove(oldest)
		delete(b.items, oldest.Value.(*pair[K, V]).key)
	}
}

func (b *bounded[K, V]) remove(key K) {
	if e, ok := b.items[key]; ok {
		b.order.Remove(e)
		delete(b.items, key)
	}
}
