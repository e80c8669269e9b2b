package wire

import (
	"encoding/json"
	"strings"
)

// Texts reads a list of texts: an array, a text that joins them by commas, or an object,
// as forms send lists. Null and the empty text are empty lists.
func Texts(raw json.RawMessage) (list []string, ok bool) {
	var items []*string
	var text string
	switch {
	case json.Unmarshal(raw, &items) == nil:
	case json.Unmarshal(raw, &text) == nil:
		return strings.Split(text, ","), true
	default:
		members, err := Members(raw)
		if err != nil {
			return nil, false
		}
		items = make([]*string, len(members))
		for i, m := range members {
			if json.Unmarshal(m.Value, &items[i]) != nil {
				return nil, false
			}
		}
	}
	for _, item := range items {
		if item == nil {
			return nil, false
		}
		list = append(list, *item)
	}
	return list, true
}
