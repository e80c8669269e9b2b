package batch

import (
	"bytes"
	"encoding/json"
)

// Rows reads a body that is an array of at most so many rows, which are counted while it is
// parsed. It returns an [*Error].
func Rows(body []byte, most int) (rows []json.RawMessage, err error) {
	if err := depth(body); err != nil {
		return nil, malformed("body", "%s", err)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil, malformed("body", "must be a JSON array of objects")
	}
	for d.More() {
		if len(rows) == most {
			return nil, &Error{TooMany: true}
		}
		var row json.RawMessage
		if err := d.Decode(&row); err != nil {
			return nil, notJSON(err)
		}
		rows = append(rows, row)
	}
	if _, err := d.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := d.Token(); err == nil {
		return nil, malformed("body", "must end after the array")
	}
	return rows, nil
}
