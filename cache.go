package shopapi

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/shopapi/shopapi/internal/cache"
	"github.com/shopapi/shopapi/store/driver"
)

// A UserCacher is an [Authenticator] whose users may be cached: one that depends
// on nothing but the credentials and rows of a store. A user is cached until one
// of those tables changes, whichever process changed it; where the store is not
// [driver.Versioned], for half a second.
type UserCacher interface {
	CacheUsers() bool
}

// userAge is how long a user is cached where the store cannot tell whether the
// user has changed. Another process may have revoked a key or a privilege, and that
// has to count everywhere within a second.
const userAge = time.Second / 2

// A responseCache holds encoded responses, and the users that credentials belong
// to, each together with what they were read from.
type responseCache struct {
	enabled    bool
	cacheUsers bool // the Authenticator is a UserCacher
	responses  *cache.Cache[responseKey, *cachedResponse]
	users      *cache.Cache[credentialHash, *cachedUser]
	changes    atomic.Uint64 // of users, by this process
}

func newResponseCache(bytes int64, authenticator Authenticator) *responseCache {
	u, ok := authenticator.(UserCacher)
	return &responseCache{
		enabled:    bytes > 0,
		cacheUsers: ok && u.CacheUsers(),
		responses:  cache.New[responseKey, *cachedResponse](bytes - bytes/8),
		users:      cache.New[credentialHash, *cachedUser](bytes / 8),
	}
}

// A responseKey is all of a request that its response can depend on.
type responseKey struct {
	user                         userKey
	path, rawPath, query, accept string
}

// A cachedResponse is valid for as long as what it was read from is as it was.
type cachedResponse struct {
	*response
	route Route
	reads *driver.ReadSet
}

func (c *cachedResponse) Valid() bool { return c.reads.Valid() }

// A credentialHash is the SHA-256 of an Authorization header.
type credentialHash [sha256.Size]byte

type cachedUser struct {
	*User
	key   userKey
	reads *driver.ReadSet
	until time.Time // where the read set is not complete

	// In that case what this process changes counts at once: changes is how often it
	// had changed something that users depend on, and now counts on.
	changes uint64
	now     *atomic.Uint64
}

func (c *cachedUser) Valid() bool {
	return c.reads.Valid() || c.changes == c.now.Load() && time.Now().Before(c.until)
}

// ofUsers are the entities that authentication depends on.
var ofUsers = []string{"users", "usergroups", "vendors"}

// userOf returns the user that the one Authorization header of a request belongs
// to.
func (c *responseCache) userOf(h http.Header) (*cachedUser, bool) {
	authorization := h["Authorization"]
	if !c.cacheUsers || len(authorization) != 1 || len(authorization[0]) > maxAuthorization {
		return nil, false
	}
	return c.users.Get(sha256.Sum256([]byte(authorization[0])))
}

// putUser caches the user that was asked for at the given time, after so many changes.
func (c *responseCache) putUser(hash credentialHash, user *User, key userKey, reads *driver.ReadSet, asked time.Time, changes uint64) {
	if !c.cacheUsers {
		return
	}
	u := &cachedUser{User: user, key: key, reads: reads, changes: changes, now: &c.changes}
	if !reads.Complete() {
		u.until = asked.Add(userAge)
	}
	const perUser, perPrivilege = 512, 64
	size := perUser + len(user.Name) + len(user.Email)
	for name := range user.Privileges {
		size += perPrivilege + len(name)
	}
	c.users.Put(hash, u, int64(size))
}

// keyOf returns the user's key, which is needed only where responses are cached.
func (c *responseCache) keyOf(u *User) userKey {
	if !c.enabled {
		return userKey{}
	}
	return u.key()
}

// get returns the response to the same request by an equal user.
func (c *responseCache) get(req *http.Request, user userKey) (*cachedResponse, bool) {
	if !c.enabled || req.Method != http.MethodGet && req.Method != http.MethodHead {
		return nil, false
	}
	key, ok := responseKeyOf(req, user)
	if !ok {
		return nil, false
	}
	return c.responses.Get(key)
}

// maxResponseKey is how long the texts of a key may be, in bytes.
const maxResponseKey = 2 << 10

// responseKeyOf is false for requests that are rare and would need a larger key.
func responseKeyOf(req *http.Request, user userKey) (responseKey, bool) {
	accept := req.Header["Accept"]
	if len(accept) > 1 {
		return responseKey{}, false
	}
	k := responseKey{user, req.URL.Path, req.URL.RawPath, req.URL.RawQuery, last(accept)}
	return k, len(k.path)+len(k.rawPath)+len(k.query)+len(k.accept) <= maxResponseKey
}

// put caches the response to a request.
func (c *responseCache) put(req *http.Request, user userKey, r *cachedResponse) {
	key, ok := responseKeyOf(req, user)
	if !ok || !r.reads.Complete() {
		return
	}
	// The key's texts may be parts of a larger one, which they would retain.
	for _, text := range []*string{&key.path, &key.rawPath, &key.query, &key.accept} {
		*text = strings.Clone(*text)
	}
	size := len(key.path) + len(key.rawPath) + len(key.query) + len(key.accept)
	c.responses.Put(key, r, int64(size)+r.size())
}

// size is what the response takes, in bytes.
func (c *cachedResponse) size() int64 {
	const perResponse, perField, perText = 384, 40, 16 // of names there is one copy
	size := perResponse + cap(c.body) + perText*len(c.route.Parents) + c.reads.Size()
	for _, f := range c.fields {
		size += perField
		for _, v := range f.values {
			size += perText + len(v)
		}
	}
	return int64(size)
}

// track returns a context whose reads are recorded when the response of the target
// may be cached, else a nil read set.
func (c *responseCache) track(ctx context.Context, t *target) (context.Context, *driver.ReadSet) {
	if !c.enabled || t.op != OpGet && t.op != OpList || !t.entry.Cacheable {
		return ctx, nil
	}
	for _, step := range t.parents {
		if !step.entry.Cacheable {
			return ctx, nil
		}
	}
	reads := &driver.ReadSet{}
	return driver.WithReadSet(ctx, reads), reads
}
