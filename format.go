package shopapi

import (
	"net/http"
	"strings"

	"github.com/shopapi/shopapi/internal/accept"
	"github.com/shopapi/shopapi/internal/form"
	"github.com/shopapi/shopapi/internal/jsonenc"
)

// A format is one that responses can be written in (§4).
type format uint8

const (
	formatJSON format = iota
	formatForm
)

// contentType is the Content-Type of a response.
func (f format) contentType() field {
	if f == formatForm {
		return isForm
	}
	return isJSON
}

// encode writes a value in the format, within what each limit that is made says.
// It is the one place where responses become bytes.
func (f format) encode(v any, limit func() *jsonenc.Limit) ([]byte, error) {
	body, err := marshalWithin(v, limit())
	if err != nil || f == formatJSON {
		return body, err
	}
	return form.FromJSON(body, limit())
}

// tooLarge is what a client is told whose list or object passes the limit of a
// response. An object as JSON is the last resort: it is told the limit.
func (f format) tooLarge(isList bool, most int64) error {
	switch {
	case isList && f == formatForm:
		return Errorf(http.StatusBadRequest, "The response would be larger than the %d bytes that are allowed. Ask for fewer items at once with items_per_page and page, or for application/json.", most)
	case isList:
		return Errorf(http.StatusBadRequest, "The response would be larger than the %d bytes that are allowed. Ask for fewer items at once with items_per_page and page.", most)
	case f == formatForm:
		return Errorf(http.StatusNotAcceptable, "As text/plain the object would be larger than the %d bytes that are allowed. Ask for application/json.", most)
	}
	return Errorf(http.StatusBadRequest, "The object is larger than the %d bytes that a response may have.", most)
}

// maxAccept is how long an Accept header may be, in bytes, to be acceptable.
const maxAccept = 8 << 10

// negotiate chooses the format by the Accept headers (§4, RFC 9110 §12.5.1):
// JSON when there is none. ok is false when neither format is acceptable.
func negotiate(h http.Header) (f format, ok bool) {
	header := ""
	for i, value := range h["Accept"] {
		if len(header)+len(value) > maxAccept {
			return formatJSON, false
		}
		if i > 0 {
			header += ","
		}
		header += value
	}
	if strings.TrimSpace(header) == "" || header == "application/json" {
		return formatJSON, true
	}
	json := accept.Quality(header, "application", "json")
	text := accept.Quality(header, "text", "plain")
	switch {
	case json <= 0 && text <= 0:
		return formatJSON, false
	case text > json:
		return formatForm, true
	}
	return formatJSON, true
}
