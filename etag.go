package shopapi

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"net/http"
	"sync"
)

// tag gives a response to GET an entity tag, by which a client that has
// it already can ask for it only if it changed (RFC 9110 §8.8.3). It is made of the
// headers and the bytes, so that every process gives the same.
func (r *response) tag() {
	t := taggers.Get().(*tagger)
	defer taggers.Put(t)
	t.hash.Reset()
	b := t.buffer[:0]
	for _, f := range r.fields {
		b = append(append(append(append(b, f.name...), ':'), f.values[0]...), '\n')
	}
	_, _ = t.hash.Write(b) // writing to a hash never fails
	_, _ = t.hash.Write(r.body)
	b = t.hash.Sum(b[:0])
	t.buffer = hex.AppendEncode(append(b, '"'), b[:16])
	r.etag = string(append(t.buffer[len(b):], '"'))
	r.add("Etag", r.etag)
}

// A tagger is what making entity tags takes.
type tagger struct {
	hash   hash.Hash
	buffer []byte
}

var taggers = sync.Pool{New: func() any { return &tagger{hash: sha256.New()} }}

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
