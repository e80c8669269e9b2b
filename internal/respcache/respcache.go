// Package respcache is the response cache: it holds encoded responses and the users of
// credentials, each with its read set, until a change of a table affects what they were read from.
package respcache

import (
	"context"
	"crypto/sha256"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/shopapi/shopapi/internal/basicauth"
	"github.com/shopapi/shopapi/internal/cache"
	"github.com/shopapi/shopapi/store/driver"
)

// userAge is the time for which a user is cached where the store cannot report that the
// user changed. A key or privilege that another process revokes must count everywhere
// within a second.
const userAge = time.Second / 2

// A Cache holds responses of type R, and users of type U. It may be used by several
// goroutines at once.
type Cache[U, R any] struct {
	responses *responses[R]                          // nil when responses are not cached
	users     *cache.Cache[credentialHash, *user[U]] // nil when users are not cached
	changes   atomic.Uint64                          // of users, by this process
	asks      atomic.Bool                            // a store has to be asked which entries are valid
	renewals  renewals
}

// New returns a cache of at most so many bytes. With 0 bytes or less nothing is cached; cacheUsers
// says whether users are. The packer packs responses that were not used for some time.
func New[U, R any](bytes int64, cacheUsers bool, packer Packer[R]) *Cache[U, R] {
	c := &Cache[U, R]{}
	if bytes > 0 {
		s := sharesOf(bytes)
		c.responses = newResponses(s.ready, s.packed, packer)
		if cacheUsers {
			c.users = cache.New[credentialHash, *user[U]](s.users)
		}
	}
	return c
}

// shares are the parts of a cache, in bytes.
type shares struct{ users, ready, packed int64 }

// withGarbage is how many bytes objects in Go's heap take with replaced ones that the garbage collector
// has yet to free.
func withGarbage(bytes int64) int64 { return bytes * 3 / 2 }

// sharesOf divides bytes.
func sharesOf(bytes int64) shares {
	s := shares{users: bytes / 12, ready: bytes / 48 * 7}
	s.packed = bytes - withGarbage(s.users+s.ready)
	if !isMapped {
		s.packed -= s.packed / 3
	}
	return s
}

// Enabled reports whether responses are cached.
func (c *Cache[U, R]) Enabled() bool { return c.responses != nil }

// Asks reports whether a store may have to be asked whether something cached is valid. The
// contexts of the other methods should then be of [driver.AskOnce].
func (c *Cache[U, R]) Asks() bool { return c.asks.Load() }

// A credentialHash is the SHA-256 of an Authorization header.
type credentialHash [sha256.Size]byte

// A user is valid until its tables change. Where its read set is not complete, it is
// valid for userAge, and until this process changes any user.
type user[U any] struct {
	value U
	key   UserKey
	until time.Time // zero when the read set is complete
	Watch
}

// Valid reports whether the user may be used now.
func (u *user[U]) Valid(ctx context.Context) bool {
	return u.reads.Valid(ctx) || u.changes == u.counter.Load() && time.Now().Before(u.until)
}

// User returns the cached user of the Authorization header of a request.
func (c *Cache[U, R]) User(ctx context.Context, h http.Header) (value U, key UserKey, ok bool) {
	u := c.user(ctx, h)
	if u == nil {
		return value, key, false
	}
	return u.value, u.key, true
}

// WatchedUser is [Cache.User] for a response that takes long.
func (c *Cache[U, R]) WatchedUser(ctx context.Context, h http.Header) (value U, w *Watch, ok bool) {
	u := c.user(ctx, h)
	if u == nil {
		return value, nil, false
	}
	return u.value, &u.Watch, true
}

func (c *Cache[U, R]) user(ctx context.Context, h http.Header) *user[U] {
	authorization := h["Authorization"]
	if c.users == nil || len(authorization) != 1 || len(authorization[0]) > basicauth.MaxHeader {
		return nil
	}
	u, ok := c.users.Get(ctx, sha256.Sum256([]byte(authorization[0])))
	if !ok {
		return nil
	}
	return u
}

// UsersChanged invalidates the users whose read sets are not complete.
func (c *Cache[U, R]) UsersChanged() { c.changes.Add(1) }

// A Lookup is the lookup of a user that may be cached.
type Lookup struct {
	Reads   *driver.ReadSet
	Began   time.Time
	changes uint64
	counter *atomic.Uint64
}

// Watch returns the watch of the user that the lookup found.
func (l *Lookup) Watch() *Watch { return &Watch{l.Reads, l.changes, l.counter} }

// Lookup begins the lookup of a user, and returns a context that records its reads.
func (c *Cache[U, R]) Lookup(ctx context.Context) (context.Context, *Lookup) {
	l := &Lookup{Reads: &driver.ReadSet{}, Began: time.Now(), changes: c.changes.Load(), counter: &c.changes}
	return driver.WithReadSet(ctx, l.Reads), l
}

// PutUser caches the user that a lookup found for the Authorization header of a request.
// The size is in bytes.
func (c *Cache[U, R]) PutUser(h http.Header, l *Lookup, value U, key UserKey, size int64) {
	if c.users == nil {
		return
	}
	u := &user[U]{value: value, key: key, Watch: *l.Watch()}
	if !l.Reads.Complete() {
		u.until = l.Began.Add(userAge)
	}
	c.noteStore(l.Reads)
	c.users.Put(sha256.Sum256([]byte(h.Get("Authorization"))), u, size)
}

// noteStore notes whether the store of a read set has to be asked.
func (c *Cache[U, R]) noteStore(reads *driver.ReadSet) {
	if reads.Asks() && !c.asks.Load() {
		c.asks.Store(true)
	}
}

// Get returns the response to an earlier request that was the same, by an equal user, in
// the same coding. No write drops a response: Get asks whether it is valid. If it is not, and
// the store has to be asked for changes, the first request gets a [Renewal] and makes the response
// anew; the others wait for it.
func (c *Cache[U, R]) Get(ctx context.Context, req *http.Request, user UserKey, coding string) (value R, ok bool, renewal *Renewal) {
	if c.responses == nil || req.Method != http.MethodGet && req.Method != http.MethodHead {
		return value, false, nil
	}
	key, ok := responseKeyOf(req, user, coding)
	if !ok {
		return value, false, nil
	}
	if c.Asks() {
		return c.getOrRenew(ctx, key)
	}
	value, ok, _ = c.responses.get(ctx, key)
	return value, ok, nil
}

// maxWaits is how many renewals a request waits for.
const maxWaits = 3

func (c *Cache[U, R]) getOrRenew(ctx context.Context, key responseKey) (value R, ok bool, renewal *Renewal) {
	for range maxWaits {
		if c.renewals.await(ctx, key) {
			ctx = driver.AskOnce(ctx) // the new response may be younger than the last answer
		}
		value, ok, invalid := c.responses.get(ctx, key)
		switch {
		case ok:
			return value, true, nil
		case !invalid: // only cached responses are known to be cacheable
			return value, false, nil
		}
		if renewal = c.renewals.begin(key); renewal != nil {
			return value, false, renewal
		}
	}
	return value, false, nil
}

// Put caches the response to a request, unless its read set is not complete. Size is
// how many bytes the value takes; Put adds the size of the read set.
func (c *Cache[U, R]) Put(req *http.Request, user UserKey, coding string, value R, reads *driver.ReadSet, size int64) {
	key, ok := responseKeyOf(req, user, coding)
	if !ok || !reads.Complete() {
		return
	}
	c.noteStore(reads)
	c.responses.put(key, response[R]{value: value, reads: reads, size: int32(min(size, math.MaxInt32))})
}

// A Read is a read with a result that may be cached. Like its [driver.ReplicaRead] it is used in a
// loop, since it runs again if a replica was behind.
type Read struct {
	driver.ReplicaRead
	Reads   *driver.ReadSet // of the last run, nil where nothing is cached
	enabled bool
}

// Read returns a read under ctx.
func (c *Cache[U, R]) Read(ctx context.Context) Read {
	return Read{ReplicaRead: driver.OnReplicas(ctx), enabled: c.Enabled()}
}

// Next reports whether the read has to run, the first time or again.
func (r *Read) Next() bool {
	if !r.ReplicaRead.Next() {
		return false
	}
	if r.enabled {
		r.Reads = &driver.ReadSet{}
	}
	return true
}

// Context is the context of the run.
func (r *Read) Context() context.Context {
	if r.Reads == nil {
		return r.ReplicaRead.Context()
	}
	return driver.WithReadSet(r.ReplicaRead.Context(), r.Reads)
}
