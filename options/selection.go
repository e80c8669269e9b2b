package options

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/wire"
)

// A Selection is what a customer chose of a product: ids of options with the id of
// the chosen variant, or with a text. An option without a choice is absent, or has
// the empty text as an empty field of a form gives.
type Selection map[int64]string

var errNoSelection = errors.New(`must be an object of ids of options with ids of variants or texts, such as {"12": "33", "15": "For Ana"}`)

// MarshalJSON writes the choices by option: {"12":"33","15":"For Ana"}. Equal
// selections are equal texts.
func (s Selection) MarshalJSON() ([]byte, error) {
	dst := []byte{'{'}
	for i, id := range wire.Keys(s) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, '"'), shopapi.FormatID(id)...)
		dst = jsonenc.AppendString(append(dst, `":`...), s[id])
	}
	return append(dst, '}'), nil
}

// PayloadForms implements [shopapi.PayloadFormer].
func (Selection) PayloadForms() []any { return []any{map[int64]string{}} }

// UnmarshalJSON reads an object whose values are texts or numbers; null, the empty text
// and the empty array are an empty selection. It replaces the whole selection.
func (s *Selection) UnmarshalJSON(data []byte) error {
	read := Selection{}
	if wire.IsEmpty(data) {
		*s = read
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return errNoSelection
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		id, ok := wire.ParseInt(key)
		if !ok {
			return fmt.Errorf("must have ids of options as keys, not %.60q", key)
		}
		choice, kind := wire.Scalar(members[key])
		if kind == wire.Composite || kind == wire.Bool {
			return fmt.Errorf("must give the option %d the id of a variant or a text", id)
		}
		read[id] = choice
	}
	*s = read
	return nil
}
