package taxes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/pricing"
)

// Rates are the rates of a tax, as a JSON array in the wire form. No rates are the empty
// text, which responses leave out.
type Rates string

// A Rate is the rate of a tax in an area. Empty parts of the area match every address
// (decisions §20).
type Rate struct {
	Country string          `json:"country"` // two letters
	State   string          `json:"state"`
	Zipcode string          `json:"zipcode"`
	Type    string          `json:"rate_type"`  // P percent, F an amount for each piece, or for the shipping
	Value   decimal.Decimal `json:"rate_value"` // three places
	ApplyTo string          `json:"apply_to"`   // P products, S shipping
}

// The values of rate_type and apply_to.
const (
	Percent    = "P"
	Fixed      = "F"
	OnProducts = "P"
	OnShipping = "S"
)

const (
	maxRates = 1000
	maxArea  = 64 // characters of a state or a zipcode
)

var maxValue = decimal.MustParse("999999.999")

// RatesOf returns rates in their stored form. It returns an error for an invalid rate.
func RatesOf(rates ...Rate) (Rates, error) {
	if len(rates) == 0 {
		return "", nil
	}
	if len(rates) > maxRates {
		return "", fmt.Errorf("must be at most %d rates, not %d", maxRates, len(rates))
	}
	normal := make([]Rate, len(rates))
	for i, r := range rates {
		if r.Type == "" {
			r.Type = Percent
		}
		if r.ApplyTo == "" {
			r.ApplyTo = OnProducts
		}
		r.Value = r.Value.Pad(3)
		if problem := r.problem(); problem != "" {
			return "", fmt.Errorf("must be a list of rates; of rate %d %s", i+1, problem)
		}
		normal[i] = r
	}
	text, err := json.Marshal(normal)
	return Rates(text), err
}

func (r *Rate) problem() string {
	switch {
	case r.Country != "" && (len(r.Country) != 2 || !isUpper(r.Country)):
		return "country must be two capital letters, or empty"
	case utf8.RuneCountInString(r.State) > maxArea || utf8.RuneCountInString(r.Zipcode) > maxArea:
		return fmt.Sprintf("state and zipcode must have at most %d characters", maxArea)
	case r.Type != Percent && r.Type != Fixed:
		return "rate_type must be P (percent) or F (an amount for each piece)"
	case r.ApplyTo != OnProducts && r.ApplyTo != OnShipping:
		return "apply_to must be P (products) or S (shipping)"
	case r.Value.IsNeg() || r.Value.Scale() > 3 || r.Value.Cmp(maxValue) > 0:
		return "rate_value must be a number from 0 to " + maxValue.String() + " with at most 3 decimals"
	}
	return ""
}

func isUpper(s string) bool {
	for i := range len(s) {
		if s[i] < 'A' || s[i] > 'Z' {
			return false
		}
	}
	return true
}

// All returns the rates.
func (r Rates) All() []Rate {
	var list []Rate
	if r == "" || json.Unmarshal([]byte(r), &list) != nil {
		return nil
	}
	return list
}

// Areas returns the rates in the form of package pricing.
func (r Rates) Areas() []pricing.AreaRate {
	var areas []pricing.AreaRate
	for _, rate := range r.All() {
		areas = append(areas, pricing.AreaRate{
			Area:     pricing.Place{Country: rate.Country, State: rate.State, Zipcode: rate.Zipcode},
			Shipping: rate.ApplyTo == OnShipping,
			TaxRate:  pricing.TaxRate{Value: rate.Value, Fixed: rate.Type == Fixed},
		})
	}
	return areas
}

// MarshalJSON returns the rates as an array.
func (r Rates) MarshalJSON() ([]byte, error) {
	if r == "" {
		return []byte("[]"), nil
	}
	return []byte(r), nil
}

// PayloadForms implements [shopapi.PayloadFormer]: a list of rates, or one rate.
func (Rates) PayloadForms() []any { return []any{[]Rate{}, Rate{}} }

var errNoRates = errors.New(`must be a list of rates such as {"country": "DE", "rate_type": "P", "rate_value": "19.000", "apply_to": "P"}`)

// A sentRate is a rate as clients send it.
type sentRate struct {
	Country string           `json:"country"`
	State   areaText         `json:"state"`
	Zipcode areaText         `json:"zipcode"`
	Type    string           `json:"rate_type"`
	Value   *decimal.Decimal `json:"rate_value"`
	ApplyTo string           `json:"apply_to"`
}

// An areaText is a text that clients also send as a number.
type areaText string

// UnmarshalJSON reads a text, a number or null.
func (t *areaText) UnmarshalJSON(data []byte) error {
	text, kind := wire.Scalar(data)
	if kind == wire.Bool || kind == wire.Composite {
		return errNoRates
	}
	*t = areaText(text)
	return nil
}

// UnmarshalJSON reads an array of rates, or one rate. Null and empty values mean an empty
// list.
func (r *Rates) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if wire.IsEmpty(data) {
		*r = ""
		return nil
	}
	if data[0] == '{' { // one rate, or a form's list
		var one sentRate
		var numbered map[uint64]sentRate
		if json.Unmarshal(data, &numbered) == nil {
			list := make([]sentRate, 0, len(numbered))
			for i := range uint64(maxRates + 1) {
				if rate, ok := numbered[i]; ok {
					list = append(list, rate)
				}
			}
			if len(list) != len(numbered) {
				return errNoRates
			}
			return r.set(list)
		}
		if json.Unmarshal(data, &one) != nil {
			return errNoRates
		}
		return r.set([]sentRate{one})
	}
	var list []sentRate
	if json.Unmarshal(data, &list) != nil {
		return errNoRates
	}
	return r.set(list)
}

func (r *Rates) set(sent []sentRate) error {
	list := make([]Rate, len(sent))
	for i, s := range sent {
		if s.Value == nil {
			return fmt.Errorf("must be a list of rates; of rate %d rate_value is required, a number such as 19.000", i+1)
		}
		list[i] = Rate{Country: s.Country, State: string(s.State), Zipcode: string(s.Zipcode), Type: s.Type, Value: *s.Value, ApplyTo: s.ApplyTo}
	}
	rates, err := RatesOf(list...)
	if err == nil {
		*r = rates
	}
	return err
}
