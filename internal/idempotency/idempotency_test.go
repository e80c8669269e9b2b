package idempotency_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/idempotency"
)

func TestKey(t *testing.T) {
	for _, c := range []struct {
		keys []string
		ok   bool
	}{
		{nil, true}, {[]string{"a b"}, true}, {[]string{strings.Repeat("a", 255)}, true},
		{[]string{""}, false}, {[]string{"a", "a"}, false}, {[]string{"é"}, false}, {[]string{"a\tb"}, false}, {[]string{strings.Repeat("a", 256)}, false},
	} {
		key, err := idempotency.Key(http.Header{"Idempotency-Key": c.keys})
		if (err == nil) != c.ok || c.ok && len(c.keys) > 0 && key != c.keys[0] {
			t.Errorf("%q: %q, %v", c.keys, key, err)
		}
	}
}
