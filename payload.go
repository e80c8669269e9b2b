package shopapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"
)

// A Payload is the body of POST and PUT, from JSON or a form (§4).
type Payload struct {
	fields map[string]json.RawMessage
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

// readPayload is the body check of the road: 415, 413, 400, 405 (§2).
func (a *API) readPayload(w http.ResponseWriter, req *http.Request, t *target) (*Payload, error) {
	parse, err := parserFor(req.Header)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, a.opts.Limits.Body))
	if err != nil {
		return nil, readError(err)
	}
	if !isText(string(body)) {
		return nil, Errorf(http.StatusBadRequest, "The body is not valid UTF-8, or holds a NUL character.")
	}
	p, err := parse(body)
	if err != nil {
		return nil, err
	}
	if len(p.fields) == 0 {
		return nil, t.notAllowed("The payload is empty. Send the fields of the object.")
	}
	return p, nil
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

// maxDepth is how deep a JSON body may nest.
const maxDepth = 100

// parseJSON reads a JSON object. The empty body, null and the empty array are
// empty objects.
func parseJSON(body []byte) (*Payload, error) {
	if isEmptyPayload(strings.TrimSpace(string(body))) {
		return &Payload{}, nil
	}
	if err := checkJSONText(body); err != nil {
		return nil, err
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

// isEmptyPayload reports whether a body, without the space around it, holds
// nothing (§4).
func isEmptyPayload(text string) bool {
	switch {
	case text == "" || text == "null":
		return true
	case text[0] == '[' && text[len(text)-1] == ']', text[0] == '{' && text[len(text)-1] == '}':
		return strings.TrimSpace(text[1:len(text)-1]) == ""
	}
	return false
}

// checkJSONText refuses what encoding/json would let pass or change: nesting
// beyond reason, escaped NUL characters, and half surrogate pairs, which it would
// replace.
func checkJSONText(body []byte) error {
	depth, inString := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			size, err := checkEscape(body[i:])
			if err != nil {
				return err
			}
			i += size - 1
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return Errorf(http.StatusBadRequest, "The body is nested more than %d levels deep.", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// checkEscape reads one escape sequence, two for a surrogate pair, and returns
// its length. Malformed ones are left to the JSON parser.
func checkEscape(s []byte) (int, error) {
	unit, ok := unicodeEscape(s)
	switch {
	case !ok:
		return min(2, len(s)), nil
	case unit == 0:
		return 0, Errorf(http.StatusBadRequest, "The body holds a NUL character, which no field may have.")
	case unit < 0xD800 || unit > 0xDFFF:
		return 6, nil
	}
	if low, ok := unicodeEscape(s[6:]); ok && unit < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF {
		return 12, nil
	}
	return 0, Errorf(http.StatusBadRequest, "The body holds half of a surrogate pair, which is no character.")
}

func unicodeEscape(s []byte) (uint16, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var unit uint16
	for _, c := range s[2:6] {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 {
			return 0, false
		}
		unit = unit<<4 | uint16(d)
	}
	return unit, true
}

// isText reports whether s is valid UTF-8 without NUL characters.
func isText(s string) bool {
	return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
}

// scalarText returns the text of a JSON string or number, "true" and "false" for
// booleans. ok is false for null, arrays and objects.
func scalarText(raw json.RawMessage) (text string, isString, ok bool) {
	switch raw[0] {
	case '"':
		if err := json.Unmarshal(raw, &text); err != nil {
			return "", false, false
		}
		return text, true, true
	case '{', '[', 'n':
		return "", false, false
	}
	return string(raw), false, true
}

func jsonString(s string) json.RawMessage {
	b, err := marshal(s)
	if err != nil { // a string always encodes
		panic(fmt.Sprintf("shopapi: encoding %q: %v", s, err))
	}
	return b
}
