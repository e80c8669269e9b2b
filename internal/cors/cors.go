// Package cors lets scripts of named origins read responses (Fetch, CORS protocol).
//
// Existing libraries wrap a handler and answer preflights of every origin, also of
// origins that are not named. Such a preflight must get a 401 here.
package cors

import (
	"maps"
	"net/http"
	"slices"
)

// A Policy names origins. A nil Policy names none.
type Policy struct{ origins map[string][]string }

// New returns the policy for origins, nil without any.
func New(origins []string) *Policy {
	if len(origins) == 0 {
		return nil
	}
	p := &Policy{origins: map[string][]string{}}
	for _, origin := range origins {
		p.origins[origin] = []string{origin}
	}
	return p
}

// origin returns the named origin of a request as the value of a header, or nil.
func (p *Policy) origin(h http.Header) []string {
	if p == nil {
		return nil
	}
	if sent := h["Origin"]; len(sent) == 1 {
		return p.origins[sent[0]]
	}
	return nil
}

// IsPreflight reports whether a browser asks with the request if a script of a named
// origin may send another one.
func (p *Policy) IsPreflight(req *http.Request) bool {
	return p != nil && req.Method == http.MethodOptions && p.origin(req.Header) != nil &&
		len(req.Header["Access-Control-Request-Method"]) > 0
}

// preflight are the headers of the response to a preflight, alike for every address.
var preflight = http.Header{
	"Access-Control-Allow-Headers": {"Authorization, Content-Type, Accept, If-Match, If-None-Match, Idempotency-Key"},
	"Access-Control-Allow-Methods": {"GET, HEAD, POST, PUT, DELETE"},
	"Access-Control-Max-Age":       {"600"}, // seconds
}

// exposed are the headers of responses that scripts may read.
var exposed = []string{"ETag, Link, Location, Retry-After, X-Total-Count, RateLimit, RateLimit-Policy"}

// AddTo adds the CORS headers for the origin of a request to a response. The values are
// shared: do not change them.
func (p *Policy) AddTo(response http.Header, req *http.Request) {
	origin := p.origin(req.Header)
	if origin == nil {
		return
	}
	response["Access-Control-Allow-Origin"] = origin
	if p.IsPreflight(req) {
		maps.Copy(response, preflight)
		return
	}
	response["Access-Control-Expose-Headers"] = exposed
}

// Protection returns the check of writes that browsers send, which trusts the pages of the
// origins in both lists. It panics at an invalid origin.
func Protection(trusted, allowed []string) *http.CrossOriginProtection {
	c := http.NewCrossOriginProtection()
	for _, origin := range slices.Concat(trusted, allowed) {
		if err := c.AddTrustedOrigin(origin); err != nil {
			panic(err)
		}
	}
	return c
}
