package shopapi

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"regexp"
	"slices"

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
			value = FormatID(n)
		}
		if dst, err = jsonenc.Append(dst, value); err != nil {
			return dst, err
		}
		if written != nil {
			*written = append(*written, name)
		}
	}
	const fields = "fields"
	if c.customer == nil || has != nil && !has(fields) || written != nil && slices.Contains(*written, fields) {
		return dst, nil
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	if written != nil {
		*written = append(*written, fields)
	}
	return jsonenc.Append(append(dst, `"fields":`...), c.OfCustomer(c.customer))
}

// A CustomField is a field that a host adds to an entity of the library (extensions E13):
// see [Options.CustomFields]. It is a column of the entity's table, and a member of objects
// and of items of lists; null is a value that was never written, or cleared.
type CustomField struct {
	// Name is x_ and 1 to 40 of a-z, 0-9 and _.
	Name string

	// Type is the type of the values. It never changes, and neither does Translated.
	Type CustomType

	// Description is a sentence for the OpenAPI document.
	Description string

	Length int      // of a text: characters at most; 0 means 255
	Range  *Range   // of a number; nil for any of 64 bits
	Amount *Amount  // of an amount; nil for any with 2 decimals. Zero limits mean any; the decimals never change
	OneOf  []string // the values of a CustomOneOf

	Translated bool // a text in several languages (§15)
	Personal   bool // erased with its customer

	// View and Set are the privileges to see and to set the field; "" means the entity's.
	// To a user without View the field does not exist. Vendors set fields of orders that
	// have a privilege Set alone (§11).
	View, Set string

	// Filters lets lists filter by the field: texts as a whole without regard to case,
	// numbers and amounts also by _from and _to. Sorts lets lists sort by it. A text that
	// does either has at most 255 characters.
	Filters, Sorts bool
}

// A CustomType is the type of a [CustomField].
type CustomType string

// The types of custom fields, with the Go types of their values.
const (
	CustomText   CustomType = "text"         // string
	CustomNumber CustomType = "whole number" // int64
	CustomAmount CustomType = "amount"       // decimal.Decimal
	CustomFlag   CustomType = "flag"         // Flag
	CustomOneOf  CustomType = "one of"       // string
)

const (
	customLength    = 255   // of a text that names no length, and the limit of an indexed text
	maxCustomLength = 16384 // characters
	maxCustomScale  = 9
	maxCustomFields = 64 // of an entity
)

var (
	customName   = regexp.MustCompile(`^x_[a-z0-9_]{1,40}$`)
	customerName = regexp.MustCompile(`^[bs]_[a-z0-9_]{1,40}$`)
)

// Rule returns the limits of the field.
func (f *CustomField) Rule() Rule {
	rule := Rule{Field: f.Name}
	switch f.Type {
	case CustomText:
		if rule.Length = f.Length; rule.Length == 0 {
			rule.Length = customLength
		}
	case CustomNumber:
		rule.Range = f.Range
	case CustomAmount:
		rule.Amount = f.amount()
	case CustomOneOf:
		rule.OneOf = f.OneOf
	}
	return rule
}

// amount returns the limits of an amount.
func (f *CustomField) amount() *Amount {
	a := Amount{Scale: 2}
	if f.Amount != nil {
		a = *f.Amount
	}
	if a.Least.IsZero() && a.Most.IsZero() && a.Scale >= 0 && a.Scale <= maxCustomScale {
		a.Most = decimal.MustNew(999_999_999_999_999_999, a.Scale)
		a.Least = a.Most.Neg()
	}
	return &a
}

// Parameters returns the names of the filter parameters of lists.
func (f *CustomField) Parameters() []string {
	switch {
	case !f.Filters:
		return nil
	case f.Type == CustomNumber || f.Type == CustomAmount:
		return []string{f.Name, f.Name + "_from", f.Name + "_to"}
	}
	return []string{f.Name}
}

// names returns every name that the field takes on the wire.
func (f *CustomField) names() []string {
	if names := f.Parameters(); names != nil {
		return names
	}
	return []string{f.Name}
}

// check returns the mistake of a declaration, "" for none.
func (f *CustomField) check(ofCustomer bool) string {
	indexed := f.Filters || f.Sorts
	switch {
	case ofCustomer && !customerName.MatchString(f.Name):
		return "a name of a customer field is b_ or s_ and 1 to 40 of a-z, 0-9 and _"
	case ofCustomer && (f.Type != CustomText && f.Type != CustomOneOf || f.Translated || indexed || f.View != "" || f.Set != ""):
		return "a customer field is a text or one of some values, without translation, privileges, filter and sort key"
	case !ofCustomer && !customName.MatchString(f.Name):
		return "a name is x_ and 1 to 40 of a-z, 0-9 and _"
	case !slices.Contains([]CustomType{CustomText, CustomNumber, CustomAmount, CustomFlag, CustomOneOf}, f.Type):
		return fmt.Sprintf("%q is not a type", f.Type)
	case f.Type != CustomText && (f.Length != 0 || f.Translated):
		return "only a text has a length, or is translated"
	case f.Length < 0 || f.Length > maxCustomLength:
		return fmt.Sprintf("a text has at most %d characters", maxCustomLength)
	case f.Length > customLength && indexed:
		return fmt.Sprintf("a text that filters or sorts has at most %d characters", customLength)
	case f.Type != CustomNumber && f.Range != nil:
		return "only a whole number has a range"
	case f.Range != nil && f.Range.Low > f.Range.High:
		return "its least value is more than its greatest"
	case f.Type != CustomAmount && f.Amount != nil:
		return "only an amount has limits of amounts"
	case f.Type == CustomAmount && (f.amount().Scale < 0 || f.amount().Scale > maxCustomScale):
		return fmt.Sprintf("an amount has 0 to %d decimals", maxCustomScale)
	case f.Type == CustomAmount && (f.amount().Least.Cmp(f.amount().Most) > 0 || f.amount().exceedsColumn()):
		return "its least amount is more than its greatest, or they have more than 18 digits or more decimals than it"
	case (f.Type == CustomOneOf) != (len(f.OneOf) > 0):
		return "the type \"one of\", and no other, needs the values of OneOf"
	}
	for i, value := range f.OneOf {
		if value == "" || len(value) > customLength || slices.Contains(f.OneOf[:i], value) || !isText(value) {
			return fmt.Sprintf("the value %q is empty, repeated, not valid UTF-8 or longer than %d bytes", value, customLength)
		}
	}
	return ""
}

// exceedsColumn reports whether a limit does not fit a column of 18 digits.
func (a *Amount) exceedsColumn() bool {
	for _, d := range []decimal.Decimal{a.Least, a.Most} {
		r := d.Rescale(a.Scale)
		if d.MinScale() > a.Scale || r.Scale() != a.Scale || r.Coef() > 999_999_999_999_999_999 {
			return true
		}
	}
	return false
}

// checkCustomFields returns the mistakes of [Options.CustomFields] and
// [Options.CustomerFields].
func (o *Options) checkCustomFields() error {
	errs := checkCustom("CustomerFields", "customers", true, o.CustomerFields)
	for _, entity := range slices.Sorted(maps.Keys(o.CustomFields)) {
		errs = append(errs, checkCustom("CustomFields", entity, false, o.CustomFields[entity])...)
	}
	return errors.Join(errs...)
}

func checkCustom(option, entity string, ofCustomer bool, fields []CustomField) (errs []error) {
	if len(fields) > maxCustomFields {
		errs = append(errs, fmt.Errorf("shopapi: Options.%s: %s has %d fields, more than %d", option, entity, len(fields), maxCustomFields))
	}
	taken := map[string]string{}
	for i := range fields {
		f := &fields[i]
		mistake := f.check(ofCustomer)
		for _, name := range f.names() {
			if by, twice := taken[name]; twice && mistake == "" {
				mistake = fmt.Sprintf("the name %s is taken by %s", name, by)
			}
			taken[name] = f.Name
		}
		if mistake != "" {
			errs = append(errs, fmt.Errorf("shopapi: Options.%s: the field %s of %s: %s", option, quoted(f.Name), entity, mistake))
		}
	}
	return errs
}

// CustomFields returns the fields that the host adds to an entity, in the order of their
// declaration. Callers must not change them.
func (a *API) CustomFields(entity string) []CustomField { return a.opts.CustomFields[entity] }

// CustomerFields returns the fields that the host adds to the addresses of customers. They are
// personal. Callers must not change them.
func (a *API) CustomerFields() []CustomField { return a.opts.CustomerFields }

// CheckCustomFields returns the error for fields of entities that are not registered, or
// take none. [API.Check] calls it.
func (a *API) CheckCustomFields() error {
	var errs []error
	for _, entity := range slices.Sorted(maps.Keys(a.opts.CustomFields)) {
		fields := a.opts.CustomFields[entity]
		if len(fields) > 0 && len(a.registry.custom(entity)) == 0 {
			errs = append(errs, fmt.Errorf("shopapi: Options.CustomFields: the field %s: %s is not an entity that takes custom fields", fields[0].Name, entity))
		}
	}
	return errors.Join(errs...)
}

// custom returns the custom fields of an entity, at the top or below a parent.
func (g *registry) custom(entity string) []CustomField {
	if e, ok := g.top[entity]; ok {
		return e.Custom
	}
	for key, e := range g.under {
		if key[1] == entity {
			return e.Custom
		}
	}
	return nil
}

// CustomFieldsFor returns the custom fields that a user sees; nil is the host's own code,
// which sees all of them.
func CustomFieldsFor(user *User, fields []CustomField) []CustomField {
	hidden := func(f CustomField) bool { return !f.visibleTo(user) }
	if !slices.ContainsFunc(fields, hidden) {
		return fields
	}
	return slices.DeleteFunc(slices.Clone(fields), hidden)
}

func (f *CustomField) visibleTo(user *User) bool { return f.View == "" || user.Can(f.View) }
