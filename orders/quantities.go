package orders

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/shopapi/shopapi/internal/wire"
)

// Quantities are numbers of pieces by the ids of the lines of an order.
type Quantities map[int64]int64

var errNoQuantities = errors.New(`must be an object of ids of lines with numbers of pieces, such as {"1300456789": 2}`)

// MarshalJSON writes the numbers, as texts, by the ids.
func (p Quantities) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (p Quantities) AppendJSON(dst []byte) ([]byte, error) {
	if len(p) == 0 {
		return append(dst, "[]"...), nil
	}
	return wire.AppendIDs(dst, p), nil
}

// MarshalText returns the stored form.
func (p Quantities) MarshalText() ([]byte, error) { return p.AppendJSON(nil) }

// UnmarshalText reads the stored form.
func (p *Quantities) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*p = nil
		return nil
	}
	return p.UnmarshalJSON(text)
}

// PayloadForms implements [shopapi.PayloadFormer].
func (Quantities) PayloadForms() []any { return []any{map[int64]int64{}} }

// UnmarshalJSON reads an object of numbers or texts of numbers. The empty array, the
// empty text and null are an empty object.
func (p *Quantities) UnmarshalJSON(data []byte) error {
	read := Quantities{}
	if wire.IsEmpty(data) {
		*p = read
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return errNoQuantities
	}
	if len(members) > maxLines {
		return fmt.Errorf("must have at most %d lines, not %d", maxLines, len(members))
	}
	for key, raw := range members {
		id, ok := wire.ParseInt(key)
		if !ok || id < 1 {
			return errNoQuantities
		}
		text, _ := wire.Text(raw)
		n, ok := wire.ParseWhole(text)
		if !ok || n < 1 || n > maxPieces {
			return fmt.Errorf("must have a whole number from 1 to %d for the line %d", maxPieces, id)
		}
		read[id] = n
	}
	*p = read
	return nil
}
