package shopapi_test

import (
	"net/http"
	"testing"

	"github.com/shopapi/shopapi"
)

// §2, check 0: what a browser sends from another site changes nothing, whatever
// credentials the browser holds.
func TestCrossOrigin_WritesAreRefused(t *testing.T) {
	site := func(s string) header { return with("Sec-Fetch-Site", s) }
	origin := func(s string) header { return with("Origin", s) }
	form := with("Content-Type", "text/plain")
	for _, c := range []struct {
		name    string
		headers []header
		want    int // of a write
	}{
		{"a program", nil, 201},
		{"a form of another site", []header{form, site("cross-site"), origin("https://evil.example")}, 403},
		{"a form of a frame without an origin", []header{form, site("cross-site"), origin("null")}, 403},
		{"a form of a sibling site", []header{form, site("same-site"), origin("https://other.example.com")}, 403},
		{"a form without an Origin", []header{form, site("cross-site")}, 403},
		{"an old browser on another site", []header{form, origin("https://evil.example")}, 403},
		{"a script of another site", []header{with("X-Requested-With", "fetch"), site("cross-site"), origin("https://evil.example")}, 403},
		{"the console on the same origin", []header{form, site("same-origin"), origin("https://example.com")}, 201},
		{"an old browser on the same origin", []header{form, origin("https://example.com")}, 201},
		{"a user at the address bar", []header{form, site("none")}, 201},
		{"a trusted site", []header{form, site("cross-site"), origin("https://admin.example.org")}, 201},
		{"a trusted site in an old browser", []header{form, origin("https://admin.example.org")}, 201},
		{"the trusted site without TLS", []header{form, site("cross-site"), origin("http://admin.example.org")}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShop(t, func(o *shopapi.Options) { o.TrustedOrigins = []string{"https://admin.example.org"} })
			r := s.do("POST", "/api/aisles", "name=x", c.headers...).want(c.want)
			if c.want == 403 {
				r.contains("another site")
				if len(s.trace) > 0 {
					t.Errorf("operations ran: %q", s.trace)
				}
				s.do("PUT", "/api/aisles/1", "name=x", c.headers...).want(403)
				s.do("DELETE", "/api/aisles/1", "", c.headers...).want(403)
			}
			s.do("GET", "/api/aisles", "", c.headers...).want(200)
			s.do("HEAD", "/api/aisles", "", c.headers...).want(200)
		})
	}
}

// A session of the host's is not to be used by other sites either.
func TestCrossOrigin_BeforeIdentify(t *testing.T) {
	asked := 0
	s := newShop(t, func(o *shopapi.Options) {
		o.Identify = func(*http.Request) (*shopapi.User, error) { asked++; return &shopapi.User{Root: true}, nil }
	})
	s.do("POST", "/api/aisles", "name=x", anonymous, with("Sec-Fetch-Site", "cross-site")).want(403)
	if asked != 0 {
		t.Error("Identify was asked for a request of another site")
	}
	s.do("POST", "/api/aisles", "name=x", anonymous, with("Sec-Fetch-Site", "same-origin")).want(201)
}
