package payments

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Params are parameters for a host's payment code: a text or an object, as the JSON that
// was sent, or "". They may contain secrets: users without the privilege to manage
// payments do not see them.
type Params string

// MarshalJSON returns the value itself.
func (p Params) MarshalJSON() ([]byte, error) {
	if p == "" {
		return []byte(`""`), nil
	}
	return []byte(p), nil
}

var errNoParams = errors.New("must be a text or an object")

// UnmarshalJSON reads a text or an object. Null and empty values become "".
func (p *Params) UnmarshalJSON(data []byte) error {
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return errNoParams
	}
	switch text := b.String(); {
	case text == "null" || text == `""` || text == "{}" || text == "[]":
		*p = ""
	case text[0] == '"' || text[0] == '{':
		*p = Params(text)
	default:
		return errNoParams
	}
	return nil
}

// String hides the value, so that it cannot reach a log by accident.
func (p Params) String() string { return "payment parameters" }

// GoString is [Params.String].
func (p Params) GoString() string { return p.String() }
