package sqlite

import (
	"strconv"

	"github.com/shopapi/shopapi/store"
)

// listValue returns the JSON array by which a list is bound to one parameter,
// so that the engine's limit of parameters does not limit lists.
func listValue(list []store.Value) store.Value {
	b := make([]byte, 0, 16*len(list)+2)
	for _, v := range list {
		b = append(b, ',')
		if v.IsText() {
			b = appendJSON(b, v.Text())
		} else {
			b = strconv.AppendInt(b, v.Int(), 10)
		}
	}
	b[0] = '[' // a list is never empty
	return store.String(string(append(b, ']')))
}

// appendJSON appends a text as a JSON string.
func appendJSON(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
