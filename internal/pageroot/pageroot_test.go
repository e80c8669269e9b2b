package pageroot_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/internal/pageroot"
)

// Pages below any prefix are reached with and without the slash, and keep the query.
func TestRedirect(t *testing.T) {
	t.Parallel()
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !pageroot.Redirect(w, r) {
			io.WriteString(w, r.RequestURI)
		}
	})
	s := httptest.NewServer(http.StripPrefix("/shop/a:b c", pages))
	t.Cleanup(s.Close)
	for asked, want := range map[string]string{
		"/shop/a:b%20c":           "/shop/a:b%20c/",
		"/shop/a:b%20c?lang=de":   "/shop/a:b%20c/?lang=de",
		"/shop/a:b%20c/":          "/shop/a:b%20c/",
		"/shop/a:b%20c/style.css": "/shop/a:b%20c/style.css",
	} {
		answer, err := s.Client().Get(s.URL + asked)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || string(got) != want {
			t.Errorf("%s leads to %s, %v, want %s", asked, got, err, want)
		}
	}
}
