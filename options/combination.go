package options

import (
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/store"
)

// A Combination is one variant of each option of a product that takes part in
// combinations, with a stock of its own.
type Combination struct {
	Hash      int64        `json:"combination_hash,string" store:"key,contended" bind:"-"`
	ProductID int64        `json:"product_id,string" rule:"required,min=0"`
	Variants  VariantOf    `json:"combination" rule:"required"`
	Code      string       `json:"product_code" rule:"len=255"`
	Amount    int64        `json:"amount,string" rule:"min=-2147483648,max=int32"` // in stock; negative when more is sold
	Position  int64        `json:"position,string" rule:"min=0,max=int32"`
	Temp      shopapi.Flag `json:"temp" store:"-" bind:"-"`
	Images    images.Pair  `json:"image_pairs"` // one pair

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// The unique index refuses the same combination twice: equal ones are equal texts.
var combinations = store.MustTable[Combination]("product_options_inventory",
	store.Index{Columns: []string{"product_id", "combination"}, Unique: true},
	store.Index{Columns: []string{"product_id", "position"}},
	store.Index{Columns: []string{"product_code"}})

// VariantOf maps ids of options to the id of one of their variants.
type VariantOf map[int64]int64

var reader = wire.VariantIDs{Value: "the id of a variant", Example: `{"12":"33","14":"40"}`}

// MarshalText returns the one text of a combination, as it is stored: that of
// MarshalJSON.
func (m VariantOf) MarshalText() ([]byte, error) { return m.MarshalJSON() }

// UnmarshalText reads what MarshalText wrote.
func (m *VariantOf) UnmarshalText(text []byte) error { return m.UnmarshalJSON(text) }

// MarshalJSON writes the ids as texts, in order of the options:
// {"12":"33","14":"40"}. Equal combinations are equal texts.
func (m VariantOf) MarshalJSON() ([]byte, error) { return wire.AppendIDs(nil, m), nil }

// PayloadForms implements [shopapi.PayloadFormer].
func (VariantOf) PayloadForms() []any { return []any{map[int64]int64{}} }

// UnmarshalJSON reads an object whose values are whole numbers or texts of such.
func (m *VariantOf) UnmarshalJSON(data []byte) error {
	read, err := reader.Parse(data)
	if err == nil {
		*m = read
	}
	return err
}

// problem returns why the variants are not a combination of the options with inventory Y,
// or "".
func (m VariantOf) problem(product int64, options []Option) string {
	if len(options) == 0 {
		return fmt.Sprintf("cannot be made: the product %d has no options with inventory Y", product)
	}
	known := make(map[int64]*Option, len(options))
	for i := range options {
		known[options[i].OptionID] = &options[i]
	}
	for _, id := range wire.Keys(m) {
		switch option := known[id]; {
		case option == nil:
			return fmt.Sprintf("must hold options of the product with inventory Y; %d is none of product %d", id, product)
		case option.Variants.byID(m[id]) == nil:
			return fmt.Sprintf("must give the option %d (%s) one of its own variants, not %d", id, option.Name, m[id])
		}
	}
	for i := range options {
		if _, named := m[options[i].OptionID]; !named {
			return fmt.Sprintf("must name a variant of each option with inventory Y; the option %d (%s) is missing", options[i].OptionID, options[i].Name)
		}
	}
	return ""
}
