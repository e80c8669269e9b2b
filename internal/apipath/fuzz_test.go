package apipath

import (
	"net/url"
	"testing"

	"github.com/shopapi/shopapi/internal/plain"
)

func FuzzSegments(f *testing.F) {
	for _, seed := range []string{
		"/api/2.0/categories/5", "/api.php?_d=categories/5", "/api//x", "/api/%2e%2e/x", "/api/a%2Fb", "/api/9.0/x", "/api/x/1/y/2/z/3/w", "/api.php?_d=%zz", "/api/%ff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := url.ParseRequestURI(address)
		if err != nil {
			return
		}
		segments, ok := Segments(u, u.Query())
		if !ok {
			return
		}
		for _, s := range segments {
			if s == "" || s == "." || s == ".." || !plain.IsText(s) {
				t.Errorf("%q has the segment %q", address, s)
			}
		}
		if rest, ok := CutVersion(segments); ok && len(rest) > len(segments) {
			t.Errorf("%q has segments %q below the version", address, rest)
		}
	})
}
