package console_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/console"
	_ "github.com/shopapi/shopapi/internal/fasttest"
)

func TestHandler(t *testing.T) {
	pages, err := console.Handler(t.Context(), apitest.New(t, nil).API, &console.Options{Document: &apidoc.Options{Server: "/admin/api/2.0"}})
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

// TestE12_ImageOrigins: the pages show images of their own origin and of the named ones.
func TestE12_ImageOrigins(t *testing.T) {
	api := apitest.New(t, nil).API
	h, err := console.Handler(t.Context(), api, &console.Options{ImageOrigins: []string{"https://CDN.example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "img-src 'self' https://cdn.example.com;") {
		t.Errorf("the policy is %q", policy)
	}
	for _, wrong := range []string{"cdn.example.com", "https://cdn.example.com/images", "ftp://cdn.example.com", "https://*.example.com", "https://a;script-src", ""} {
		if _, err := console.Handler(t.Context(), api, &console.Options{ImageOrigins: []string{wrong}}); err == nil || !strings.Contains(err.Error(), "ImageOrigins") {
			t.Errorf("the origin %q: %v", wrong, err)
		}
	}
}

// TestE13_SignIn: the host's sign-in page is a path of the same origin.
func TestE13_SignIn(t *testing.T) {
	api := apitest.New(t, nil).API
	h, err := console.Handler(t.Context(), api, &console.Options{SignIn: "/login"})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
	if !strings.Contains(w.Body.String(), `&#34;signIn&#34;:&#34;/login&#34;`) {
		t.Errorf("the pages read %s", w.Body)
	}
	for _, wrong := range []string{"login", "https://id.example.com/login", "//id.example.com/login", `/\id.example.com`} {
		if _, err := console.Handler(t.Context(), api, &console.Options{SignIn: wrong}); err == nil || !strings.Contains(err.Error(), "SignIn") {
			t.Errorf("the page %q: %v", wrong, err)
		}
	}
}

// TestE12_Compressed: the files are compressed for clients that take it, with an ETag of
// each coding.
func TestE12_Compressed(t *testing.T) {
	h, err := console.Handler(t.Context(), apitest.New(t, nil).API, nil)
	if err != nil {
		t.Fatal(err)
	}
	get := func(coding, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/openapi.json", nil)
		if coding != "" {
			r.Header.Set("Accept-Encoding", coding)
		}
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	plain, tags := get("", "").Body.Len(), map[string]bool{}
	for _, coding := range []string{"gzip", "zstd"} {
		w := get(coding, "")
		if got := w.Header().Get("Content-Encoding"); got != coding || w.Body.Len()*5 > plain {
			t.Errorf("%s is answered as %q in %d bytes, of %d", coding, got, w.Body.Len(), plain)
		}
		if again := get(coding, w.Header().Get("Etag")); again.Code != 304 {
			t.Errorf("%s: the tag %s is answered %d", coding, w.Header().Get("Etag"), again.Code)
		}
		tags[w.Header().Get("Etag")] = true
	}
	if len(tags) != 2 {
		t.Errorf("the codings have the tags %v", tags)
	}
}
