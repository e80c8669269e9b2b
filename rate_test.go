package shopapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
)

// Each user has a separate limit; cached responses and errors count; requests without a
// user do not.
func TestE10_Rate(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.RateLimit = shopapi.RateLimit{Requests: 3, Seconds: 10} })
	policy := func(r *reply, left string) *reply {
		t.Helper()
		return r.has("RateLimit-Policy", `"default";q=3;w=10`).has("RateLimit", left)
	}
	policy(s.do("GET", "/api/aisles", "").want(200), `"default";r=2;t=10`)
	s.now = s.now.Add(2500 * time.Millisecond)
	policy(s.do("GET", "/api/nothing", "").want(404), `"default";r=1;t=8`)
	policy(s.do("GET", "/api/aisles", "").want(200), `"default";r=0;t=8`)
	operations := len(s.trace)
	policy(s.do("POST", "/api/aisles", "name=x").want(429), `"default";r=0;t=8`).has("Retry-After", "8").contains("3 requests in 10 seconds")
	if len(s.trace) != operations {
		t.Error("an operation ran beyond the limit")
	}
	s.do("GET", "/api/aisles", "", anonymous).want(401).has("RateLimit", "").has("RateLimit-Policy", "")
	s.now = s.now.Add(7500 * time.Millisecond)
	policy(s.do("POST", "/api/aisles", "name=x").want(201), `"default";r=2;t=10`)
}

func TestE10_Rate_CachedResponses(t *testing.T) {
	n := &notes{}
	h, _ := cachedNotesAndUsers(t, n, shopapi.Options{RateLimit: shopapi.RateLimit{Requests: 2, Seconds: 60}})
	for _, want := range []int{200, 200, 429} {
		if w := askNotes(t, h, "GET", "/api/notes", ""); w.Code != want {
			t.Errorf("the response is %d, want %d", w.Code, want)
		}
	}
	if n.asked.Load() != 1 {
		t.Errorf("the entity was asked %d times", n.asked.Load())
	}
}

func TestE10_Rate_Each_User(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) {
		o.RateLimit = shopapi.RateLimit{Requests: 1, Seconds: 60}
		o.Identify = func(r *http.Request) (*shopapi.User, error) {
			return &shopapi.User{Root: true, Type: shopapi.Administrator, Email: r.Header.Get("X-User")}, nil
		}
	})
	for _, user := range []string{"ann", "bob"} {
		s.do("GET", "/api/aisles", "", with("X-User", user)).want(200)
		s.do("GET", "/api/aisles", "", with("X-User", user)).want(429)
	}
}

func TestE10_Rate_Off(t *testing.T) {
	r := newShop(t).do("GET", "/api/aisles", "").want(200)
	for name := range r.Result().Header {
		if strings.HasPrefix(name, "Ratelimit") {
			t.Errorf("the response has the header %s", name)
		}
	}
}
