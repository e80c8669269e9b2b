package jsontext

import (
	"encoding/json"
	"unicode/utf8"
)

// Scalar returns the text of a JSON string or number, and "true" or "false" for
// booleans. ok is false for null, arrays and objects.
func Scalar(raw json.RawMessage) (text string, isString, ok bool) {
	switch raw[0] {
	case '"':
		if n := len(raw) - 1; n > 0 && raw[n] == '"' && isPlain(raw[1:n]) {
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

// isPlain reports whether the inside of a JSON string is the text itself.
func isPlain(inside []byte) bool {
	for _, c := range inside {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
