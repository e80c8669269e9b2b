package shopapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A note is an object of a small entity that counts how often it is asked.
type note struct {
	NoteID int64  `json:"note_id,string" store:"key"`
	Text   string `json:"text"`
}

var noteTable = store.MustTable[note]("notes")

type notes struct {
	st          store.Store
	name        string
	asked       atomic.Int64
	uncacheable bool
	look        string // entity that each list looks into
	clock       bool   // lists depend on the time
}

func (n *notes) Describe() shopapi.Description {
	return shopapi.Description{Name: n.name, IDField: "note_id", Privileges: shopapi.Privileges{View: "view", Manage: "manage"}, Cacheable: !n.uncacheable}
}

func (n *notes) List(ctx context.Context, r *shopapi.Request) (any, error) {
	n.asked.Add(1)
	if n.clock {
		r.API().Now(ctx)
	}
	if n.look != "" {
		if _, err := r.API().Lookup(ctx, n.look, "1"); err != nil {
			return nil, err
		}
	}
	var list []note
	err := n.st.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
		list, err = noteTable.Select(tx, store.Query{})
		return err
	})
	return list, err
}

func (n *notes) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	var v note
	if err := r.Bind(&v); err != nil {
		return shopapi.Reply{}, err
	}
	err := n.st.Update(ctx, func(_ context.Context, tx store.Tx) error { return noteTable.Insert(tx, &v) })
	return shopapi.Reply{ID: shopapi.FormatID(v.NoteID)}, err
}

// A cacheableAuthenticator allows its users to be cached.
type cacheableAuthenticator struct{ shopapi.AuthenticatorFunc }

func (cacheableAuthenticator) CacheUsers() bool { return true }

// cachedNotesAndUsers is a handler over notes, and how often its authenticator was
// asked.
func cachedNotesAndUsers(t *testing.T, n *notes, opts shopapi.Options, others ...shopapi.Entity) (handler http.Handler, logins *atomic.Int64) {
	t.Helper()
	st := memory.New()
	if err := st.Migrate(t.Context(), noteTable.Schema()); err != nil {
		t.Fatal(err)
	}
	n.st, n.name = st, "notes"
	logins = &atomic.Int64{}
	opts.Authenticator = cacheableAuthenticator{func(ctx context.Context, c shopapi.Credentials) (*shopapi.User, error) {
		logins.Add(1)
		err := st.View(ctx, func(_ context.Context, tx store.Tx) error {
			_, err := noteTable.Count(tx)
			return err
		})
		return &shopapi.User{Root: true, Type: shopapi.Administrator}, err
	}}
	api := shopapi.New(&opts)
	for _, e := range append(others, n) {
		if err := api.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	return api, logins
}

func askNotes(t *testing.T, h http.Handler, method, address, body string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	req.SetBasicAuth("a@example.org", "key")
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

func TestCache_EntityIsAskedOnceUntilATableChanges(t *testing.T) {
	n := &notes{}
	h, logins := cachedNotesAndUsers(t, n, shopapi.Options{})
	for range 3 {
		if w := askNotes(t, h, "GET", "/api/notes", ""); w.Body.String() != "[]" {
			t.Fatalf("got %s", w.Body)
		}
	}
	if n.asked.Load() != 1 || logins.Load() != 1 {
		t.Errorf("the entity was asked %d times and the authenticator %d times, want once each", n.asked.Load(), logins.Load())
	}
	if w := askNotes(t, h, "HEAD", "/api/notes", ""); w.Body.Len() != 0 || w.Header().Get("Content-Length") != "2" || n.asked.Load() != 1 {
		t.Errorf("HEAD got %v %q, asking the entity %d times", w.Header(), w.Body, n.asked.Load())
	}
	askNotes(t, h, "POST", "/api/notes", `{"text": "new"}`)
	if w := askNotes(t, h, "GET", "/api/notes", ""); w.Body.String() != `[{"note_id":"1","text":"new"}]` {
		t.Errorf("after the change got %s", w.Body)
	}
	if n.asked.Load() != 2 {
		t.Errorf("the entity was asked %d times, want once more", n.asked.Load())
	}
}

func TestCache_UntrackedReadsAreNotCached(t *testing.T) {
	for name, c := range map[string]struct {
		notes  *notes
		limits shopapi.Limits
	}{
		"a response that depends on the time":                 {&notes{clock: true}, shopapi.Limits{}},
		"one that looks into an entity that is not cacheable": {&notes{look: "others"}, shopapi.Limits{}},
		"an entity that is not cacheable":                     {&notes{uncacheable: true}, shopapi.Limits{}},
		"no cache":                                            {&notes{}, shopapi.Limits{CacheBytes: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := cachedNotesAndUsers(t, c.notes, shopapi.Options{Limits: c.limits}, others{})
			for range 3 {
				askNotes(t, h, "GET", "/api/notes", "")
			}
			if got := c.notes.asked.Load(); got != 3 {
				t.Errorf("the entity was asked %d times, want 3", got)
			}
		})
	}
}

func TestCache_UserIsCachedLessThanASecondWhereTheStoreCannotTell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		revoked, logins := false, 0
		api := shopapi.New(&shopapi.Options{
			Authenticator: cacheableAuthenticator{func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
				logins++
				if revoked {
					return nil, shopapi.ErrBadCredentials
				}
				return &shopapi.User{Root: true, Type: shopapi.Administrator}, nil
			}},
		})
		if err := api.Register(others{}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if w := askNotes(t, api, "GET", "/api/others/1", ""); w.Code != 200 {
				t.Fatalf("got %d %s", w.Code, w.Body)
			}
		}
		if logins != 1 {
			t.Errorf("the authenticator was asked %d times at once, want 1", logins)
		}
		revoked = true
		time.Sleep(999 * time.Millisecond) // of the test's own time
		if w := askNotes(t, api, "GET", "/api/others/1", ""); w.Code != 401 {
			t.Errorf("within a second of the revocation got %d, want 401", w.Code)
		}
	})
}

func TestCache_IsBoundedByBytes(t *testing.T) {
	n := &notes{}
	h, _ := cachedNotesAndUsers(t, n, shopapi.Options{Limits: shopapi.Limits{CacheBytes: 20_000, LoginEntries: 1}})
	address := func(i int) string { return fmt.Sprintf("/api/notes?x=%d", i) }
	for i := range 200 {
		askNotes(t, h, "GET", address(i), "")
	}
	before := n.asked.Load()
	askNotes(t, h, "GET", address(199), "")
	if n.asked.Load() != before {
		t.Error("the last response is not in the cache")
	}
	askNotes(t, h, "GET", address(0), "")
	if n.asked.Load() != before+1 {
		t.Error("200 responses are cached in 20,000 bytes")
	}
}

// cachedNotes is an API over notes in a store of their own, which are cacheable.
func cachedNotes(t *testing.T, n *notes, opts *shopapi.Options) *shopapi.API {
	t.Helper()
	st := memory.New()
	if err := st.Migrate(t.Context(), noteTable.Schema()); err != nil {
		t.Fatal(err)
	}
	n.st, n.name = st, "notes"
	api := shopapi.New(opts)
	if err := api.Register(n); err != nil {
		t.Fatal(err)
	}
	return api
}

func TestCache_UncacheableAuthenticator(t *testing.T) {
	n, logins, revoked := &notes{}, 0, false
	api := cachedNotes(t, n, &shopapi.Options{
		Authenticator: shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
			logins++
			if revoked {
				return nil, shopapi.ErrBadCredentials
			}
			return &shopapi.User{Root: true, Type: shopapi.Administrator}, nil
		}),
	})
	for range 3 {
		if w := askNotes(t, api, "GET", "/api/notes", ""); w.Code != 200 {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
	}
	if logins != 3 || n.asked.Load() != 1 {
		t.Errorf("the authenticator was asked %d times and the entity %d times, want 3 and 1", logins, n.asked.Load())
	}
	revoked = true
	if w := askNotes(t, api, "GET", "/api/notes", ""); w.Code != 401 {
		t.Errorf("a revoked user got %d from the cache, want 401", w.Code)
	}
}

func TestCache_UsersShareResponsesByValue(t *testing.T) {
	user := func(change func(*shopapi.User)) shopapi.User {
		u := shopapi.User{ID: 1, Type: shopapi.Vendor, CompanyID: 2, Privileges: map[string]bool{"view": true, "manage": true}}
		change(&u)
		return u
	}
	first := user(func(*shopapi.User) {})
	for name, c := range map[string]struct {
		second shopapi.User
		shared bool
	}{
		"the same":           {user(func(*shopapi.User) {}), true},
		"a privilege denied": {user(func(u *shopapi.User) { u.Privileges["other"] = false }), true},
		"another id":         {user(func(u *shopapi.User) { u.ID = 3 }), false},
		"another type":       {user(func(u *shopapi.User) { u.Type = shopapi.Administrator }), false},
		"root":               {user(func(u *shopapi.User) { u.Root = true }), false},
		"another company":    {user(func(u *shopapi.User) { u.CompanyID = 3 }), false},
		"another name":       {user(func(u *shopapi.User) { u.Name = "Ana" }), false},
		"a privilege more":   {user(func(u *shopapi.User) { u.Privileges["other"] = true }), false},
		"a privilege less":   {user(func(u *shopapi.User) { delete(u.Privileges, "manage") }), false},
	} {
		t.Run(name, func(t *testing.T) {
			n, now := &notes{}, first
			api := cachedNotes(t, n, &shopapi.Options{Identify: func(*http.Request) (*shopapi.User, error) { u := now; return &u, nil }})
			askNotes(t, api, "GET", "/api/notes", "")
			now = c.second
			askNotes(t, api, "GET", "/api/notes", "")
			if got := n.asked.Load() == 1; got != c.shared {
				t.Errorf("the response was shared: %v, want %v", got, c.shared)
			}
		})
	}
}

// Under a parent the child's own description counts, whatever an entity of its
// name at the top says.
func TestCache_ChildIsCachedOnlyWhenItsOwnDescriptionSaysSo(t *testing.T) {
	top, child := &notes{}, &notes{uncacheable: true}
	api := cachedNotes(t, top, &shopapi.Options{
		Identify: func(*http.Request) (*shopapi.User, error) { return &shopapi.User{Root: true}, nil },
	})
	child.st, child.name = top.st, top.name
	if err := api.Register(shelf{top.st}); err != nil {
		t.Fatal(err)
	}
	if err := api.RegisterUnder("shelf", child); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		askNotes(t, api, "GET", "/api/notes", "")
		if w := askNotes(t, api, "GET", "/api/shelf/1/notes", ""); w.Code != 200 {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
	}
	if top.asked.Load() != 1 || child.asked.Load() != 3 {
		t.Errorf("the entity was asked %d times and the child %d times, want 1 and 3", top.asked.Load(), child.asked.Load())
	}
}

// A shelf is a cacheable parent of notes.
type shelf struct{ st store.Store }

func (shelf) Describe() shopapi.Description {
	return shopapi.Description{Name: "shelf", Privileges: shopapi.Privileges{View: "view"}, Cacheable: true}
}

func (s shelf) Get(ctx context.Context, _ *shopapi.Request, _ string) (any, error) {
	var n int64
	err := s.st.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
		n, err = noteTable.Count(tx)
		return err
	})
	return n, err
}

// What a cached response costs must not grow unseen.
func TestCache_HotGETAllocatesOnce(t *testing.T) {
	var told int
	for name, opts := range map[string]*shopapi.Options{
		"alone":          {},
		"with Completed": {Completed: func(*http.Request, shopapi.Completion) { told++ }},
	} {
		t.Run(name, func(t *testing.T) {
			opts.Authenticator = cacheableAuthenticator{func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
				return &shopapi.User{ID: 1, Root: true, Privileges: map[string]bool{"a": true, "b": true}}, nil
			}}
			api := cachedNotes(t, &notes{}, opts)
			req := httptest.NewRequest("GET", "/api/notes", nil)
			req.SetBasicAuth("a@example.org", "key")
			w := &discard{header: http.Header{}}
			allocations := testing.AllocsPerRun(100, func() {
				clear(w.header)
				api.ServeHTTP(w, req)
			})
			if allocations > 1 || w.status != 200 {
				t.Errorf("status %d with %v allocations, want at most 1", w.status, allocations)
			}
		})
	}
	if told == 0 {
		t.Error("Completed was not told")
	}
}

// A discard is a response writer that notes the status.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }

// others is an entity that is not cacheable.
type others struct{}

func (others) Describe() shopapi.Description {
	return shopapi.Description{Name: "others", Privileges: shopapi.Privileges{View: "view"}}
}

func (others) Get(context.Context, *shopapi.Request, string) (any, error) {
	return map[string]string{"id": "1"}, nil
}
