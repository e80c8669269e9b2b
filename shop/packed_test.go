package shop_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// TestCache_PackedResponses: responses that others displaced from the first part of the cache are
// the same when they are sent again, with their headers, in every form; most of them come from
// the cache, unless it is too small.
func TestCache_PackedResponses(t *testing.T) {
	const categories = 200
	for _, test := range []struct {
		bytes int64
		least int // responses from the cache, of a hundred
	}{{8 << 20, 100}, {200 << 10, 2}} {
		cached := 0
		s := apitest.New(t, &shop.Options{Options: shopapi.Options{
			Limits: shopapi.Limits{CacheBytes: test.bytes, LoginEntries: 1},
			Completed: func(_ *http.Request, c shopapi.Completion) {
				if c.Cached {
					cached++
				}
			},
		}})
		var requests []*http.Request
		add := func(address, accept string) {
			req := httptest.NewRequest(http.MethodGet, address, http.NoBody)
			req.Header.Set("Accept", accept)
			req.SetBasicAuth(s.Email, s.Key)
			requests = append(requests, req)
		}
		for id := 1; id <= categories; id++ {
			s.Post("/api/2.0/categories", fmt.Sprintf(`{"category": "Category %d", "parent_id": "%d"}`, id, id/5))
			for _, accept := range []string{"application/json", "text/plain"} {
				add(fmt.Sprint("/api/2.0/categories/", id), accept)
				add(fmt.Sprint("/api.php?_d=categories&items_per_page=5&page=", id), accept)
			}
		}
		type sent struct {
			Status int
			Header http.Header
			Body   string
		}
		send := func(req *http.Request) sent {
			w := httptest.NewRecorder()
			s.API.ServeHTTP(w, req)
			return sent{w.Code, w.Header(), w.Body.String()}
		}
		var first []sent
		for _, req := range requests {
			first = append(first, send(req))
		}
		cached = 0
		for i, req := range slices.Backward(requests) {
			if diff := cmp.Diff(first[i], send(req)); diff != "" {
				t.Errorf("with %d bytes the response to %s differs (-before +after):\n%s", test.bytes, req.URL, diff)
			}
		}
		if share := 100 * cached / len(requests); share < test.least {
			t.Errorf("with %d bytes %d of 100 responses are from the cache, want at least %d", test.bytes, share, test.least)
		}
	}
}
