package shopapi

import (
	"container/list"
	"context"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store/driver"
)

// Remembered says whose answers an API may keep encoded and give again for as
// long as nothing that they were read from has changed. Only a store that is
// [driver.Versioned] can tell; with any other nothing is kept.
type Remembered struct {
	// Entities are names of entities whose List and Get depend on nothing but the
	// request, its user, rows of a store, and what they ask the API for.
	Entities []string

	// Users says that the Authenticator depends on nothing but the credentials and
	// rows of a store. Where that store is not [driver.Versioned], a user is still
	// believed for half a second.
	Users bool
}

// Remember says whose answers may be kept. It is called before the first request
// is served, by who registers the entities: package shop does so for those of
// the library.
func (a *API) Remember(r Remembered) {
	for _, name := range r.Entities {
		a.memory.entities[name] = true
	}
	a.memory.users = a.memory.users || r.Users
}

// A memory holds answers, and whom credentials belong to, together with what
// they were read from. What was used least recently goes first when there is no
// room.
type memory struct {
	entities map[string]bool
	users    bool
	most     int64 // bytes

	mu      sync.Mutex
	bytes   int64
	order   *list.List // of *kept, most recent first
	answers map[answerKey]*list.Element
	proofs  map[[sha256.Size]byte]*list.Element
}

// An answerKey is all of a request that its answer can depend on.
type answerKey struct {
	user                          userKey
	path, rawPath, query, accepts string
}

// kept is one thing remembered: an answer, or a user.
type kept struct {
	trace  *driver.ReadSet
	until  time.Time // of a user that the trace cannot follow
	size   int64
	key    answerKey
	route  Route
	answer *answer
	proof  [sha256.Size]byte
	user   *User
	of     userKey // of user
}

func newMemory(most int64) *memory {
	return &memory{
		most:     most,
		entities: map[string]bool{},
		order:    list.New(),
		answers:  map[answerKey]*list.Element{},
		proofs:   map[[sha256.Size]byte]*list.Element{},
	}
}

// recall returns the answer to the same request by the same user, if one is kept
// and still true.
func (m *memory) recall(req *http.Request, user userKey) (*kept, bool) {
	if m.most <= 0 || req.Method != http.MethodGet && req.Method != http.MethodHead || len(req.Header["Accept"]) > 1 {
		return nil, false
	}
	return look(m, m.answers, keyOf(req, user))
}

func keyOf(req *http.Request, user userKey) answerKey {
	return answerKey{user, req.URL.Path, req.URL.RawPath, req.URL.RawQuery, last(req.Header["Accept"])}
}

// userOf returns whom the one Authorization header of a request belongs to, if
// that is remembered and still true.
func (m *memory) userOf(h http.Header) (*kept, bool) {
	authorization := h["Authorization"]
	if !m.users || len(authorization) != 1 {
		return nil, false
	}
	return look(m, m.proofs, sha256.Sum256([]byte(authorization[0])))
}

// keyOfUser returns the user's key, which only answers that are kept need.
func (m *memory) keyOfUser(u *User) userKey {
	if m.most <= 0 {
		return userKey{}
	}
	return u.key()
}

// look finds what is kept under a key, and forgets it when it is no longer true.
func look[K comparable](m *memory, in map[K]*list.Element, key K) (*kept, bool) {
	m.mu.Lock()
	e, ok := in[key]
	if ok {
		m.order.MoveToFront(e)
	}
	m.mu.Unlock()
	if !ok {
		return nil, false
	}
	k := e.Value.(*kept)
	if k.trace.Valid() || !k.until.IsZero() && time.Now().Before(k.until) {
		return k, true
	}
	m.mu.Lock()
	m.forget(e)
	m.mu.Unlock()
	return nil, false
}

// userAge is how long a user is believed where the store cannot tell whether he
// has changed. Another process may have taken a key or a privilege from him, and
// that has to count everywhere within a second.
const userAge = time.Second / 2

// keepUser remembers whom an Authorization header belongs to, as was asked for at
// the given time.
func (m *memory) keepUser(proof [sha256.Size]byte, user *User, key userKey, trace *driver.ReadSet, asked time.Time) {
	if !m.users {
		return
	}
	k := &kept{trace: trace, size: 1024, proof: proof, user: user, of: key} // the size, roughly
	if !trace.Complete() {
		k.until = asked.Add(userAge)
	}
	m.keep(k)
}

// keepAnswer remembers the answer to a request.
func (m *memory) keepAnswer(req *http.Request, user userKey, route Route, a *answer, trace *driver.ReadSet) {
	if !trace.Complete() || len(req.Header["Accept"]) > 1 {
		return
	}
	key := keyOf(req, user)
	size := int64(512 + len(a.body) + len(key.path) + len(key.rawPath) + len(key.query) + len(key.accepts))
	if size <= m.most/8 { // one answer must not push out all the others
		m.keep(&kept{trace: trace, size: size, key: key, route: route, answer: a})
	}
}

func (m *memory) keep(k *kept) {
	if k.size > m.most {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.order.PushFront(k)
	var had *list.Element
	if k.answer != nil {
		had, m.answers[k.key] = m.answers[k.key], e
	} else {
		had, m.proofs[k.proof] = m.proofs[k.proof], e
	}
	if had != nil {
		m.order.Remove(had)
		m.bytes -= had.Value.(*kept).size
	}
	for m.bytes += k.size; m.bytes > m.most; {
		m.forget(m.order.Back())
	}
}

// forget drops an element, unless it was replaced or dropped meanwhile.
func (m *memory) forget(e *list.Element) {
	k := e.Value.(*kept)
	switch {
	case k.answer != nil && m.answers[k.key] == e:
		delete(m.answers, k.key)
	case k.answer == nil && m.proofs[k.proof] == e:
		delete(m.proofs, k.proof)
	default:
		return
	}
	m.order.Remove(e)
	m.bytes -= k.size
}

// follow returns a context whose reads are tracked when the answer of the target
// may be remembered, else a nil trace.
func (m *memory) follow(ctx context.Context, t *target) (context.Context, *driver.ReadSet) {
	if m.most <= 0 || t.op != OpGet && t.op != OpList || !m.entities[t.entry.Name] {
		return ctx, nil
	}
	for _, step := range t.parents {
		if !m.entities[step.entry.Name] {
			return ctx, nil
		}
	}
	trace := &driver.ReadSet{}
	return driver.WithReadSet(ctx, trace), trace
}
