package companies

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/internal/wire"
)

// Countries are codes of two letters, joined by commas.
type Countries string

var errNoCountries = errors.New(`must be a list of countries of two letters each, such as ["NO", "SE"]`)

// All returns the codes.
func (c Countries) All() []string {
	if c == "" {
		return nil
	}
	return strings.Split(string(c), ",")
}

// MarshalJSON returns an array.
func (c Countries) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]string{}, c.All()...))
}

// PayloadForms implements [shopapi.PayloadFormer]: a list of codes, or a text of them
// joined by commas.
func (Countries) PayloadForms() []any { return []any{[]string{}} }

// UnmarshalJSON reads an array, or a text with commas.
func (c *Countries) UnmarshalJSON(data []byte) error {
	list, ok := wire.Texts(data)
	if !ok {
		return errNoCountries
	}
	var codes []string
	for _, code := range list {
		code = strings.ToUpper(strings.TrimSpace(code))
		switch {
		case code == "" || slices.Contains(codes, code):
		case !address.IsCountry(code):
			return errNoCountries
		default:
			codes = append(codes, code)
		}
	}
	*c = Countries(strings.Join(codes, ","))
	return nil
}
