package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// A Member is a name and a value of an object.
type Member struct {
	Name  string
	Value json.RawMessage
}

var errNoObject = errors.New("must be an object")

// Members returns the members of an object in the order in which they were written.
func Members(raw json.RawMessage) ([]Member, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, errNoObject
	}
	var list []Member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, errNoObject
		}
		m := Member{Name: name.(string)} // encoding/json takes no other names
		if err := d.Decode(&m.Value); err != nil {
			return nil, errNoObject
		}
		list = append(list, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, errNoObject
	}
	return list, nil
}

// Numbered returns the values of an object with numbers as names, in the order in which they
// were written. Forms, and clients that give keys to arrays, send so an array with gaps between
// the numbers. Of a number that is there twice the last value counts.
func Numbered(raw json.RawMessage) (items []json.RawMessage, ok bool) {
	members, err := Members(raw)
	if err != nil {
		return nil, false
	}
	at := make(map[uint64]int, len(members))
	for _, m := range members {
		n, err := strconv.ParseUint(m.Name, 10, 64)
		if err != nil {
			return nil, false
		}
		if i, twice := at[n]; twice {
			items[i] = m.Value
			continue
		}
		at[n] = len(items)
		items = append(items, m.Value)
	}
	return items, true
}
