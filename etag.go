package shopapi

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
)

// tag gives an answer to GET an entity tag, by which a client that has the answer
// already can ask for it only if it changed (RFC 9110 §8.8.3). It is made of the
// headers and the bytes, so that every process gives the same.
func (a *answer) tag() {
	h := sha256.New()
	for _, f := range a.fields {
		// Writing to a hash never fails.
		_, _ = io.WriteString(h, f.name+":"+f.values[0]+"\n")
	}
	_, _ = h.Write(a.body)
	a.etag = `"` + hex.EncodeToString(h.Sum(nil)[:16]) + `"`
	a.add("Etag", a.etag)
}

// unlessKnown returns the answer 304 when the request names the tag that the
// answer has (RFC 9110 §13.1.2), else the answer itself.
func (a *answer) unlessKnown(h http.Header) *answer {
	known := h["If-None-Match"]
	if len(known) == 0 || a.etag == "" {
		return a
	}
	for _, element := range splitUnquoted(strings.Join(known, ","), ',') {
		element = strings.TrimPrefix(strings.TrimSpace(element), "W/")
		if element == a.etag || element == "*" {
			return &answer{status: http.StatusNotModified, fields: []field{isPrivate, isNotSniffed, {"Etag", []string{a.etag}}}}
		}
	}
	return a
}
