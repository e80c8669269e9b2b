package wire

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/internal/jsontext"
)

// IsIDs reports whether a text is a list of ids in its one written form: numbers without
// leading zeros, joined by commas. It is false for ids that may be too large.
func IsIDs(text []byte) bool {
	const most = 18 // digits that an int64 always holds
	digits, zero := 0, false
	for i, c := range text {
		switch {
		case '0' <= c && c <= '9':
			if digits++; digits > most || zero {
				return false
			}
			zero = digits == 1 && c == '0'
		case c == ',' && digits > 0 && i+1 < len(text):
			digits, zero = 0, false
		default:
			return false
		}
	}
	return true
}

// ParseIDs reads a list of ids from an array of ids, an object of them with numbers as names,
// a text with commas, or one number, and returns it in its one written form.
func ParseIDs(data []byte) (string, error) {
	if len(data) == 0 {
		return "", errNoIDs
	}
	var items []json.RawMessage
	if data[0] == '{' {
		var ok bool
		if items, ok = Numbered(data); !ok || len(items) == 0 {
			return "", errNoIDs
		}
	} else if err := json.Unmarshal(data, &items); err != nil {
		items = []json.RawMessage{data}
	}
	var ids []string
	for _, item := range items {
		text, _, ok := jsontext.Scalar(item)
		if !ok {
			return "", errNoIDs
		}
		for id := range strings.SplitSeq(text, ",") {
			if id = strings.TrimSpace(id); id == "" {
				continue
			}
			n, ok := ParseWhole(strings.TrimPrefix(id, "+"))
			if !ok || n < 0 {
				return "", errNoIDs
			}
			ids = append(ids, strconv.FormatInt(n, 10))
		}
	}
	return strings.Join(ids, ","), nil
}

var errNoIDs = errors.New("must be whole numbers from 0 joined by commas, or an array of them")
