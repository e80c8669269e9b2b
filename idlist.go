package shopapi

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// An IDList is a list of ids that the interface writes as a text with commas,
// such as "0" or "1,2". It also reads arrays of ids.
type IDList string

// UnmarshalText reads a text with commas.
func (l *IDList) UnmarshalText(text []byte) error {
	return l.UnmarshalJSON(jsonString(string(text)))
}

// UnmarshalJSON reads an array of ids, a text with commas, or one number.
func (l *IDList) UnmarshalJSON(data []byte) error {
	if len(data) == 0 {
		return errNoIDList
	}
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
		for id := range strings.SplitSeq(text, ",") {
			if id = strings.TrimSpace(id); id == "" {
				continue
			}
			n, err := strconv.ParseInt(id, 10, 64)
			if err != nil || n < 0 {
				return errNoIDList
			}
			ids = append(ids, FormatID(n))
		}
	}
	*l = IDList(strings.Join(ids, ","))
	return nil
}

var errNoIDList = errors.New("must be whole numbers from 0 joined by commas, or an array of them")

// IDs returns the ids.
func (l IDList) IDs() []int64 {
	var ids []int64
	for text := range strings.SplitSeq(string(l), ",") {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// Without returns the list without some ids.
func (l IDList) Without(ids ...int64) IDList {
	var rest []string
	for _, id := range l.IDs() {
		if !slices.Contains(ids, id) {
			rest = append(rest, FormatID(id))
		}
	}
	return IDList(strings.Join(rest, ","))
}
