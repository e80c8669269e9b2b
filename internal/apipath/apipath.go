// Package apipath reads the three forms of an address of the API (§1).
package apipath

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/shopapi/shopapi/internal/plain"
)

// Version is the version of the interface that is served (§13).
const Version = "2.0"

// MaxSegments is the deepest path: products/12/features/3/images/7 (§1).
const MaxSegments = 6

// maxPath is the greatest length of a path, in bytes as it is sent.
const maxPath = 8 << 10

// parameterForm is the path of addresses that are in the parameter _d.
const parameterForm = "/api.php"

// IsParameter reports whether the address is in the parameter _d, of which the values are
// not percent-decoded a second time.
func IsParameter(u *url.URL) bool { return u.EscapedPath() == parameterForm }

// Segments returns the decoded segments of the path below the entry point, in any of
// the three address forms (§1): none for the entry point itself. ok is false for a path
// that cannot name a resource.
func Segments(u *url.URL, query url.Values) (segments []string, ok bool) {
	if len(u.Path) > maxPath || len(u.RawPath) > maxPath {
		return nil, false
	}
	path := u.EscapedPath()
	decode := url.PathUnescape
	if path == parameterForm {
		path = "/"
		if values := query["_d"]; len(values) > 0 {
			path += values[len(values)-1]
		}
		decode = func(s string) (string, error) { return s, nil }
	} else if rest, under := strings.CutPrefix(path, "/api"); under && (rest == "" || rest[0] == '/') {
		path = rest
	} else {
		return nil, false
	}
	path = strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/")
	if len(path) > maxPath {
		return nil, false
	}
	if path == "" {
		return nil, true
	}
	segments = make([]string, 0, MaxSegments+1) // and the version
	for raw := range strings.SplitSeq(path, "/") {
		s, err := decode(raw)
		if err != nil || s == "" || s == "." || s == ".." || !plain.IsText(s) {
			return nil, false
		}
		segments = append(segments, s)
	}
	return segments, true
}

// CutVersion removes the version segment, if there is one. ok is false for a version
// that is not supported: neither 2.0 nor 2.
func CutVersion(segments []string) (rest []string, ok bool) {
	if len(segments) == 0 || !isVersion(segments[0]) {
		return segments, true
	}
	v := segments[0]
	return segments[1:], v == Version || v == "2"
}

func isVersion(s string) bool {
	return s[0] >= '0' && s[0] <= '9' && strings.Trim(s, "0123456789.") == ""
}

// IsName reports whether a text can be the name of an entity, or another fixed segment: a-z,
// 0-9 and _, beginning with a letter.
func IsName(s string) bool {
	return s != "" && s[0] >= 'a' && s[0] <= 'z' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// AsksVersion reports whether a request is a GET on the entry point with the parameter version
// (§4).
func AsksVersion(req *http.Request) bool {
	if req.Method != http.MethodGet && req.Method != http.MethodHead || len(req.URL.RawQuery) > maxPath {
		return false
	}
	query := req.URL.Query()
	if !query.Has("version") {
		return false
	}
	segments, ok := Segments(req.URL, query)
	if !ok {
		return false
	}
	segments, ok = CutVersion(segments)
	return ok && len(segments) == 0
}

// Below returns the address of an object below the address of a request, as the client sees
// it: below the prefix and in the form that the client used.
func Below(req *http.Request, id string) string {
	u := req.URL
	if asked, err := url.ParseRequestURI(req.RequestURI); err == nil && !strings.HasPrefix(asked.Path, "//") {
		u = asked // without http.StripPrefix, which leaves the RequestURI alone
	}
	id = url.PathEscape(id)
	if values := u.Query()["_d"]; IsParameter(req.URL) && len(values) > 0 {
		return u.EscapedPath() + "?_d=" + url.QueryEscape(strings.TrimSuffix(values[len(values)-1], "/")+"/"+id)
	}
	return strings.TrimSuffix(u.EscapedPath(), "/") + "/" + id
}
