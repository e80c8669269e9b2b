package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// An uploaded image is served with headers that let a browser run nothing in it.
func TestE12_UploadedImagesAreServed(t *testing.T) {
	t.Parallel()
	u := uploads{t.TempDir()}
	path, err := u.store(t.Context(), "products", "image/png", strings.NewReader("\x89PNG\r\n\x1a\n<script>"))
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		u.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	w := get(path)
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if w.Code != http.StatusOK || !strings.HasSuffix(w.Body.String(), "<script>") {
		t.Errorf("GET %s: %d %q", path, w.Code, w.Body)
	}
	for _, path := range []string{uploadsPath, uploadsPath + "none.png", uploadsPath + "../uploads.go", uploadsPath + "x.html"} {
		if got := get(path).Code; got != http.StatusNotFound {
			t.Errorf("GET %s: %d", path, got)
		}
	}
}
