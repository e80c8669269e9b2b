package wire

import (
	"encoding/json"
	"strings"
)

// Texts reads a list of texts: an array, a text that joins them by commas, or an object,
// as forms send lists. Null and the empty text are empty lists.
func Texts(raw json.RawMessage) (list []string, ok bool) {
	var text string
	if json.Unmarshal(raw, &list) == nil {
		return list, true
	}
	if json.Unmarshal(raw, &text) == nil {
		return strings.Split(text, ","), true
	}
	members, err := Members(raw)
	if err != nil {
		return nil, false
	}
	list = make([]string, len(members))
	for i, m := range members {
		if json.Unmarshal(m.Value, &list[i]) != nil {
			return nil, false
		}
	}
	return list, true
}
