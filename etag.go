package shopapi

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
)

// tag gives a response to GET an entity tag, by which a client that has
// it already can ask for it only if it changed (RFC 9110 §8.8.3). It is made of the
// headers and the bytes, so that every process gives the same.
func (r *response) tag() {
	h := sha256.New()
	for _, f := range r.fields {
		// Writing to a hash never fails.
		_, _ = io.WriteString(h, f.name+":"+f.values[0]+"\n")
	}
	_, _ = h.Write(r.body)
	r.etag = `"` + hex.EncodeToString(h.Sum(nil)[:16]) + `"`
	r.add("Etag", r.etag)
}

// unlessKnown returns the response 304 when the request names the tag that the
// response has (RFC 9110 §13.1.2), else the response itself.
func (r *response) unlessKnown(h http.Header) *response {
	known := h["If-None-Match"]
	if len(known) == 0 || r.etag == "" {
		return r
	}
	if !hasTag(known, r.etag, false) {
		return r
	}
	return &response{status: http.StatusNotModified, fields: []field{isPrivate, isNotSniffed, {"Etag", []string{r.etag}}}}
}
