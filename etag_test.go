package shopapi_test

import (
	"net/http/httptest"
	"testing"

	"github.com/shopapi/shopapi"
)

func TestEntityTag_AnswersNotModifiedUntilTheObjectChanges(t *testing.T) {
	n := &notes{}
	h, _ := cachedNotesAndUsers(t, n, shopapi.Limits{})
	get := func(method, address, known string) *httptest.ResponseRecorder {
		req := httptest.NewRequestWithContext(t.Context(), method, address, nil)
		req.SetBasicAuth("a@example.org", "key")
		if known != "" {
			req.Header.Set("If-None-Match", known)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		return w
	}
	first := get("GET", "/api/notes", "")
	tag := first.Header().Get("ETag")
	if first.Code != 200 || tag == "" {
		t.Fatalf("got %d with the tag %q", first.Code, tag)
	}
	for _, c := range []struct {
		name, method, known string
		want                int
	}{
		{"the tag", "GET", tag, 304},
		{"HEAD", "HEAD", tag, 304},
		{"a weak one", "GET", "W/" + tag, 304},
		{"one of several", "GET", `"other", ` + tag, 304},
		{"any", "GET", "*", 304},
		{"another", "GET", `"other"`, 200},
		{"without quotation marks", "GET", tag[1 : len(tag)-1], 200},
	} {
		w := get(c.method, "/api/notes", c.known)
		if w.Code != c.want || w.Header().Get("ETag") != tag {
			t.Errorf("%s: got %d with the tag %q, want %d and %q", c.name, w.Code, w.Header().Get("ETag"), c.want, tag)
		}
		if c.want == 304 && w.Body.Len() > 0 {
			t.Errorf("%s: 304 has the body %s", c.name, w.Body)
		}
	}
	askNotes(t, h, "POST", "/api/notes", `{"text": "new"}`)
	if w := get("GET", "/api/notes", tag); w.Code != 200 || w.Header().Get("ETag") == tag {
		t.Errorf("after a change got %d with the tag %q", w.Code, w.Header().Get("ETag"))
	}
	if w := get("GET", "/api/nothing", "*"); w.Code != 404 {
		t.Errorf("an error got %d", w.Code)
	}
}
