package wire

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Keys returns the keys of a map in ascending order.
func Keys[M ~map[int64]V, V any](m M) []int64 { return slices.Sorted(maps.Keys(m)) }

// AppendIDs writes a map of ids with its values as texts, in the order of the keys:
// {"12":"33","14":"-1"}. Equal maps have equal texts.
func AppendIDs[M ~map[int64]int64](dst []byte, m M) []byte {
	dst = append(dst, '{')
	for i, key := range Keys(m) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, key, 10)
		dst = append(dst, `":"`...)
		dst = strconv.AppendInt(dst, m[key], 10)
		dst = append(dst, '"')
	}
	return append(dst, '}')
}

// VariantIDs describes a map of ids of options to ids of variants. Its texts complete
// the messages for clients.
type VariantIDs struct {
	Value   string // the allowed values, such as "the id of a variant"
	Example string // a map
}

// Parse reads an object whose values are whole numbers or texts of whole numbers.
func (v VariantIDs) Parse(data []byte) (map[int64]int64, error) {
	members, err := Members(data)
	if err != nil {
		return nil, fmt.Errorf("must be a map of ids of options to ids of variants, such as %s", v.Example)
	}
	read := make(map[int64]int64, len(members))
	for _, m := range members {
		option, ok := ParseInt(m.Name)
		if !ok {
			return nil, fmt.Errorf("must have ids of options as keys, not %.60q", m.Name)
		}
		variant, ok := Int(m.Value)
		if !ok {
			return nil, fmt.Errorf("must give the option %d %s", option, v.Value)
		}
		if _, twice := read[option]; twice {
			return nil, fmt.Errorf("must name the option %d once only", option)
		}
		read[option] = variant
	}
	return read, nil
}
