package shopapi

import (
	"net/http"
	"strings"

	"github.com/shopapi/shopapi/internal/accept"
	"github.com/shopapi/shopapi/internal/form"
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

// encode writes a value in the format. It is the one place where responses become
// bytes.
func (f format) encode(v any) ([]byte, error) {
	body, err := marshal(v)
	if err != nil || f == formatJSON {
		return body, err
	}
	return form.FromJSON(body)
}

// negotiate chooses the format by the Accept headers (§4, RFC 9110 §12.5.1):
// JSON when there is none. ok is false when neither format is acceptable.
func negotiate(h http.Header) (f format, ok bool) {
	header := strings.Join(h["Accept"], ",")
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
