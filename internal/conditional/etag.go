// Package conditional has entity tags and the preconditions of requests (RFC 9110 §8.8.3
// and §13.1).
package conditional

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strings"
	"sync"

	"github.com/shopapi/shopapi/internal/accept"
)

// A Field is a header of a response. Values are shared between requests.
type Field struct {
	Name   string
	Values []string
}

// Tag returns the entity tag of a response: a hash of its headers and its body, so that
// every process computes the same.
func Tag(fields []Field, body []byte) string {
	t := taggers.Get().(*tagger)
	defer taggers.Put(t)
	t.hash.Reset()
	b := t.buffer[:0]
	for _, f := range fields {
		b = append(append(append(append(b, f.Name...), ':'), f.Values[0]...), '\n')
	}
	_, _ = t.hash.Write(b) // writing to a hash never fails
	_, _ = t.hash.Write(body)
	b = t.hash.Sum(b[:0])
	t.buffer = hex.AppendEncode(append(b, '"'), b[:16])
	return string(append(t.buffer[len(b):], '"'))
}

// A tagger has the hash and the buffer for a tag.
type tagger struct {
	hash   hash.Hash
	buffer []byte
}

var taggers = sync.Pool{New: func() any { return &tagger{hash: sha256.New()} }}

// Precondition has the values of the headers If-Match and If-None-Match.
type Precondition struct{ Match, NoneMatch []string }

// IsZero reports whether the request has no precondition.
func (p Precondition) IsZero() bool { return len(p.Match) == 0 && len(p.NoneMatch) == 0 }

// FailsMatch reports whether If-Match is sent and does not list the tag of the object.
// An object that does not exist fails every If-Match.
func (p Precondition) FailsMatch(tag string, exists bool) bool {
	return len(p.Match) > 0 && (!exists || !lists(p.Match, tag, true))
}

// FailsNoneMatch reports whether If-None-Match lists the tag of the object.
func (p Precondition) FailsNoneMatch(tag string, exists bool) bool {
	return exists && NotModified(p.NoneMatch, tag)
}

// NotModified reports whether If-None-Match lists the tag, so that a GET gets a 304.
func NotModified(noneMatch []string, tag string) bool {
	return len(noneMatch) > 0 && lists(noneMatch, tag, false)
}

// lists reports whether a header's list of entity tags is * or contains the tag, in any
// coding. Strong comparison does not accept weak tags.
func lists(header []string, tag string, strong bool) bool {
	return slices.ContainsFunc(accept.Split(strings.Join(header, ","), ','), func(element string) bool {
		element = strings.TrimSpace(element)
		if !strong {
			element = strings.TrimPrefix(element, "W/")
		}
		return element == tag || element == "*" || object(element) == object(tag)
	})
}

// WithCoding returns the tag of a response in a content coding.
func WithCoding(tag, coding string) string {
	return strings.TrimSuffix(tag, `"`) + "-" + coding + `"`
}

// object returns what the tags of a response in all codings have in common.
func object(tag string) string {
	tag = strings.TrimSuffix(tag, `"`)
	for _, coding := range []string{"-gzip", "-zstd"} {
		if rest, ok := strings.CutSuffix(tag, coding); ok {
			return rest
		}
	}
	return tag
}
