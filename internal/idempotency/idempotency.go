// Package idempotency reads the header Idempotency-Key of a POST (§25).
package idempotency

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/shopapi/shopapi/internal/clienterror"
)

// maxKey is how long a key may be, in bytes.
const maxKey = 255

// Key returns the key of a request, "" for none. It returns a 400 for a key that cannot be one.
func Key(h http.Header) (string, error) {
	keys := h["Idempotency-Key"]
	if len(keys) == 0 {
		return "", nil
	}
	if len(keys) > 1 || len(keys[0]) == 0 || len(keys[0]) > maxKey ||
		strings.ContainsFunc(keys[0], func(c rune) bool { return c > unicode.MaxASCII || !unicode.IsPrint(c) }) {
		return "", clienterror.Errorf(http.StatusBadRequest, "The Idempotency-Key must be one text of 1 to %d printable ASCII characters.", maxKey)
	}
	return keys[0], nil
}

// Fingerprint is what two requests with one key must agree in: kind, address, parameters and
// body.
func Fingerprint(kind, address string, filter url.Values, sum [sha256.Size]byte) string {
	return fmt.Sprintf("%s %s?%s %x", kind, address, filter.Encode(), sum)
}
