package field

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/jsonenc"
)

// Custom are the values of the custom fields of an object ([CustomField]): the field Custom
// of the objects of entities that take such fields. The zero value has none.
type Custom struct {
	values map[string]any // never changed in place
	shown  []CustomField  // the fields that answers show

	customer []CustomField // the fields that answers show in the member fields
}

// Text returns a text or a value of a "one of"; ok is false for null.
func (c Custom) Text(name string) (value string, ok bool) { return valueOf[string](c, name) }

// Number returns a whole number; ok is false for null.
func (c Custom) Number(name string) (value int64, ok bool) { return valueOf[int64](c, name) }

// Amount returns an amount; ok is false for null.
func (c Custom) Amount(name string) (value decimal.Decimal, ok bool) {
	return valueOf[decimal.Decimal](c, name)
}

// Flag returns a flag; ok is false for null.
func (c Custom) Flag(name string) (value Flag, ok bool) { return valueOf[Flag](c, name) }

func valueOf[V any](c Custom, name string) (value V, ok bool) {
	value, ok = c.values[name].(V)
	return value, ok
}

// Set sets the value of a field: a string, an int64, a decimal.Decimal or a [Flag], as the
// type of the field says, or nil for null. An int is an int64, and a bool is a Flag. A
// value of another type, and a field that is not declared, are problems when the object is
// stored.
func (c *Custom) Set(name string, value any) {
	switch v := value.(type) {
	case int:
		value = int64(v)
	case bool:
		value = Flag(v)
	}
	values := maps.Clone(c.values)
	if value == nil {
		delete(values, name)
	} else {
		if values == nil {
			values = map[string]any{}
		}
		values[name] = value
	}
	c.values = values
}

// Get returns the value of a field, nil for null.
func (c Custom) Get(name string) any { return c.values[name] }

// All iterates over the fields that are not null, in the order of their names.
func (c Custom) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, name := range slices.Sorted(maps.Keys(c.values)) {
			if !yield(name, c.values[name]) {
				return
			}
		}
	}
}

// ErasePersonal sets the personal ones of the fields to null.
func (c *Custom) ErasePersonal(fields []CustomField) {
	for i := range fields {
		if fields[i].Personal {
			c.Set(fields[i].Name, nil)
		}
	}
}

// Equal reports whether both have the same values.
func (c Custom) Equal(d Custom) bool {
	return len(c.values) == len(d.values) && (len(c.values) == 0 || reflect.DeepEqual(c.values, d.values))
}

// Show has answers show the values of these fields. Package resource calls it.
func (c *Custom) Show(fields []CustomField) { c.shown = fields }

// CustomerMember is the member in which answers of users and orders have the host's fields of the
// addresses of customers (extensions E13). Requests and files have these by their own names.
const CustomerMember = "fields"

// ShowCustomer has answers show these fields in the member fields.
func (c *Custom) ShowCustomer(fields []CustomField) { c.customer = fields }

// OfCustomer returns the values of customer fields by name, as answers have them: an object, or
// an empty list if there is none.
func (c Custom) OfCustomer(fields []CustomField) any {
	var m Map
	for i := range fields {
		if text, ok := c.Text(fields[i].Name); ok && text != "" {
			m = append(m, Member{fields[i].Name, text})
		}
	}
	if m == nil {
		return []string{}
	}
	return m
}

// AppendMembers implements the encoder of answers: the fields are members of the object.
func (c *Custom) AppendMembers(dst []byte, has func(name string) bool, written *[]string) (_ []byte, err error) {
	for i := range c.shown {
		name := c.shown[i].Name
		if has != nil && !has(name) || written != nil && slices.Contains(*written, name) {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(jsonenc.AppendString(dst, name), ':')
		value := c.values[name]
		if n, ok := value.(int64); ok {
			value = strconv.FormatInt(n, 10)
		}
		if dst, err = jsonenc.Append(dst, value); err != nil {
			return dst, err
		}
		if written != nil {
			*written = append(*written, name)
		}
	}
	if c.customer == nil || has != nil && !has(CustomerMember) || written != nil && slices.Contains(*written, CustomerMember) {
		return dst, nil
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	if written != nil {
		*written = append(*written, CustomerMember)
	}
	return jsonenc.Append(append(dst, `"`+CustomerMember+`":`...), c.OfCustomer(c.customer))
}
