package respcache_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopapi/shopapi/internal/askedtest"
	"github.com/shopapi/shopapi/internal/basicauth"
	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/memory"
)

// A page is a row that responses are read from.
type page struct {
	ID    int64  `json:"page_id" store:"key"`
	Title string `json:"title"`
}

var pages = store.MustTable[page]("pages")

// A site has a cache over a store.
type site struct {
	*testing.T
	*respcache.Cache[string, string]
	store store.Store
}

// newSite returns a site with a cache of so many bytes, and half as many for replaced objects.
func newSite(t *testing.T, bytes int64) *site {
	t.Helper()
	st := memory.New()
	return newSiteOver(t, st, bytes)
}

func newSiteOver(t *testing.T, st store.Store, bytes int64) *site {
	t.Helper()
	t.Cleanup(func() { _ = st.Close() })
	if err := st.Migrate(t.Context(), pages.Schema()); err != nil {
		t.Fatal(err)
	}
	return &site{t, respcache.New[string](bytes*3/2, true, packer{}), st}
}

// newAskedSite is newSite over a store that has to be asked.
func newAskedSite(t *testing.T) (*site, *askedtest.Store) {
	t.Helper()
	st, err := askedtest.New(t.Context(), pages.Schema())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return &site{t, respcache.New[string](1<<20*3/2, true, packer{}), st}, st
}

// read reads all pages into a read set.
func (s *site) read(ctx context.Context) {
	err := s.store.View(ctx, func(_ context.Context, tx store.Tx) error {
		_, err := pages.Select(tx, store.Query{})
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
}

// change adds a page.
func (s *site) change() {
	err := s.store.Update(s.Context(), func(_ context.Context, tx store.Tx) error {
		return pages.Insert(tx, &page{Title: "New"})
	})
	if err != nil {
		s.Fatal(err)
	}
}

// put caches a response that was read from the pages.
func (s *site) put(req *http.Request, user respcache.UserKey, coding, value string) {
	var reads driver.ReadSet
	s.read(driver.WithReadSet(s.Context(), &reads))
	s.Put(req, user, coding, value, &reads, int64(len(value)))
}

func request(method, target string, accept ...string) *http.Request {
	req := httptest.NewRequest(method, target, nil)
	if accept != nil {
		req.Header["Accept"] = accept
	}
	return req
}

// TestGet_SameRequest: a response is answered to the same request of an equal user alone.
func TestGet_SameRequest(t *testing.T) {
	s := newSite(t, 1<<20)
	ana, ben := respcache.UserKey{1}, respcache.UserKey{2}
	s.put(request("GET", "/pages?fields=a,b&page=2", "application/json"), ana, "gzip", "the pages")
	for _, test := range []struct {
		name   string
		req    *http.Request
		user   respcache.UserKey
		coding string
		want   bool
	}{
		{"the same", request("GET", "/pages?fields=a,b&page=2", "application/json"), ana, "gzip", true},
		{"HEAD", request("HEAD", "/pages?fields=a,b&page=2", "application/json"), ana, "gzip", true},
		{"fields in another order", request("GET", "/pages?fields=b,a&page=2", "application/json"), ana, "gzip", true},
		{"a field twice", request("GET", "/pages?fields=b%2Ca,a&page=2", "application/json"), ana, "gzip", true},
		{"another user", request("GET", "/pages?fields=a,b&page=2", "application/json"), ben, "gzip", false},
		{"another coding", request("GET", "/pages?fields=a,b&page=2", "application/json"), ana, "", false},
		{"another path", request("GET", "/page?fields=a,b&page=2", "application/json"), ana, "gzip", false},
		{"an encoded path", request("GET", "/p%61ges?fields=a,b&page=2", "application/json"), ana, "gzip", false},
		{"another query", request("GET", "/pages?fields=a,b&page=3", "application/json"), ana, "gzip", false},
		{"other fields", request("GET", "/pages?fields=a&page=2", "application/json"), ana, "gzip", false},
		{"another Accept", request("GET", "/pages?fields=a,b&page=2", "text/plain"), ana, "gzip", false},
		{"no Accept", request("GET", "/pages?fields=a,b&page=2"), ana, "gzip", false},
		{"two Accepts", request("GET", "/pages?fields=a,b&page=2", "application/json", "text/plain"), ana, "gzip", false},
		{"POST", request("POST", "/pages?fields=a,b&page=2", "application/json"), ana, "gzip", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if value, ok, _ := s.Get(t.Context(), test.req, test.user, test.coding); ok != test.want || ok && value != "the pages" {
				t.Errorf("it is answered %q, %v; want %v", value, ok, test.want)
			}
		})
	}
}

// TestGet_AfterChange: a response is not answered once a table of its read set changed.
func TestGet_AfterChange(t *testing.T) {
	s := newSite(t, 1<<20)
	req := request("GET", "/pages")
	s.put(req, respcache.UserKey{}, "", "none")
	s.change()
	if value, ok, renewal := s.Get(t.Context(), req, respcache.UserKey{}, ""); ok || renewal != nil || s.Asks() {
		t.Errorf("after the change it is answered %q, with the renewal %v", value, renewal)
	}
}

// TestGet_EqualQueries: the order of fields does not matter, everything else does.
func TestGet_EqualQueries(t *testing.T) {
	for _, test := range []struct {
		first, second string
		equal         bool
	}{
		{"fields=b,a", "fields=a,b", true},
		{"page=2&fields=b,a", "page=2&fields=a,b", true},
		{"page=2&fields=b,a&q=c", "page=2&fields=a,b&q=c", true},
		{"fields=a,a", "fields=a", true},
		{"fields=a%2Cb", "fields=a,b", true},
		{"fields=a%2cb", "fields=b,a", true},
		{"fields=b,a&fields=c", "fields=a,b&fields=c", true},
		{"fields=b,a&fields=c", "fields=a,b&fields=d", false},
		{"other_fields=b,a", "other_fields=a,b", false},
		{"fields=b+,a", "fields=a,b+", false},
		{"fields=&q=b,!", "fields=!,&q=b", false},
		{"q=b,a", "q=a,b", false},
		{"a=1&b=2", "b=2&a=1", false},
	} {
		s := newSite(t, 1<<20)
		s.put(request("GET", "/pages?"+test.first), respcache.UserKey{}, "", "the pages")
		if _, ok, _ := s.Get(t.Context(), request("GET", "/pages?"+test.second), respcache.UserKey{}, ""); ok != test.equal {
			t.Errorf("%s and %s: equal %v, want %v", test.first, test.second, ok, test.equal)
		}
	}
}

// TestPut_Size: the sizes of value and read set count against the bytes of the cache, of which
// no response takes more than a fifteenth.
func TestPut_Size(t *testing.T) {
	for _, test := range []struct {
		query, value int
		cached       bool
	}{{0, 100, true}, {0, 1300, true}, {0, 1700, false}, {1300, 100, true}} {
		s := newSite(t, 16_000) // at most 1,750 bytes for a response
		req := request("GET", "/pages?q="+strings.Repeat("x", test.query))
		s.put(req, respcache.UserKey{}, "", strings.Repeat("x", test.value))
		if _, ok, _ := s.Get(t.Context(), req, respcache.UserKey{}, ""); ok != test.cached {
			t.Errorf("%d bytes with a query of %d: cached %v, want %v", test.value, test.query, ok, test.cached)
		}
	}
}

// TestPut_Refused: responses without a complete read set, and with a long key, are not
// cached.
func TestPut_Refused(t *testing.T) {
	s := newSite(t, 1<<20)
	unread, long := request("GET", "/pages"), request("GET", "/pages?q="+strings.Repeat("x", 3000))
	s.Put(unread, respcache.UserKey{}, "", "nothing was read", &driver.ReadSet{}, 1)
	s.put(long, respcache.UserKey{}, "", "a long query")
	for _, req := range []*http.Request{unread, long} {
		if value, ok, _ := s.Get(t.Context(), req, respcache.UserKey{}, ""); ok {
			t.Errorf("%.40s is answered %q", req.URL, value)
		}
	}
}

// TestUser: the user of an Authorization header is cached until a table changes from which
// the user was read.
func TestUser(t *testing.T) {
	s := newSite(t, 1<<20)
	ana, ben := http.Header{"Authorization": {"Basic YW5h"}}, http.Header{"Authorization": {"Basic YmVu"}}
	ctx, lookup := s.Lookup(t.Context())
	s.read(ctx)
	s.PutUser(ana, lookup, "ana", respcache.UserKey{1}, 3)
	if user, key, ok := s.User(t.Context(), ana); !ok || user != "ana" || key != (respcache.UserKey{1}) {
		t.Errorf("the user is %q, %v", user, ok)
	}
	for name, h := range map[string]http.Header{"another": ben, "none": {}, "two": {"Authorization": {"Basic YW5h", "Basic YW5h"}}} {
		if user, _, ok := s.User(t.Context(), h); ok {
			t.Errorf("%s header is the one of %q", name, user)
		}
	}
	s.change()
	if user, _, ok := s.User(t.Context(), ana); ok {
		t.Errorf("after the change the user is still %q", user)
	}
}

// TestUser_WithoutReadSet: a user of a store that records no reads counts until this
// process changes any user.
func TestUser_WithoutReadSet(t *testing.T) {
	s := newSite(t, 1<<20)
	h := http.Header{"Authorization": {"Basic YW5h"}}
	_, before := s.Lookup(t.Context())
	s.UsersChanged()
	s.PutUser(h, before, "ana", respcache.UserKey{}, 3)
	if _, _, ok := s.User(t.Context(), h); ok {
		t.Error("a user is cached whose lookup began before a user changed")
	}
	synctest.Test(t, func(t *testing.T) {
		_, lookup := s.Lookup(t.Context())
		time.Sleep(100 * time.Millisecond)
		s.PutUser(h, lookup, "ana", respcache.UserKey{}, 3)
		time.Sleep(400*time.Millisecond - 1)
		if _, _, ok := s.User(t.Context(), h); !ok {
			t.Error("a user is not cached for half a second")
		}
		time.Sleep(time.Nanosecond)
		if _, _, ok := s.User(t.Context(), h); ok {
			t.Error("a user is cached for more than half a second after the begin of the lookup")
		}
	})
}

// TestUser_LongHeader: a header that is too long for credentials finds no cached user.
func TestUser_LongHeader(t *testing.T) {
	for length, cached := range map[int]bool{basicauth.MaxHeader: true, basicauth.MaxHeader + 1: false} {
		s := newSite(t, 1<<20)
		h := http.Header{"Authorization": {strings.Repeat("x", length)}}
		ctx, lookup := s.Lookup(t.Context())
		s.read(ctx)
		s.PutUser(h, lookup, "ana", respcache.UserKey{}, 3)
		if _, _, ok := s.User(t.Context(), h); ok != cached {
			t.Errorf("a header of %d bytes: cached %v, want %v", length, ok, cached)
		}
	}
}

// TestNew_Off: a cache of no bytes holds nothing.
func TestNew_Off(t *testing.T) {
	s := newSite(t, 0)
	_, lookup := s.Lookup(t.Context())
	s.PutUser(http.Header{"Authorization": {"Basic YW5h"}}, lookup, "ana", respcache.UserKey{}, 3)
	if _, _, ok := s.User(t.Context(), http.Header{"Authorization": {"Basic YW5h"}}); ok || s.Enabled() {
		t.Error("a user is cached")
	}
	if _, ok, _ := s.Get(t.Context(), request("GET", "/pages"), respcache.UserKey{}, ""); ok {
		t.Error("a response is cached")
	}
}
