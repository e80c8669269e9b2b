package apidoc_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
)

func TestHandler(t *testing.T) {
	docs, err := apidoc.Handler(t.Context(), apitest.New(t, nil).API, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := http.StripPrefix("/docs", docs)
	get := func(method, path string, header http.Header) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		r.Header = header
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for path, want := range map[string]struct{ kind, text string }{
		"/docs/":                     {"text/html", `src="swagger-ui-bundle.js"`},
		"/docs/openapi.json":         {"application/json", `"openapi":"3.1.0"`},
		"/docs/swagger-ui-bundle.js": {"text/javascript", "SwaggerUIBundle"},
		"/docs/swagger-ui.css":       {"text/css", ".swagger-ui"},
		"/docs/reference.js":         {"text/javascript", `"omit"`},
		"/docs/favicon-32x32.png":    {"image/png", "PNG"},
	} {
		w := get("GET", path, http.Header{})
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), want.kind) || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%s answers %d %v %.100s", path, w.Code, w.Header(), w.Body)
		}
		if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") {
			t.Errorf("%s has the policy %q", path, policy)
		}
		if again := get("GET", path, http.Header{"If-None-Match": {w.Header().Get("Etag")}}); again.Code != 304 {
			t.Errorf("%s answers %d to its own ETag", path, again.Code)
		}
	}
	if page := get("GET", "/docs/", http.Header{}).Body.String(); strings.Contains(page, "<script>") || strings.Contains(page, "://") {
		t.Errorf("the page has an inline script, or loads from elsewhere: %s", page)
	}
	for _, c := range []struct {
		method, path string
		status       int
	}{{"GET", "/docs/nothing", 404}, {"GET", "/docs/../handler.go", 404}, {"POST", "/docs/", 405}, {"HEAD", "/docs/openapi.json", 200}} {
		if w := get(c.method, c.path, http.Header{}); w.Code != c.status || c.method == "HEAD" && w.Body.Len() > 0 {
			t.Errorf("%s %s answers %d, want %d", c.method, c.path, w.Code, c.status)
		}
	}
	if !json.Valid(get("GET", "/docs/openapi.json", http.Header{}).Body.Bytes()) {
		t.Error("the document is no JSON")
	}
}
