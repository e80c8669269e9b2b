// Package body reads the bodies of requests, and parses JSON and forms into fields (§4).
package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/form"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/plain"
)

// Fields are the members of a body as JSON. The fields of a form are JSON strings, and
// nested ones objects or arrays of them.
type Fields = map[string]json.RawMessage

// A Parser parses a body. Its error is a 400 [*clienterror.Error].
type Parser func(body []byte) (Fields, error)

// ParserFor returns the parser for a Content-Type: forms where it is empty. The error
// is a 415 [*clienterror.Error].
func ParserFor(contentType string) (Parser, error) {
	if strings.TrimSpace(contentType) == "" {
		return parseForm, nil
	}
	media, params, err := mime.ParseMediaType(contentType)
	if err := CheckCharset(params); err != nil {
		return nil, err
	}
	switch {
	case err != nil:
	case isJSON(media):
		return JSON, nil
	case media == "text/plain" || media == "application/x-www-form-urlencoded":
		return parseForm, nil
	}
	return nil, unsupported("The Content-Type %s is not supported. Supported: application/json, text/json, text/plain, application/x-www-form-urlencoded.", plain.Quoted(contentType))
}

// JSONOnly returns a 415 [*clienterror.Error] for a Content-Type other than JSON.
func JSONOnly(contentType string) error {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || !isJSON(media) {
		return unsupported("The Content-Type must be application/json.")
	}
	return CheckCharset(params)
}

// CheckCharset returns a 415 [*clienterror.Error] for the parameters of a Content-Type that name another
// charset than UTF-8, which many programs spell utf8.
func CheckCharset(params map[string]string) error {
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "utf8") {
		return unsupported("The charset %s is not supported: the body must be UTF-8.", plain.Quoted(charset))
	}
	return nil
}

func isJSON(media string) bool { return media == "application/json" || media == "text/json" }

func unsupported(format string, args ...any) error {
	return clienterror.Errorf(http.StatusUnsupportedMediaType, format, args...)
}

func malformed(format string, args ...any) error {
	return clienterror.Errorf(http.StatusBadRequest, format, args...)
}

// parseForm parses a form.
func parseForm(body []byte) (Fields, error) {
	fields, err := form.Parse(body)
	if wrong, ok := errors.AsType[*form.Error](err); ok {
		return nil, &clienterror.Error{Status: http.StatusBadRequest, OfField: wrong.OfField, Field: wrong.Field, Message: wrong.Message}
	}
	return fields, err
}

// JSON parses a JSON object. The empty body, null and the empty array are empty
// objects.
func JSON(body []byte) (Fields, error) {
	if jsontext.IsEmpty(strings.TrimSpace(string(body))) {
		return nil, nil
	}
	if !isText(body) {
		return nil, wrongBytes(body)
	}
	if err := jsontext.Check(body); err != nil {
		return nil, wrongText(body, err)
	}
	object := bytes.Trim(body, " \t\r\n")
	if object[0] == '{' && json.Valid(object) {
		fields := Fields{}
		jsontext.Members(bytes.Clone(object), func(name, value []byte) {
			fields[jsontext.Name(name)] = value[:len(value):len(value)]
		})
		return fields, nil
	}
	var fields Fields
	if err := json.Unmarshal(body, &fields); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, malformed("The body is not valid JSON: %s at byte %d.", syntax.Error(), syntax.Offset)
		}
		return nil, malformed("The body must be a JSON object of fields.")
	}
	return fields, nil
}

// isText reports whether a body is valid UTF-8 without NUL characters.
func isText(body []byte) bool { return utf8.Valid(body) && bytes.IndexByte(body, 0) < 0 }

// wrongBytes returns the error of a body that is not [isText]. If the body is an object otherwise, the
// error names the first field with wrong bytes in its value.
func wrongBytes(body []byte) *clienterror.Error {
	wrong := &clienterror.Error{Status: http.StatusBadRequest, Message: "The body is not valid UTF-8, or holds a NUL character."}
	// A byte that is not UTF-8 is valid within a JSON text of package json, a NUL is not.
	object := bytes.ReplaceAll(bytes.Trim(body, " \t\r\n"), []byte{0}, []byte{0xFF})
	if object[0] != '{' || jsontext.Check(object) != nil || !json.Valid(object) {
		return wrong
	}
	jsontext.Members(object, func(name, value []byte) {
		if !wrong.OfField && utf8.Valid(name) && !utf8.Valid(value) {
			wrong.OfField, wrong.Field, wrong.Message = true, plain.Short(jsontext.Name(name)), form.WrongBytes
		}
	})
	return wrong
}

// wrongText returns the error of a body that [jsontext.Check] refuses. If the body is an object with a
// forbidden character in a text, the error names the field.
func wrongText(body []byte, err error) *clienterror.Error {
	wrong := &clienterror.Error{Status: http.StatusBadRequest, Message: err.Error()}
	object := bytes.Trim(body, " \t\r\n")
	if err != jsontext.ErrNUL && err != jsontext.ErrHalfPair || object[0] != '{' || !json.Valid(object) {
		return wrong
	}
	jsontext.Members(object, func(name, value []byte) {
		switch quoted := append(append([]byte{'"'}, name...), '"'); {
		case wrong.OfField, jsontext.Check(quoted) != nil:
		case jsontext.Check(value) == jsontext.ErrNUL:
			wrong.OfField, wrong.Field, wrong.Message = true, jsontext.Name(name), "must not have NUL characters"
		case jsontext.Check(value) == jsontext.ErrHalfPair:
			wrong.OfField, wrong.Field, wrong.Message = true, jsontext.Name(name), "must not have half of a surrogate pair"
		}
	})
	return wrong
}
