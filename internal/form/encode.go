package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/shopapi/shopapi/internal/jsonenc"
)

// FromJSON rewrites an encoded response as pairs (§4): the same tree as
// name[key]=value joined by &, percent-encoded. Null and empty arrays are empty
// values. Each pair repeats the path of its value, so pairs may be far longer than
// the JSON: the limit ends them.
func FromJSON(doc []byte, l *jsonenc.Limit) ([]byte, error) {
	w := pairWriter{json: json.NewDecoder(bytes.NewReader(doc)), limit: l}
	w.json.UseNumber()
	if err := w.value(); err != nil {
		return nil, err
	}
	return w.limit.Check(w.out)
}

// A pairWriter reads JSON and writes pairs.
type pairWriter struct {
	json  *json.Decoder
	out   []byte
	path  []byte // of the value that is next
	limit *jsonenc.Limit
}

// value writes the next value.
func (w *pairWriter) value() error {
	token, err := w.json.Token()
	if err != nil {
		return err
	}
	delim, nested := token.(json.Delim)
	if !nested {
		return w.pair(token)
	}
	here := len(w.path)
	if !w.json.More() && here > 0 {
		if err := w.pair(nil); err != nil {
			return err
		}
	}
	for i := 0; w.json.More(); i++ {
		key := strconv.Itoa(i)
		if delim == '{' {
			name, err := w.json.Token()
			if err != nil {
				return err
			}
			key = fmt.Sprint(name)
		}
		if here > 0 {
			w.path = append(percentEncode(append(w.path, '['), key), ']')
		} else {
			w.path = percentEncode(w.path, key)
		}
		if err := w.value(); err != nil {
			return err
		}
		w.path = w.path[:here]
	}
	_, err = w.json.Token()
	return err
}

// pair writes the path and a value, which is nil for none.
func (w *pairWriter) pair(value any) (err error) {
	var text string
	if value != nil {
		text = fmt.Sprint(value)
	}
	if w.out, err = w.limit.Grow(w.out, len(w.path)+len(text)+len("&=")); err != nil {
		return err
	}
	if len(w.out) > 0 {
		w.out = append(w.out, '&')
	}
	w.out = append(append(w.out, w.path...), '=')
	for rest := text; rest != ""; {
		part := rest[:min(len(rest), 16<<10)]
		rest = rest[len(part):]
		if w.out, err = w.limit.Check(percentEncode(w.out, part)); err != nil {
			return err
		}
	}
	return nil
}

const upperHex = "0123456789ABCDEF"

// percentEncode writes what RFC 3986 reserves, and all but ASCII, as %XX.
func percentEncode(dst []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_', c == '~':
			dst = append(dst, c)
		default:
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst
}
