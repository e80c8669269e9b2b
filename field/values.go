package field

import (
	"bytes"
	"encoding/json"

	"github.com/shopapi/shopapi/internal/bind"
	"github.com/shopapi/shopapi/internal/jsonenc"
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

// AppendJSON writes "Y" or "N".
func (f Flag) AppendJSON(dst []byte) ([]byte, error) {
	if f {
		return append(dst, `"Y"`...), nil
	}
	return append(dst, `"N"`...), nil
}

// UnmarshalText reads Y or N, true or false, 1 or 0, in either case (§4).
func (f *Flag) UnmarshalText(text []byte) error {
	flag, err := bind.ParseFlag(string(text))
	if err == nil {
		*f = Flag(flag)
	}
	return err
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

// AppendJSON writes the value itself.
func (j JSON) AppendJSON(dst []byte) ([]byte, error) {
	if len(j) == 0 {
		return append(dst, "[]"...), nil
	}
	return append(dst, j...), nil
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
func (m Map) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil) }

// AppendJSON writes the members in their order.
func (m Map) AppendJSON(dst []byte) ([]byte, error) {
	return m.AppendWithin(dst, jsonenc.Unlimited())
}

// AppendWithin writes the members until the limit ends it.
func (m Map) AppendWithin(dst []byte, l *jsonenc.Limit) (_ []byte, err error) {
	dst = append(dst, '{')
	for i, member := range m {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonenc.AppendString(dst, member.Name), ':')
		if dst, err = jsonenc.AppendWithin(dst, member.Value, l); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}
