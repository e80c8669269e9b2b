package shopapi

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// An IDList is a list of ids that the interface writes as a text with commas,
// such as "0" or "1,2". It also reads arrays of ids.
type IDList string

// UnmarshalText reads a text with commas or, from JSON, an array, a text or a
// number.
func (l *IDList) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if strings.HasPrefix(s, "[") || strings.HasPrefix(s, `"`) {
		return l.UnmarshalJSON(text)
	}
	return l.set(strings.Split(s, ","))
}

// UnmarshalJSON reads an array of ids, a text with commas, or one number.
func (l *IDList) UnmarshalJSON(data []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		items = []json.RawMessage{data}
	}
	var ids []string
	for _, item := range items {
		text, _, ok := scalarText(item)
		if !ok {
			return errNoIDList
		}
		ids = append(ids, strings.Split(text, ",")...)
	}
	return l.set(ids)
}

var errNoIDList = errors.New("must be whole numbers from 0 joined by commas, or an array of them")

func (l *IDList) set(ids []string) error {
	kept := ids[:0]
	for _, id := range ids {
		if id = strings.TrimSpace(id); id == "" {
			continue
		}
		if n, err := strconv.ParseInt(id, 10, 64); err != nil || n < 0 {
			return errNoIDList
		}
		kept = append(kept, id)
	}
	*l = IDList(strings.Join(kept, ","))
	return nil
}
