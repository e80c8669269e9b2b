package shopapi_test

import (
	"strings"
	"testing"
)

// An entity that does not heed preconditions in a transaction of its own has them
// checked before the operation (§25).
func TestPreconditions_HandWrittenEntity(t *testing.T) {
	s := newShop(t)
	tag := s.do("GET", "/api/aisles/1", "").Header().Get("Etag")
	s.do("PUT", "/api/aisles/1", "name=x", with("If-Match", `"other"`)).want(412).contains("If-Match")
	got := s.do("PUT", "/api/aisles/1", "name=x", with("If-Match", tag)).want(200).Header().Get("Etag")
	if now := s.do("GET", "/api/aisles/1", "").Header().Get("Etag"); got != now || got == tag || !strings.HasPrefix(got, `"`) {
		t.Errorf("PUT answered the Etag %s, GET %s", got, now)
	}
	s.do("DELETE", "/api/aisles/1", "", with("If-Match", tag)).want(412)
	s.do("DELETE", "/api/aisles/1", "", with("If-Match", got)).want(204)
	s.do("DELETE", "/api/aisles/1", "", with("If-Match", got)).want(404)
}
