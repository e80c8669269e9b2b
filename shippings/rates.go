package shippings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/pricing"
)

// Rates are the cost of a method for each destination, as a JSON array in the wire form
// (decisions §20). With the empty text shipping is free.
type Rates string

// A Rate is the cost of a method for a destination: the sum of the parts by the cost of
// the goods, their weight and the number of pieces.
type Rate struct {
	DestinationID            int64 // 1 is everywhere
	ByCost, ByWeight, ByItem []Step
}

// A Step applies from a threshold on. The step with the highest threshold up to the
// cost, weight or number counts.
type Step struct {
	From    decimal.Decimal
	Value   decimal.Decimal
	Percent bool // of the cost of the goods
	PerUnit bool // for each unit
}

const (
	maxRates = 500  // destinations of a method
	maxSteps = 1000 // of all of them
)

var errTooMany = fmt.Errorf("must have at most %d destinations and %d thresholds", maxRates, maxSteps)

var maxValue = decimal.MustParse("99999999.999")

// RatesOf returns rates in their stored form. It returns an error for invalid rates.
func RatesOf(rates ...Rate) (Rates, error) {
	if len(rates) == 0 {
		return "", nil
	}
	steps := 0
	for i := range rates {
		steps += len(rates[i].ByCost) + len(rates[i].ByWeight) + len(rates[i].ByItem)
	}
	if len(rates) > maxRates || steps > maxSteps {
		return "", errTooMany
	}
	seen := map[int64]bool{}
	for i := range rates {
		r := &rates[i]
		if r.DestinationID < 1 || seen[r.DestinationID] {
			return "", fmt.Errorf("must name each destination_id once, a whole number from 1, not %d", r.DestinationID)
		}
		seen[r.DestinationID] = true
		for _, list := range [][]Step{r.ByCost, r.ByWeight, r.ByItem} {
			for i, s := range list {
				if slices.ContainsFunc(list[:i], func(other Step) bool { return other.From.Equal(s.From) }) {
					return "", fmt.Errorf("must name each threshold once, not %s twice", s.From)
				}
				if s.From.IsNeg() || s.Value.IsNeg() || s.From.Cmp(maxValue) > 0 || s.Value.Cmp(maxValue) > 0 || s.From.Scale() > 3 || s.Value.MinScale() > 3 {
					return "", fmt.Errorf("must have thresholds and values from 0 to %s with at most 3 decimals", maxValue)
				}
			}
		}
	}
	return Rates(appendRates(nil, rates)), nil
}

// appendRates appends the wire form of rates: value is a JSON number.
func appendRates(b []byte, rates []Rate) []byte {
	b = append(b, '[')
	for i, r := range rates {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"destination_id":"%d","rate_value":{"C":`, r.DestinationID)
		b = appendSteps(b, r.ByCost)
		b = append(b, `,"W":`...)
		b = appendSteps(b, r.ByWeight)
		b = append(b, `,"I":`...)
		b = appendSteps(b, r.ByItem)
		b = append(b, "}}"...)
	}
	return append(b, ']')
}

func appendSteps(b []byte, steps []Step) []byte {
	if len(steps) == 0 {
		return append(b, "[]"...)
	}
	steps = slices.SortedFunc(slices.Values(steps), func(a, b Step) int { return a.From.Cmp(b.From) })
	b = append(b, '{')
	for i, s := range steps {
		if i > 0 {
			b = append(b, ',')
		}
		kind, each := "F", "N"
		if s.Percent {
			kind = "P"
		}
		if s.PerUnit {
			each = "Y"
		}
		from := s.From.Trim(0)
		b = fmt.Appendf(b, `"%s":{"amount":"%s","value":%s,"type":"%s","per_unit":"%s"}`, from, from, s.Value.Trim(0), kind, each)
	}
	return append(b, '}')
}

// A wireRate is a rate as clients send it. It has a destination or values.
type wireRate struct {
	DestinationID json.Number `json:"destination_id"`
	RateValue     *struct {
		C json.RawMessage `json:"C"`
		W json.RawMessage `json:"W"`
		I json.RawMessage `json:"I"`
	} `json:"rate_value"`
}

var errNoRates = errors.New(`must be a list such as [{"destination_id": "1", "rate_value": {"C": {"0": {"value": 5, "type": "F", "per_unit": "N"}}}}], with C (cost), W (weight) and I (items), type F or P, per_unit Y or N`)

// A rateBody is a rate in a payload.
type rateBody struct {
	DestinationID int64 `json:"destination_id"` // 1 is everywhere
	Value         struct {
		ByCost   map[string]stepBody `json:"C"` // by the cost of the goods, from a threshold on
		ByWeight map[string]stepBody `json:"W"` // by their weight
		ByItem   map[string]stepBody `json:"I"` // by the number of pieces
	} `json:"rate_value"`
}

// A stepBody is a step of a rate in a payload.
type stepBody struct {
	Value   decimal.Decimal `json:"value"`    // an amount, or percent
	Type    string          `json:"type"`     // F an amount, P percent of the cost of the goods
	PerUnit string          `json:"per_unit"` // Y for each unit, N once
}

// PayloadForms implements [shopapi.PayloadFormer]: a list of rates, or one rate.
func (Rates) PayloadForms() []any { return []any{[]rateBody{}, rateBody{}} }

// UnmarshalJSON reads an array of rates, or one rate. Null and empty values mean an empty
// list.
func (r *Rates) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	var sent []wireRate
	switch {
	case wire.IsEmpty(data):
	case data[0] == '{':
		var numbered map[uint64]wireRate // a form's list
		if json.Unmarshal(data, &numbered) == nil {
			for _, i := range slices.Sorted(maps.Keys(numbered)) {
				sent = append(sent, numbered[i])
			}
			break
		}
		var one wireRate
		if json.Unmarshal(data, &one) != nil {
			return errNoRates
		}
		sent = []wireRate{one}
	default:
		if json.Unmarshal(data, &sent) != nil {
			return errNoRates
		}
	}
	if len(sent) > maxRates {
		return errTooMany
	}
	list := make([]Rate, len(sent))
	for i := range sent {
		if err := list[i].read(&sent[i]); err != nil {
			return err
		}
	}
	rates, err := RatesOf(list...)
	if err == nil {
		*r = rates
	}
	return err
}

// read reads a rate; without a destination it applies everywhere.
func (r *Rate) read(w *wireRate) (err error) {
	if w.DestinationID == "" && w.RateValue == nil {
		return errNoRates
	}
	var ok bool
	if r.DestinationID, ok = wire.ParseWhole(cmp.Or(w.DestinationID.String(), "1")); !ok {
		return errNoRates
	}
	if w.RateValue == nil {
		return nil
	}
	if r.ByCost, err = readSteps(w.RateValue.C); err != nil {
		return err
	}
	if r.ByWeight, err = readSteps(w.RateValue.W); err != nil {
		return err
	}
	r.ByItem, err = readSteps(w.RateValue.I)
	return err
}

// readSteps reads steps: an object keyed by threshold, or an array, which forms make of
// an object with the keys 0, 1, 2. An empty list, also as [[]], and the empty text mean no
// steps.
func readSteps(data json.RawMessage) ([]Step, error) {
	if wire.IsEmpty(data) {
		return nil, nil
	}
	byFrom := map[string]json.RawMessage{}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		for i, item := range list {
			byFrom[strconv.Itoa(i)] = item
		}
	} else if json.Unmarshal(data, &byFrom) != nil {
		return nil, errNoRates
	}
	if len(byFrom) > maxSteps {
		return nil, errTooMany
	}
	var steps []Step
	for from, item := range byFrom {
		if string(item) == "[]" {
			continue
		}
		step, err := readStep(from, item)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	slices.SortFunc(steps, func(a, b Step) int { return a.From.Cmp(b.From) })
	return steps, nil
}

var errNoValue = errors.New("must have a value for each threshold, an amount or percent from 0")

func readStep(from string, data json.RawMessage) (Step, error) {
	var w struct {
		Value   *json.Number `json:"value"`
		Type    string       `json:"type"`
		PerUnit string       `json:"per_unit"`
	}
	if json.Unmarshal(data, &w) != nil {
		return Step{}, errNoRates
	}
	if w.Value == nil {
		return Step{}, errNoValue
	}
	threshold, err := decimal.Parse(from)
	if err != nil {
		return Step{}, errNoRates
	}
	value, err := decimal.Parse(w.Value.String())
	if err != nil || !slices.Contains([]string{"", "F", "P"}, w.Type) || !slices.Contains([]string{"", "Y", "N"}, w.PerUnit) {
		return Step{}, errNoRates
	}
	return Step{From: threshold, Value: value, Percent: w.Type == "P", PerUnit: w.PerUnit == "Y"}, nil
}

// MarshalJSON returns the rates as an array.
func (r Rates) MarshalJSON() ([]byte, error) {
	if r == "" {
		return []byte("[]"), nil
	}
	return []byte(r), nil
}

// All returns the rates.
func (r Rates) All() []Rate {
	var sent []wireRate
	if r == "" || json.Unmarshal([]byte(r), &sent) != nil {
		return nil
	}
	list := make([]Rate, len(sent))
	for i := range sent {
		if list[i].read(&sent[i]) != nil { // only if another program wrote it
			return nil
		}
	}
	return list
}

// Pricing returns the rates in the form of package pricing.
func (r Rates) Pricing() []pricing.Rate {
	steps := func(list []Step) []pricing.Step {
		var out []pricing.Step
		for _, s := range list {
			out = append(out, pricing.Step(s))
		}
		return out
	}
	var rates []pricing.Rate
	for _, rate := range r.All() {
		rates = append(rates, pricing.Rate{
			DestinationID: rate.DestinationID,
			ByCost:        steps(rate.ByCost), ByWeight: steps(rate.ByWeight), ByItem: steps(rate.ByItem),
		})
	}
	return rates
}
