package shopapi

import (
	"net/http"
	"net/url"
	"strings"
)

// supportedVersion is the one version of the interface that is served (§13).
const supportedVersion = "2.0"

// maxSegments is the deepest path: products/12/features/3/images/7 (§1).
const maxSegments = 6

// maxPath is how long a path may be, in bytes as it is sent. Longer ones name nothing.
const maxPath = 8 << 10

// segmentsOf returns the path below the entry point, its segments decoded, in
// any of the three address forms (§1). No segments at all is the entry point
// itself. ok is false for a path that cannot name a resource.
func segmentsOf(u *url.URL, query url.Values) (segments []string, ok bool) {
	if len(u.Path) > maxPath || len(u.RawPath) > maxPath {
		return nil, false
	}
	path := u.EscapedPath()
	decode := url.PathUnescape
	if path == "/api.php" {
		path = "/" + last(query["_d"])
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
	segments = make([]string, 0, maxSegments+1) // and the version
	for raw := range strings.SplitSeq(path, "/") {
		s, err := decode(raw)
		if err != nil || s == "" || s == "." || s == ".." || !isText(s) {
			return nil, false
		}
		segments = append(segments, s)
	}
	return segments, true
}

// cutVersion takes the version segment off, if there is one. It is an error
// when that is not 2.0, also spelled 2.
func cutVersion(segments []string) ([]string, error) {
	if len(segments) == 0 || !isVersion(segments[0]) {
		return segments, nil
	}
	if v := segments[0]; v != supportedVersion && v != "2" {
		return nil, Errorf(http.StatusNotFound, "Version %s of the interface is not supported. The supported version is %s.", quoted(v), supportedVersion)
	}
	return segments[1:], nil
}

func isVersion(s string) bool {
	return s[0] >= '0' && s[0] <= '9' && strings.Trim(s, "0123456789.") == ""
}

func last(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}
