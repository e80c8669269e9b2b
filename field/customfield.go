package field

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/plain"
)

// A CustomField is a field that a host adds to an entity of the library (extensions E13):
// see [github.com/shopapi/shopapi.Options.CustomFields]. It is a column of the entity's table, and a member of objects
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
		if value == "" || len(value) > customLength || slices.Contains(f.OneOf[:i], value) || !plain.IsText(value) {
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

// CheckCustom returns the mistakes in the fields that an option adds to an entity. Those of
// customers are the fields of their addresses.
func CheckCustom(option, entity string, ofCustomer bool, fields []CustomField) (errs []error) {
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
			errs = append(errs, fmt.Errorf("shopapi: Options.%s: the field %s of %s: %s", option, plain.Quoted(f.Name), entity, mistake))
		}
	}
	return errs
}
