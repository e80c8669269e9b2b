// Package pageroot redirects browsers to the root of pages. Their relative addresses need the slash
// at its end.
package pageroot

import (
	"net/http"
	"net/url"
	"path"
)

// Redirect answers a request for the root without its slash, which routers other than
// http.ServeMux pass on as an empty path behind [http.StripPrefix]. It reports whether it did.
func Redirect(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != "" {
		return false
	}
	asked, err := url.ParseRequestURI(r.RequestURI)
	if err != nil || asked.Path == "" || asked.Path[len(asked.Path)-1] == '/' {
		return false
	}
	to := "./" + path.Base(asked.EscapedPath()) + "/"
	if asked.RawQuery != "" {
		to += "?" + asked.RawQuery
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusTemporaryRedirect)
	return true
}
