package payments

import (
	"errors"

	"github.com/shopapi/shopapi/internal/wire"
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

// PayloadForms implements [shopapi.PayloadFormer]: a text, or any object.
func (Params) PayloadForms() []any { return []any{"", struct{}{}} }

// UnmarshalJSON reads a text or an object. Null and empty values become "".
func (p *Params) UnmarshalJSON(data []byte) error {
	text, err := wire.Compact(data)
	if err != nil || text != "" && text[0] != '"' && text[0] != '{' {
		return errNoParams
	}
	*p = Params(text)
	return nil
}

// String hides the value, so that it cannot reach a log by accident.
func (p Params) String() string { return "payment parameters" }

// GoString is [Params.String].
func (p Params) GoString() string { return p.String() }
