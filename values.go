package shopapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// A Flag is a yes or no that the interface writes as "Y" or "N".
type Flag bool

// String returns Y or N.
func (f Flag) String() string {
	if f {
		return "Y"
	}
	return "N"
}

// MarshalText returns Y or N.
func (f Flag) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads Y or N, true or false, 1 or 0, in either case (§4).
func (f *Flag) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "y", "true", "1":
		*f = true
	case "n", "false", "0":
		*f = false
	default:
		return errors.New("must be Y or N")
	}
	return nil
}

// JSON is a value that is stored and returned as the JSON it was given. None at
// all is the empty array.
type JSON []byte

// MarshalJSON returns the value itself.
func (j JSON) MarshalJSON() ([]byte, error) {
	if len(j) == 0 {
		return []byte("[]"), nil
	}
	return j, nil
}

// UnmarshalJSON keeps the value without white space. Null and the empty text are
// the empty array.
func (j *JSON) UnmarshalJSON(data []byte) error {
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return err
	}
	if *j = b.Bytes(); string(*j) == "null" || string(*j) == `""` {
		*j = JSON("[]")
	}
	return nil
}

// A Map is an object whose members keep their order.
type Map []Member

// A Member of a [Map].
type Member struct {
	Name  string
	Value any
}

// MarshalJSON writes the members in their order.
func (m Map) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, member := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := marshal(member.Name)
		if err != nil {
			return nil, err
		}
		value, err := marshal(member.Value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshal is json.Marshal that leaves <, > and & as they are: the answers are no
// HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
