// Package idmap reads and writes maps of ids to ids, as combinations of options
// and variants are: {"12":"33","14":"-1"}.
package idmap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Keys are the keys of a map in ascending order.
func Keys[M ~map[int64]int64](m M) []int64 { return slices.Sorted(maps.Keys(m)) }

// Append writes the ids as texts, in the order of the keys. Equal maps are equal
// texts.
func Append[M ~map[int64]int64](dst []byte, m M) []byte {
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

// A Reader reads maps of options to variants. Its texts complete what clients are
// told.
type Reader struct {
	Value   string // what a value is, such as "the id of a variant"
	Example string // a map
}

// Parse reads an object whose values are whole numbers or texts of such.
func (r Reader) Parse(data []byte) (map[int64]int64, error) {
	noMap := fmt.Errorf("must be a map of ids of options to ids of variants, such as %s", r.Example)
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, noMap
	}
	read := map[int64]int64{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, noMap
		}
		value, err := d.Token()
		if err != nil {
			return nil, noMap
		}
		option, ok := wholeNumber(name)
		if !ok {
			return nil, fmt.Errorf("must have ids of options as keys, not %.60q", name)
		}
		variant, ok := wholeNumber(value)
		if !ok {
			return nil, fmt.Errorf("must give the option %d %s", option, r.Value)
		}
		if _, twice := read[option]; twice {
			return nil, fmt.Errorf("must name the option %d once only", option)
		}
		read[option] = variant
	}
	if _, err := d.Token(); err != nil {
		return nil, noMap
	}
	return read, nil
}

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
