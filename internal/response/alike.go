package response

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/klauspost/compress/s2"
)

// Alike are responses that resemble each other, such as responses to the GET of an entity. A
// packed one is its difference to the first of them, and takes a tenth of the memory. The
// zero Alike has no responses yet. It may be used by several goroutines at once.
type Alike struct{ first atomic.Pointer[first] }

// first is the first response.
type first struct {
	contentType Field
	body        *s2.Dict
	length      int // of body
}

// maxAlike is the length of bodies that are packed as their difference to the first one, which
// takes 32 KiB more in memory for its index. Longer ones, mostly lists, have enough repetitions
// of their own, and are unpacked faster without it.
const maxAlike = 8 << 10

// tagBytes is the length of an ETag in a packed response.
const tagBytes = 16

// Pack appends a response with the usual headers to a buffer, in fewer bytes. Ok is false for others.
func (a *Alike) Pack(buffer []byte, r *Response) (packed []byte, ok bool) {
	f := a.firstOr(r)
	if f == nil || !f.resembles(r) {
		return buffer, false
	}
	var tag [tagBytes]byte
	if _, err := hex.Decode(tag[:], []byte(r.ETag[1:len(r.ETag)-1])); err != nil || quotedHex(tag[:]) != r.ETag {
		return buffer, false
	}
	buffer = append(buffer, tag[:]...)
	start := len(buffer)
	buffer = slices.Grow(buffer, s2.MaxEncodedLen(len(r.Body)))
	encode := f.body.Encode
	if len(r.Body) > maxAlike {
		encode = s2.Encode
	}
	body := encode(buffer[start:cap(buffer)], r.Body)
	return buffer[:start+len(body)], true
}

// firstOr returns the first response, which is r if there is none yet; nil where r is too short.
func (a *Alike) firstOr(r *Response) *first {
	if f := a.first.Load(); f != nil {
		return f
	}
	length := min(len(r.Body), maxAlike)
	body := s2.MakeDict(r.Body[:length], nil)
	if body == nil {
		return nil
	}
	a.first.CompareAndSwap(nil, &first{NewField("Content-Type", r.ContentType()), body, length})
	return a.first.Load()
}

// FirstLen is how many bytes of the first response the others are compared with, 0 before there is
// one.
func (a *Alike) FirstLen() int {
	if f := a.first.Load(); f != nil {
		return f.length
	}
	return 0
}

// resembles reports whether a response has the status, and the headers, of unpacked ones.
func (f *first) resembles(r *Response) bool {
	if r.Status != http.StatusOK || r.Stream != nil || len(r.Body) == 0 || len(r.Fields) != usualFields || len(r.ETag) != 2+2*tagBytes {
		return false
	}
	for i, want := range [usualFields]string{isPrivate.Values[0], isNotSniffed.Values[0], f.contentType.Values[0], strconv.Itoa(len(r.Body)), r.ETag} {
		if got := r.Fields[i]; got.Name != usualNames[i] || len(got.Values) != 1 || got.Values[0] != want {
			return false
		}
	}
	return true
}

// usualNames are the headers of the response to the GET of an object, in their order.
var usualNames = [usualFields]string{"Cache-Control", "X-Content-Type-Options", "Content-Type", "Content-Length", "Etag"}

// Unpack returns a packed response. Ok is false only if the bytes are damaged.
func (a *Alike) Unpack(packed []byte) (r *Response, ok bool) {
	f := a.first.Load()
	tag, body := packed[:tagBytes], packed[tagBytes:]
	length, err := s2.DecodedLen(body)
	if err != nil {
		return nil, false
	}
	decode := f.body.Decode
	if length > maxAlike {
		decode = s2.Decode
	}
	if body, err = decode(nil, body); err != nil {
		return nil, false
	}
	u := &unpacked{length: [1]string{strconv.Itoa(len(body))}, tag: [1]string{quotedHex(tag)}}
	u.fields = [usualFields]Field{isPrivate, isNotSniffed, f.contentType, {Name: "Content-Length", Values: u.length[:]}, {Name: "Etag", Values: u.tag[:]}}
	u.Response = Response{Status: http.StatusOK, Fields: u.fields[:], Body: body, ETag: u.tag[0]}
	return &u.Response, true
}

// unpacked is an unpacked response with its headers, all in one object.
type unpacked struct {
	Response
	fields      [usualFields]Field
	length, tag [1]string
}

// quotedHex returns bytes as [Response.Tag] writes them.
func quotedHex(b []byte) string {
	quoted := append(make([]byte, 0, 2+2*tagBytes), '"')
	return string(append(hex.AppendEncode(quoted, b), '"'))
}
