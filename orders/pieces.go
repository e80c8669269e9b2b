package orders

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi"
)

// Pieces are numbers of pieces by the ids of the lines of an order.
type Pieces map[int64]int64

var errNoPieces = errors.New(`must be an object of ids of lines with numbers of pieces, such as {"1300456789": 2}`)

// MarshalJSON writes the numbers, as texts, by the ids.
func (p Pieces) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (p Pieces) AppendJSON(dst []byte) ([]byte, error) {
	if len(p) == 0 {
		return append(dst, "[]"...), nil
	}
	dst = append(dst, '{')
	for i, id := range slices.Sorted(maps.Keys(p)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, `"%d":"%d"`, id, p[id])
	}
	return append(dst, '}'), nil
}

// MarshalText returns the stored form.
func (p Pieces) MarshalText() ([]byte, error) { return p.AppendJSON(nil) }

// UnmarshalText reads the stored form.
func (p *Pieces) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*p = nil
		return nil
	}
	return p.UnmarshalJSON(text)
}

// UnmarshalJSON reads an object of numbers or texts of numbers. The empty array, the
// empty text and null are no pieces.
func (p *Pieces) UnmarshalJSON(data []byte) error {
	read := Pieces{}
	switch string(bytes.TrimSpace(data)) {
	case "[]", `""`, "null":
		*p = read
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return errNoPieces
	}
	if len(members) > maxLines {
		return fmt.Errorf("must have at most %d lines, not %d", maxLines, len(members))
	}
	for key, raw := range members {
		id, err := strconv.ParseInt(key, 10, 64)
		if err != nil || shopapi.FormatID(id) != key || id < 1 {
			return errNoPieces
		}
		text, _ := scalar(raw)
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 || n > maxPieces || text[0] == '+' {
			return fmt.Errorf("must have a whole number from 1 to %d for the line %d", maxPieces, id)
		}
		read[id] = n
	}
	*p = read
	return nil
}
