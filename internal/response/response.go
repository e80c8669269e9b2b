// Package response has complete responses: status, headers and body. A response may be
// cached and sent again, so that it does not change once it is complete.
package response

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/internal/compress"
	"github.com/shopapi/shopapi/internal/conditional"
)

// A Response is ready to be sent.
type Response struct {
	Status int
	Fields []Field
	Body   []byte
	ETag   string                // of responses to GET
	Stream func(io.Writer) error // writes the body in place of Body; nil for none
}

// A Field is one header of a response.
type Field = conditional.Field

// NewField returns a header.
func NewField(name, value string) Field { return Field{Name: name, Values: []string{value}} }

// The headers of every response.
var (
	isPrivate    = NewField("Cache-Control", "private, no-cache")
	isNotSniffed = NewField("X-Content-Type-Options", "nosniff")
)

// usualFields is how many headers the response to the GET of an object has.
const usualFields = 5

// New returns a response with a body.
func New(status int, contentType Field, body []byte) *Response {
	length := NewField("Content-Length", strconv.Itoa(len(body)))
	fields := append(make([]Field, 0, usualFields), isPrivate, isNotSniffed, contentType, length)
	return &Response{Status: status, Body: body, Fields: fields}
}

// Empty returns a response without a body, to which headers may be added.
func Empty(status int) *Response {
	return &Response{Status: status, Fields: []Field{isPrivate, isNotSniffed}}
}

// NoContent is the response to DELETE.
var NoContent = Empty(http.StatusNoContent)

// Add adds a header.
func (r *Response) Add(name, value string) { r.Fields = append(r.Fields, NewField(name, value)) }

// Replace sets headers, in place of those with the same names, and sorts all by name.
func (r *Response) Replace(h http.Header) {
	for name, values := range h {
		r.Fields = slices.DeleteFunc(r.Fields, func(f Field) bool { return f.Name == name })
		r.Fields = append(r.Fields, Field{Name: name, Values: values})
	}
	slices.SortStableFunc(r.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
}

// ContentType returns the Content-Type of the body, "" where there is none.
func (r *Response) ContentType() string {
	for _, f := range r.Fields {
		if f.Name == "Content-Type" {
			return f.Values[0]
		}
	}
	return ""
}

// Tag gives a response to GET its ETag (RFC 9110 §8.8.3).
func (r *Response) Tag() {
	r.ETag = conditional.Tag(r.Fields, r.Body)
	r.Add("Etag", r.ETag)
}

// UnlessKnown returns the response 304 when the client has the response already (RFC
// 9110 §13.1.2), else the response itself.
func (r *Response) UnlessKnown(h http.Header) *Response {
	if r.ETag == "" || !conditional.NotModified(h["If-None-Match"], r.ETag) {
		return r
	}
	known := Empty(http.StatusNotModified)
	known.Add("Etag", r.ETag)
	return known
}

// Size is the number of bytes that the response takes in a cache.
func (r *Response) Size() int64 {
	const perResponse, perField, perText = 384, 40, 16 // names of headers are shared
	size := perResponse + cap(r.Body)
	for _, f := range r.Fields {
		size += perField
		for _, v := range f.Values {
			size += perText + len(v)
		}
	}
	return int64(size)
}

// Compressed returns a response to GET or HEAD in the coding that was chosen (E10).
func (r *Response) Compressed(c compress.Choice) *Response {
	if c.Coding == compress.Identity || r.Status != http.StatusOK || r.Stream != nil || len(r.Body) <= compress.MinSize && !c.Required {
		return r
	}
	body := c.Coding.Compress(r.Body)
	if len(body) >= len(r.Body) && !c.Required {
		return r
	}
	coded := &Response{Status: r.Status, Body: body}
	coded.Fields = append(make([]Field, 0, len(r.Fields)+1), NewField("Content-Encoding", string(c.Coding)))
	for _, f := range r.Fields {
		switch f.Name {
		case "Content-Length":
			f = NewField(f.Name, strconv.Itoa(len(body)))
		case "Etag":
			coded.ETag = conditional.WithCoding(r.ETag, string(c.Coding))
			f = NewField(f.Name, coded.ETag)
		}
		coded.Fields = append(coded.Fields, f)
	}
	return coded
}

// Variant distinguishes responses in a cache by how they are coded.
func Variant(c compress.Choice) string {
	if c.Required { // short responses are compressed too
		return string(c.Coding) + "!"
	}
	return string(c.Coding)
}
