package exceptions

import (
	"fmt"

	"github.com/shopapi/shopapi/internal/wire"
)

// A Combination maps ids of options to ids of their variants, or to [AnyVariant]
// or [NoVariant].
type Combination map[int64]int64

// Values of a combination besides ids of variants.
const (
	AnyVariant int64 = -1 // any variant is chosen
	NoVariant  int64 = -2 // no variant is chosen
)

// maxOptions is the maximum number of options of a combination: more than a customer
// could be asked, and few enough for a database to index the combination.
const maxOptions = 50

// MarshalText returns the stored form, the text of MarshalJSON.
func (c Combination) MarshalText() ([]byte, error) { return c.MarshalJSON() }

// UnmarshalText reads what MarshalText wrote.
func (c *Combination) UnmarshalText(text []byte) error { return c.UnmarshalJSON(text) }

// MarshalJSON writes the ids as texts, sorted by option: {"12":"33","14":"-1"}. Equal
// combinations have equal texts.
func (c Combination) MarshalJSON() ([]byte, error) { return wire.AppendIDs(nil, c), nil }

// PayloadForms implements [shopapi.PayloadFormer].
func (Combination) PayloadForms() []any { return []any{map[int64]int64{}} }

// UnmarshalJSON reads an object whose values are whole numbers, also as texts. It
// replaces the whole combination.
func (c *Combination) UnmarshalJSON(data []byte) error {
	read, err := reader.Parse(data)
	if err == nil {
		*c = read
	}
	return err
}

var reader = wire.VariantIDs{Value: "the id of a variant, -1 (any) or -2 (none)", Example: `{"12":"33","14":"-1"}`}

// options are the ids of the combination's options in ascending order.
func (c Combination) options() []int64 { return wire.Keys(c) }

// problem returns the error of the combination by itself, "" if it is valid.
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
