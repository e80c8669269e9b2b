package shopapi

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/shopapi/shopapi/internal/form"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/jsontext"
)

// A Payload is the body of POST and PUT, from JSON or a form (§4).
type Payload struct {
	fields map[string]json.RawMessage
	sum    [sha256.Size]byte // of the body, where the request has an Idempotency-Key
}

// Has reports whether the body has the field, be it null.
func (p *Payload) Has(field string) bool {
	if p == nil {
		return false
	}
	_, ok := p.fields[field]
	return ok
}

// Raw returns a field as JSON, nil when the body lacks it. Fields of a form are
// JSON strings, and nested ones objects or arrays of them.
func (p *Payload) Raw(field string) json.RawMessage {
	if p == nil {
		return nil
	}
	return p.fields[field]
}

// NewPayload returns the payload that a JSON object, or any value that encodes as
// one, would be. It is how Go code calls what a request would. It fails when v is
// no object.
func NewPayload(v any) (*Payload, error) {
	data, err := marshal(v)
	if err != nil {
		return nil, err
	}
	return parseJSON(data)
}

// readPayload is the body check: 415, 413, 400, 405 (§2).
func (p *pipeline) readPayload(t *target) (*Payload, error) {
	parse, err := parserFor(p.req.Header)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(p.w, p.req.Body, p.api.opts.Limits.Body))
	p.bodyRead = true
	if err != nil {
		var tooLarge *http.MaxBytesError
		p.bodyRead = !errors.As(err, &tooLarge) // else nothing more will come
		return nil, readError(err)
	}
	if !isText(string(body)) {
		return nil, Errorf(http.StatusBadRequest, "The body is not valid UTF-8, or holds a NUL character.")
	}
	payload, err := parse(body)
	if err != nil {
		return nil, err
	}
	if p.req.Header["Idempotency-Key"] != nil {
		payload.sum = sha256.Sum256(body)
	}
	if len(payload.fields) == 0 && t.op != OpAction {
		return nil, t.notAllowed("The payload is empty. Send the fields of the object.")
	}
	return payload, nil
}

// readError tells a client that sent too much from one that sent too slowly or
// went away.
func readError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return &Error{Status: http.StatusRequestTimeout, Message: "The body did not arrive in time.", cause: err}
	}
	return &Error{Status: http.StatusBadRequest, Message: "The body could not be read to its end.", cause: err}
}

// parserFor chooses by Content-type (§4).
func parserFor(h http.Header) (func([]byte) (*Payload, error), error) {
	contentType := h.Get("Content-Type")
	if strings.TrimSpace(contentType) == "" {
		return parseForm, nil
	}
	media, params, err := mime.ParseMediaType(contentType)
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, Errorf(http.StatusUnsupportedMediaType, "The charset %s is not supported: the body must be UTF-8.", quoted(charset))
	}
	switch {
	case err != nil:
	case media == "application/json" || media == "text/json":
		return parseJSON, nil
	case media == "text/plain" || media == "application/x-www-form-urlencoded":
		return parseForm, nil
	}
	return nil, Errorf(http.StatusUnsupportedMediaType,
		"The Content-Type %s is not supported. Supported: application/json, text/json, text/plain, application/x-www-form-urlencoded.", quoted(contentType))
}

// parseForm reads a form body (§4).
func parseForm(body []byte) (*Payload, error) {
	fields, err := form.Parse(body)
	var wrong *form.Error
	switch {
	case !errors.As(err, &wrong):
		return &Payload{fields: fields}, err
	case !wrong.OfField:
		return nil, &Error{Status: http.StatusBadRequest, Message: wrong.Message}
	}
	return nil, Invalid(wrong.Field, "%s", wrong.Message)
}

// parseJSON reads a JSON object. The empty body, null and the empty array are
// empty objects.
func parseJSON(body []byte) (*Payload, error) {
	if jsontext.IsEmpty(strings.TrimSpace(string(body))) {
		return &Payload{}, nil
	}
	if err := jsontext.Check(body); err != nil {
		return nil, &Error{Status: http.StatusBadRequest, Message: err.Error()}
	}
	p := &Payload{}
	if err := json.Unmarshal(body, &p.fields); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, Errorf(http.StatusBadRequest, "The body is not valid JSON: %s at byte %d.", syntax.Error(), syntax.Offset)
		}
		return nil, Errorf(http.StatusBadRequest, "The body must be a JSON object of fields.")
	}
	return p, nil
}

// scalarText returns the text of a JSON string or number, "true" and "false" for
// booleans. ok is false for null, arrays and objects.
func scalarText(raw json.RawMessage) (text string, isString, ok bool) {
	switch raw[0] {
	case '"':
		if n := len(raw) - 1; n > 0 && raw[n] == '"' && isPlainText(raw[1:n]) {
			return string(raw[1:n]), true, true
		}
		if err := json.Unmarshal(raw, &text); err != nil {
			return "", false, false
		}
		return text, true, true
	case '{', '[', 'n':
		return "", false, false
	}
	return string(raw), false, true
}

// isPlainText reports whether the inside of a JSON string is the text itself.
func isPlainText(inside []byte) bool {
	for _, c := range inside {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func jsonString(s string) json.RawMessage { return jsonenc.AppendString(nil, s) }
