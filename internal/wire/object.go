package wire

import (
	"bytes"
	"encoding/json"
	"errors"
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
