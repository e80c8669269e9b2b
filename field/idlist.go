package field

import (
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/wire"
)

// An IDList is a list of ids that the interface writes as a text with commas,
// such as "0" or "1,2". It also reads arrays of ids, and objects of them with numbers as
// names.
type IDList string

// UnmarshalText reads a text with commas.
func (l *IDList) UnmarshalText(text []byte) error {
	if wire.IsIDs(text) {
		*l = IDList(text)
		return nil
	}
	return l.UnmarshalJSON(jsonenc.AppendString(nil, string(text)))
}

// UnmarshalJSON reads an array of ids, an object of them with numbers as names, a text with
// commas, or one number.
func (l *IDList) UnmarshalJSON(data []byte) error {
	ids, err := wire.ParseIDs(data)
	if err == nil {
		*l = IDList(ids)
	}
	return err
}

// IDs returns the ids.
func (l IDList) IDs() []int64 {
	var ids []int64
	for text := range strings.SplitSeq(string(l), ",") {
		if text == "" {
			continue // which ParseInt would make an error of
		}
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
			rest = append(rest, strconv.FormatInt(id, 10))
		}
	}
	return IDList(strings.Join(rest, ","))
}
