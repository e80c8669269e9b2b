// Package entries reads the lists that the interface writes as an object, whose
// members are named by ids, or as an array.
package entries

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"

	"github.com/shopapi/shopapi/internal/plain"
)

// An Entry is one item of a list.
type Entry struct {
	Key   string // its name in an object, cut to a length fit for messages; the index in an array
	Index bool   // Key is an index, and no id
	Value json.RawMessage
}

// ID is the id that an entry is named by, 0 when it is named by none.
func (e *Entry) ID() int64 {
	id, err := strconv.ParseInt(e.Key, 10, 64)
	if err != nil || e.Index || id < 1 || strconv.FormatInt(id, 10) != e.Key {
		return 0
	}
	return id
}

// ErrNoList is the error for JSON that is neither an object nor an array.
var ErrNoList = errors.New("must be an object or an array")

// ErrTooMany is the error for a list with more entries than are allowed.
var ErrTooMany = errors.New("has too many entries")

// Parse reads an object or an array. None at all, null and the empty text have no
// entries. It returns [ErrNoList].
func Parse(raw json.RawMessage) ([]Entry, error) { return ParseMost(raw, math.MaxInt) }

// ParseMost is Parse for a list of at most so many entries. It reads no more of a longer one,
// and returns [ErrTooMany].
func ParseMost(raw json.RawMessage, most int) ([]Entry, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	start, err := d.Token()
	switch {
	case err != nil:
		return nil, ErrNoList
	case start == nil || start == "":
		return nil, nil
	case start != json.Delim('{') && start != json.Delim('['):
		return nil, ErrNoList
	}
	var list []Entry
	for i := 0; d.More(); i++ {
		if i == most {
			return nil, ErrTooMany
		}
		e := Entry{Key: strconv.Itoa(i), Index: start == json.Delim('[')}
		if !e.Index {
			name, err := d.Token()
			if err != nil {
				return nil, ErrNoList
			}
			e.Key, _ = name.(string)
			e.Key = plain.Short(e.Key)
		}
		if err := d.Decode(&e.Value); err != nil {
			return nil, ErrNoList
		}
		list = append(list, e)
	}
	if _, err := d.Token(); err != nil {
		return nil, ErrNoList
	}
	return list, nil
}
