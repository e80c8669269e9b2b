package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A request that the shop refuses with a 429 was not carried out, and is sent again.
func TestClient_TooManyRequests(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests++; requests == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.WriteHeader(http.StatusCreated)
	}))
	defer server.Close()
	c := newClient("a@example.com", "key")
	c.address = strings.TrimPrefix(server.URL, "http://")
	r, err := c.do(t.Context(), request{method: "POST", path: "categories", body: `{"category": "x"}`})
	if err != nil || r.status != http.StatusCreated || requests != 2 {
		t.Errorf("after %d requests: %+v, %v", requests, r, err)
	}
}
