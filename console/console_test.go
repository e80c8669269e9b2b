package console_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/console"
)

func TestHandler(t *testing.T) {
	pages, err := console.Handler(t.Context(), apitest.New(t, nil).API, &apidoc.Options{Server: "/admin/api/2.0"})
	if err != nil {
		t.Fatal(err)
	}
	h := http.StripPrefix("/console", pages)
	get := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
		return w
	}
	for path, want := range map[string]struct{ kind, text string }{
		"/console/":                   {"text/html", `src="app.js"`},
		"/console/app.js":             {"text/javascript", "signIn"},
		"/console/vendor/lit-html.js": {"text/javascript", "lit-html"},
		"/console/style.css":          {"text/css", "--accent"},
		"/console/icon.svg":           {"image/svg+xml", "<svg"},
		"/console/openapi.json":       {"application/json", `"url":"/admin/api/2.0"`},
	} {
		w := get("GET", path)
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), want.kind) || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%s answers %d %v %.100s", path, w.Code, w.Header(), w.Body)
		}
		if policy := w.Header().Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") || !strings.Contains(policy, "script-src 'self'") {
			t.Errorf("%s has the policy %q", path, policy)
		}
	}
	for _, c := range []struct {
		method, path string
		status       int
	}{{"GET", "/console/console.go", 404}, {"GET", "/console/../go.mod", 404}, {"POST", "/console/", 405}, {"HEAD", "/console/", 200}} {
		if w := get(c.method, c.path); w.Code != c.status {
			t.Errorf("%s %s answers %d, want %d", c.method, c.path, w.Code, c.status)
		}
	}
	page := get("GET", "/console/").Body.String()
	if inline := regexp.MustCompile(`(?i)<script>|<style|\son[a-z]+=|style=|://`).FindString(page); inline != "" {
		t.Errorf("the page has %q: scripts and styles are files of its own", inline)
	}
}
