package respcache_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/respcache"
)

// TestPut_LongRequests: path, escaped path, query and Accept of a cached request have 2 KiB
// together, and not a byte more.
func TestPut_LongRequests(t *testing.T) {
	const most = 2 << 10
	for name, build := range map[string]func(x string) *http.Request{
		"path":   func(x string) *http.Request { return request("GET", "/pages/"+x) },
		"query":  func(x string) *http.Request { return request("GET", "/pages/1%2F2?q="+x) },
		"accept": func(x string) *http.Request { return request("GET", "/pages/1%2F2?q=1", "text/plain;p="+x) },
	} {
		length := func(req *http.Request) int {
			return len(req.URL.Path) + len(req.URL.RawPath) + len(req.URL.RawQuery) + len(req.Header.Get("Accept"))
		}
		rest := most - length(build(""))
		for _, more := range []int{0, 1} {
			s := newSite(t, 1<<20)
			req := build(strings.Repeat("x", rest+more))
			if got := length(req); got != most+more {
				t.Fatalf("%s: the request has %d bytes", name, got)
			}
			s.put(req, respcache.UserKey{1}, "", "the page")
			if _, ok, _ := s.Get(t.Context(), req, respcache.UserKey{1}, ""); ok != (more == 0) {
				t.Errorf("%s: a request of %d bytes is cached: %v", name, most+more, ok)
			}
		}
	}
}

// TestPut_SeveralAccepts: a request with several Accept headers is not cached.
func TestPut_SeveralAccepts(t *testing.T) {
	s := newSite(t, 1<<20)
	s.put(request("GET", "/pages", "application/json", "text/plain"), respcache.UserKey{1}, "", "the pages")
	if value, ok, _ := s.Get(t.Context(), request("GET", "/other", "text/plain", "text/html"), respcache.UserKey{1}, ""); ok {
		t.Errorf("another request is answered %q", value)
	}
}

// TestGet_EmptyFields: after an empty choice of fields, the other parameters are as they were
// sent.
func TestGet_EmptyFields(t *testing.T) {
	s := newSite(t, 1<<20)
	s.put(request("GET", "/pages?fields=&ids=3,2,1"), respcache.UserKey{1}, "", "the pages")
	if _, ok, _ := s.Get(t.Context(), request("GET", "/pages?fields=&ids=3,1,2"), respcache.UserKey{1}, ""); ok {
		t.Error("another request has the response")
	}
}

// TestWatchedUser: the cached user of an Authorization header comes with a watch that notices
// its change.
func TestWatchedUser(t *testing.T) {
	s := newSite(t, 1<<20)
	header := http.Header{"Authorization": {"Basic YTpi"}}
	ctx, lookup := s.Lookup(t.Context())
	s.read(ctx)
	s.PutUser(header, lookup, "Ana", respcache.UserKey{1}, 3)
	user, watch, ok := s.WatchedUser(t.Context(), header)
	if !ok || user != "Ana" || watch == nil || watch.Changed(t.Context()) {
		t.Fatalf("the user is %q, %v", user, ok)
	}
	if _, watch, ok := s.WatchedUser(t.Context(), http.Header{"Authorization": {"Basic YTpj"}}); ok || watch != nil {
		t.Error("other credentials have a user")
	}
	s.change()
	if !watch.Changed(t.Context()) {
		t.Error("the change is not noticed")
	}
}
