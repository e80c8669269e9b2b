package respcache_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/notestest"
	"github.com/shopapi/shopapi/store"
)

func TestCache_EntityIsAskedOnceUntilATableChanges(t *testing.T) {
	n := &notestest.Notes{}
	h, logins := notestest.ServeUsers(t, n, shopapi.Options{})
	for range 3 {
		if w := notestest.Ask(t, h, "GET", "/api/notes", ""); w.Body.String() != "[]" {
			t.Fatalf("got %s", w.Body)
		}
	}
	if n.Asked.Load() != 1 || logins.Load() != 1 {
		t.Errorf("the entity was asked %d times and the authenticator %d times, want once each", n.Asked.Load(), logins.Load())
	}
	if w := notestest.Ask(t, h, "HEAD", "/api/notes", ""); w.Body.Len() != 0 || w.Header().Get("Content-Length") != "2" || n.Asked.Load() != 1 {
		t.Errorf("HEAD got %v %q, asking the entity %d times", w.Header(), w.Body, n.Asked.Load())
	}
	notestest.Ask(t, h, "POST", "/api/notes", `{"text": "new"}`)
	if w := notestest.Ask(t, h, "GET", "/api/notes", ""); w.Body.String() != `[{"note_id":"1","text":"new"}]` {
		t.Errorf("after the change got %s", w.Body)
	}
	if n.Asked.Load() != 2 {
		t.Errorf("the entity was asked %d times, want once more", n.Asked.Load())
	}
}

func TestCache_UntrackedReadsAreNotCached(t *testing.T) {
	for name, c := range map[string]struct {
		notes  *notestest.Notes
		limits shopapi.Limits
	}{
		"a response that depends on the time":                 {&notestest.Notes{Clock: true}, shopapi.Limits{}},
		"one that looks into an entity that is not cacheable": {&notestest.Notes{Look: "others"}, shopapi.Limits{}},
		"an entity that is not cacheable":                     {&notestest.Notes{Uncacheable: true}, shopapi.Limits{}},
		"no cache":                                            {&notestest.Notes{}, shopapi.Limits{CacheBytes: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := notestest.ServeUsers(t, c.notes, shopapi.Options{Limits: c.limits}, others{})
			for range 3 {
				notestest.Ask(t, h, "GET", "/api/notes", "")
			}
			if got := c.notes.Asked.Load(); got != 3 {
				t.Errorf("the entity was asked %d times, want 3", got)
			}
		})
	}
}

func TestCache_UserIsCachedLessThanASecondWhereTheStoreCannotTell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		revoked, logins := false, 0
		api := shopapi.New(&shopapi.Options{
			Authenticator: notestest.Authenticator{AuthenticatorFunc: func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
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
			if w := notestest.Ask(t, api, "GET", "/api/others/1", ""); w.Code != 200 {
				t.Fatalf("got %d %s", w.Code, w.Body)
			}
		}
		if logins != 1 {
			t.Errorf("the authenticator was asked %d times at once, want 1", logins)
		}
		revoked = true
		time.Sleep(999 * time.Millisecond) // of the test's own time
		if w := notestest.Ask(t, api, "GET", "/api/others/1", ""); w.Code != 401 {
			t.Errorf("within a second of the revocation got %d, want 401", w.Code)
		}
	})
}

func TestCache_IsBoundedByBytes(t *testing.T) {
	n := &notestest.Notes{}
	h, _ := notestest.ServeUsers(t, n, shopapi.Options{Limits: shopapi.Limits{CacheBytes: 20_000, LoginEntries: 1}})
	address := func(i int) string { return fmt.Sprintf("/api/notes?x=%d", i) }
	for i := range 200 {
		notestest.Ask(t, h, "GET", address(i), "")
	}
	before := n.Asked.Load()
	notestest.Ask(t, h, "GET", address(199), "")
	if n.Asked.Load() != before {
		t.Error("the last response is not in the cache")
	}
	notestest.Ask(t, h, "GET", address(0), "")
	if n.Asked.Load() != before+1 {
		t.Error("200 responses are cached in 20,000 bytes")
	}
}

func TestCache_UncacheableAuthenticator(t *testing.T) {
	n, logins, revoked := &notestest.Notes{}, 0, false
	api := notestest.Serve(t, n, &shopapi.Options{
		Authenticator: shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
			logins++
			if revoked {
				return nil, shopapi.ErrBadCredentials
			}
			return &shopapi.User{Root: true, Type: shopapi.Administrator}, nil
		}),
	})
	for range 3 {
		if w := notestest.Ask(t, api, "GET", "/api/notes", ""); w.Code != 200 {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
	}
	if logins != 3 || n.Asked.Load() != 1 {
		t.Errorf("the authenticator was asked %d times and the entity %d times, want 3 and 1", logins, n.Asked.Load())
	}
	revoked = true
	if w := notestest.Ask(t, api, "GET", "/api/notes", ""); w.Code != 401 {
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
			n, now := &notestest.Notes{}, first
			api := notestest.Serve(t, n, &shopapi.Options{Identify: func(*http.Request) (*shopapi.User, error) { u := now; return &u, nil }})
			notestest.Ask(t, api, "GET", "/api/notes", "")
			now = c.second
			notestest.Ask(t, api, "GET", "/api/notes", "")
			if got := n.Asked.Load() == 1; got != c.shared {
				t.Errorf("the response was shared: %v, want %v", got, c.shared)
			}
		})
	}
}

// Under a parent the child's own description counts, whatever an entity of its
// name at the top says.
func TestCache_ChildIsCachedOnlyWhenItsOwnDescriptionSaysSo(t *testing.T) {
	top, child := &notestest.Notes{}, &notestest.Notes{Uncacheable: true}
	api := notestest.Serve(t, top, &shopapi.Options{
		Identify: func(*http.Request) (*shopapi.User, error) { return &shopapi.User{Root: true}, nil },
	})
	child.Store, child.Name = top.Store, top.Name
	if err := api.Register(shelf{top.Store}); err != nil {
		t.Fatal(err)
	}
	if err := api.RegisterUnder("shelf", child); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		notestest.Ask(t, api, "GET", "/api/notes", "")
		if w := notestest.Ask(t, api, "GET", "/api/shelf/1/notes", ""); w.Code != 200 {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
	}
	if top.Asked.Load() != 1 || child.Asked.Load() != 3 {
		t.Errorf("the entity was asked %d times and the child %d times, want 1 and 3", top.Asked.Load(), child.Asked.Load())
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
		n, err = notestest.Table.Count(tx)
		return err
	})
	return n, err
}

// others is an entity that is not cacheable.
type others struct{}

func (others) Describe() shopapi.Description {
	return shopapi.Description{Name: "others", Privileges: shopapi.Privileges{View: "view"}}
}

func (others) Get(context.Context, *shopapi.Request, string) (any, error) {
	return map[string]string{"id": "1"}, nil
}
