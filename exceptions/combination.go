package exceptions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// A Combination maps ids of options to ids of their variants, or to [AnyVariant]
// or [NoVariant].
type Combination map[int64]int64

// What a combination says of an option in place of a variant.
const (
	AnyVariant int64 = -1 // any variant is chosen
	NoVariant  int64 = -2 // no variant is chosen
)

// maxOptions is how many options a combination may hold: more than a customer
// could be asked, and few enough for a database to index the combination.
const maxOptions = 50

// MarshalText returns the one text of a combination, as it is stored: that of
// MarshalJSON.
func (c Combination) MarshalText() ([]byte, error) { return c.MarshalJSON() }

// UnmarshalText reads what MarshalText wrote.
func (c *Combination) UnmarshalText(text []byte) error { return c.UnmarshalJSON(text) }

// MarshalJSON writes the ids as texts, in order of the options:
// {"12":"33","14":"-1"}. Equal combinations are equal texts.
func (c Combination) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, option := range c.options() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = strconv.AppendInt(b, option, 10)
		b = append(b, `":"`...)
		b = strconv.AppendInt(b, c[option], 10)
		b = append(b, '"')
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads an object whose values are whole numbers or texts of such.
// It replaces the whole combination.
func (c *Combination) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return errNoMap
	}
	read := Combination{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return errNoMap
		}
		value, err := d.Token()
		if err != nil {
			return errNoMap
		}
		option, ok := wholeNumber(name)
		if !ok {
			return fmt.Errorf("must have ids of options as keys, not %.60q", name)
		}
		variant, ok := wholeNumber(value)
		if !ok {
			return fmt.Errorf("must give the option %d the id of a variant, -1 (any) or -2 (none)", option)
		}
		if _, twice := read[option]; twice {
			return fmt.Errorf("must name the option %d once only", option)
		}
		read[option] = variant
	}
	if _, err := d.Token(); err != nil {
		return errNoMap
	}
	*c = read
	return nil
}

var errNoMap = errors.New(`must be a map of ids of options to ids of variants, such as {"12":"33","14":"-1"}`)

// wholeNumber reads a JSON number or text in the one form that a number has.
func wholeNumber(token json.Token) (int64, bool) {
	var text string
	switch token := token.(type) {
	case string:
		text = token
	case json.Number:
		text = token.String()
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == text
}

// options are the ids of the combination's options in ascending order.
func (c Combination) options() []int64 { return slices.Sorted(maps.Keys(c)) }

// problem says what is wrong with the combination by itself, "" when nothing is.
func (c Combination) problem() string {
	switch {
	case len(c) == 0:
		return "is required: ids of options with the ids of their variants"
	case len(c) > maxOptions:
		return fmt.Sprintf("must hold at most %d options, not %d", maxOptions, len(c))
	}
	for _, option := range c.options() {
		switch variant := c[option]; {
		case option <= 0:
			return fmt.Sprintf("must have ids of options as keys, from 1, not %d", option)
		case variant <= 0 && variant != AnyVariant && variant != NoVariant:
			return fmt.Sprintf("must give the option %d the id of a variant, -1 (any) or -2 (none), not %d", option, variant)
		}
	}
	return ""
}
