package wire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/shopapi/shopapi/internal/jsontext"
)

// IsEmpty reports whether a value is empty: absent, null, the empty text, or an array
// or object without members. Clients write an empty list or map in any of these ways.
func IsEmpty(raw []byte) bool {
	text := string(bytes.TrimSpace(raw))
	return text == `""` || jsontext.IsEmpty(text)
}

// Compact returns a JSON value without white space, "" for an empty one. It is the
// stored form of values that the library keeps and does not interpret.
func Compact(raw []byte) (string, error) {
	if IsEmpty(raw) {
		return "", nil
	}
	var b bytes.Buffer
	err := json.Compact(&b, raw)
	return b.String(), err
}

// A Kind is the JSON type of a value.
type Kind byte

// The kinds of values. An absent value is null.
const (
	Null Kind = iota
	String
	Number
	Bool
	Composite // an array or an object
)

// Scalar returns the text of a string, a number or a boolean, and the kind of the
// value. The text of null, arrays and objects is empty. The value has to be valid JSON.
func Scalar(raw json.RawMessage) (text string, kind Kind) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "", Null
	}
	switch raw[0] {
	case 'n':
		return "", Null
	case '{', '[':
		return "", Composite
	case 't', 'f':
		return string(raw), Bool
	case '"':
		if inside := raw[1:max(1, len(raw)-1)]; isPlain(inside) {
			return string(inside), String
		}
		_ = json.Unmarshal(raw, &text) // the value is valid
		return text, String
	}
	return string(raw), Number
}

// isPlain reports whether the inside of a JSON string needs no decoding.
func isPlain(inside []byte) bool {
	for _, c := range inside {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Text returns the text of a single value, "" for null. It returns false for arrays and
// objects.
func Text(raw json.RawMessage) (text string, ok bool) {
	text, kind := Scalar(raw)
	return text, kind != Composite
}
