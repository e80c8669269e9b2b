package shopapi

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"
)

// IdempotencyKey is the header of that name of a POST, "" where there is none
// (§25).
func (r *Request) IdempotencyKey() string { return r.idempotencyKey }

// Fingerprint is what two requests with one Idempotency-Key must agree in: method,
// address and body.
func (r *Request) Fingerprint() string { return r.fingerprint }

// maxIdempotencyKey is how long an Idempotency-Key may be, in bytes.
const maxIdempotencyKey = 255

// readIdempotencyKey reads the header, which entities of package resource heed. The
// three forms of an address are one.
func (r *Request) readIdempotencyKey(h http.Header, t *target) error {
	keys := h["Idempotency-Key"]
	if len(keys) == 0 {
		return nil
	}
	if len(keys) > 1 || len(keys[0]) == 0 || len(keys[0]) > maxIdempotencyKey ||
		strings.ContainsFunc(keys[0], func(c rune) bool { return c > unicode.MaxASCII || !unicode.IsPrint(c) }) {
		return Errorf(http.StatusBadRequest, "The Idempotency-Key must be one text of 1 to %d printable ASCII characters.", maxIdempotencyKey)
	}
	r.idempotencyKey = keys[0]
	var b strings.Builder
	b.WriteString("POST ")
	for _, parent := range t.parents {
		fmt.Fprintf(&b, "%s/%s/", parent.entry.Name, parent.id)
	}
	b.WriteString(t.entry.Name)
	if t.op == OpAction {
		fmt.Fprintf(&b, "/%s/%s", t.id, t.action)
	}
	fmt.Fprintf(&b, "?%s %x", r.Filter.Encode(), r.Payload.sum)
	r.fingerprint = b.String()
	return nil
}
