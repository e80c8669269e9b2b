// Package format has the output formats of responses, and chooses one for a request (§4).
package format

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/shopapi/shopapi/internal/accept"
	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/form"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/response"
)

// A Format is an output format of responses.
type Format uint8

// The formats.
const (
	JSON Format = iota
	Form
)

// The types of bodies.
var (
	isJSON    = response.NewField("Content-Type", "application/json")
	isProblem = response.NewField("Content-Type", accept.ProblemType)
	isForm    = response.NewField("Content-Type", "text/plain; charset=utf-8")
	isHTML    = response.NewField("Content-Type", "text/html; charset=utf-8")
)

// contentType is the Content-Type of a response.
func (f Format) contentType() response.Field {
	if f == Form {
		return isForm
	}
	return isJSON
}

// encode writes a value in the format, within each limit that limit creates. It is the
// one place where responses become bytes.
func (f Format) encode(v any, limit func() *jsonenc.Limit) ([]byte, error) {
	body, err := jsonenc.Marshal(v, limit())
	if err != nil || f == JSON {
		return body, err
	}
	return form.FromJSON(body, limit())
}

// Respond returns a response of any size: the response to a committed change must not
// fail.
func (f Format) Respond(status int, v any) (*response.Response, error) {
	body, err := f.encode(v, jsonenc.Unlimited)
	return response.New(status, f.contentType(), body), err
}

// RespondWithin returns the response to a GET of a list or an object, within most bytes and
// the time of ctx.
func (f Format) RespondWithin(ctx context.Context, most int64, isList bool, v any) (*response.Response, error) {
	body, err := f.encode(v, func() *jsonenc.Limit { return jsonenc.Within(ctx, most) })
	if errors.Is(err, jsonenc.ErrTooLarge) {
		return nil, f.tooLarge(isList, most)
	}
	return response.New(http.StatusOK, f.contentType(), body), err
}

// tooLarge is the error for a list or object above the limit of a response. No
// format is smaller than JSON for an object: the error names the limit.
func (f Format) tooLarge(isList bool, most int64) error {
	switch {
	case isList && f == Form:
		return clienterror.Errorf(http.StatusBadRequest, "The response would be larger than the %d bytes that are allowed. Ask for fewer items at once with items_per_page and page, or for application/json.", most)
	case isList:
		return clienterror.Errorf(http.StatusBadRequest, "The response would be larger than the %d bytes that are allowed. Ask for fewer items at once with items_per_page and page.", most)
	case f == Form:
		return clienterror.Errorf(http.StatusNotAcceptable, "As text/plain the object would be larger than the %d bytes that are allowed. Ask for application/json.", most)
	}
	return clienterror.Errorf(http.StatusBadRequest, "The object is larger than the %d bytes that a response may have.", most)
}

// negotiate chooses the format by the Accept headers (§4, RFC 9110 §12.5.1):
// JSON when there is none. ok is false when neither format is acceptable.
func negotiate(h http.Header) (f Format, ok bool) {
	text, ok := accept.PrefersText(h)
	if text {
		return Form, ok
	}
	return JSON, ok
}

// Choose returns the format, or the one of further media types, that a client prefers, or a
// 406. The media type is "" for a format.
func Choose(h http.Header, mediaTypes []string) (f Format, mediaType string, err error) {
	f, ok := negotiate(h)
	header := strings.Join(h["Accept"], ",")
	if header == "" || len(header) > accept.Max {
		mediaTypes = nil
	}
	if len(mediaTypes) > 0 {
		mediaType = accept.Prefer(header, ok, mediaTypes)
	}
	if mediaType == "" && !ok {
		available := strings.Join(append([]string{"application/json", "text/plain"}, mediaTypes...), ", ")
		return f, "", clienterror.Errorf(http.StatusNotAcceptable, "The formats in Accept cannot be produced. Available: %s.", available)
	}
	return f, mediaType, nil
}
