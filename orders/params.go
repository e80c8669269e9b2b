package orders

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/internal/wire"
)

// Params are the properties of a status, as texts by name: inventory D reserves the goods
// of its orders, notify Y requests a mail to customers. A host may add its own.
type Params map[string]string

const (
	maxParams    = 100
	maxParamName = 64 // bytes
)

// problem returns the problem of the parameters, or "".
func (p Params) problem() string {
	if len(p) > maxParams {
		return fmt.Sprintf("must have at most %d members, not %d", maxParams, len(p))
	}
	for name, value := range p {
		if name == "" || len(name) > maxParamName || utf8.RuneCountInString(value) > maxText {
			return fmt.Sprintf("must have names of 1 to %d bytes and texts of at most %d characters", maxParamName, maxText)
		}
	}
	for _, code := range []struct{ name, allowed string }{
		{paramInventory, "DI"}, {"allow_return", "YN"}, {"repay", "YN"}, {"notify", "YN"}, {"remove_cc_info", "YN"},
	} {
		value, sent := p[code.name]
		if sent && value != code.allowed[:1] && value != code.allowed[1:] {
			return fmt.Sprintf("must have %s or %s as %s, not %s", code.allowed[:1], code.allowed[1:], code.name, plain.Quoted(value))
		}
	}
	return ""
}

// MarshalJSON writes the parameters by name.
func (p Params) MarshalJSON() ([]byte, error) {
	if len(p) == 0 {
		return []byte("{}"), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(map[string]string(p))
	return bytes.TrimSpace(b.Bytes()), err
}

// MarshalText returns the stored form.
func (p Params) MarshalText() ([]byte, error) { return p.MarshalJSON() }

// UnmarshalText reads the stored form.
func (p *Params) UnmarshalText(text []byte) error {
	*p = nil
	if len(text) == 0 || json.Unmarshal(text, (*map[string]string)(p)) == nil && *p != nil {
		return nil
	}
	return p.UnmarshalJSON(text)
}

var errNoParams = errors.New(`must be an object of texts, such as {"inventory": "D", "notify": "Y"}`)

// PayloadForms implements shopapi.PayloadFormer: texts, numbers and booleans by name.
func (Params) PayloadForms() []any { return []any{map[string]any{}} }

// UnmarshalJSON reads an object of texts, numbers and booleans, which become Y and N. The
// empty array and the empty text are an empty object.
func (p *Params) UnmarshalJSON(data []byte) error {
	read := Params{}
	if wire.IsEmpty(data) {
		*p = read
		return nil
	}
	var members map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&members) != nil {
		return errNoParams
	}
	for name, value := range members {
		switch v := value.(type) {
		case string:
			read[name] = v
		case json.Number:
			read[name] = v.String()
		case bool:
			read[name] = map[bool]string{true: "Y", false: "N"}[v]
		default:
			return errNoParams
		}
	}
	*p = read
	return nil
}
