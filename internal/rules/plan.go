package rules

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/structfields"
)

// A Plan is the rules on the fields of a struct type.
type Plan struct {
	of       reflect.Type
	fields   []field
	defaults []field        // fields that have a default
	rules    []shopapi.Rule // of the fields, and on names that no field of the struct has
}

// A field is a field of the struct with its rule.
type field struct {
	shopapi.Rule
	index []int
	kind  kind
	codes bool // a text holds several values, separated by commas
	own   bool // the entity checks the field itself

	number int64 // the default of a number, 0 for the time
}

// A kind says how the value of a field is read.
type kind int

const (
	other kind = iota
	text
	document // a slice of bytes
	number
	list
	dec
)

// Of returns the plan of a struct type: the rules in its tags, and further rules whose
// values are only known at run time. A further rule on a field is added to its tag. A
// further rule that does not fit the type of its field is only described, and the entity
// must check it. The error names the type and the field of a bad tag.
func Of(t reflect.Type, more ...shopapi.Rule) (*Plan, error) {
	tagged, err := fieldsOf(t)
	if err != nil {
		return nil, err
	}
	p, visible := &Plan{of: t}, structfields.Of(t)
	rest := append([]shopapi.Rule(nil), more...)
	for i, f := range tagged {
		for j := range rest {
			if f.Field != "" && rest[j].Field == f.Field {
				if err := f.add(rest[j]); err != nil {
					return nil, fmt.Errorf("the rule of %s: %w", f.Field, err)
				}
				rest[j].Field = ""
			}
		}
		if err := f.checkDefault(visible[i].Type); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, visible[i].Name, err)
		}
		f.limitColumn(visible[i].Tag)
		if !f.isEmpty() {
			p.fields = append(p.fields, f)
		}
		if f.Default != "" {
			p.defaults = append(p.defaults, f)
		}
		if bound := f.Field != "-" && visible[i].Tag.Get("bind") != "-"; !f.isEmpty() || bound && f.Default != "" {
			p.rules = append(p.rules, f.Rule)
		}
	}
	for _, rule := range rest {
		if rule.Field != "" {
			p.rules = append(p.rules, rule)
		}
	}
	return p, nil
}

var tagged sync.Map // from reflect.Type to its fields with the rules of their tags

// fieldsOf returns all fields of a struct type with the rules in their tags. Callers share
// the list and must not change it.
func fieldsOf(t reflect.Type) ([]field, error) {
	if list, ok := tagged.Load(t); ok {
		return list.([]field), nil
	}
	var list []field
	for _, sf := range structfields.Of(t) {
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		f := field{Rule: shopapi.Rule{Field: name}, index: sf.Index, kind: kindOf(sf.Type), codes: sf.Tag.Get("bind") == "codes"}
		if err := f.parse(sf.Tag); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, sf.Name, err)
		}
		if !f.isEmpty() {
			if err := f.check(); err != nil {
				return nil, fmt.Errorf("%s.%s: %w", t, sf.Name, err)
			}
		}
		list = append(list, f)
	}
	tagged.Store(t, list)
	return list, nil
}

// MustOf is [Of] for package variables. It panics on an error.
func MustOf[T any]() *Plan {
	p, err := Of(reflect.TypeFor[T]())
	if err != nil {
		panic(err)
	}
	return p
}

// For returns the plan for a value: p itself, or the plan of the tags of another struct.
// The value is a pointer to a struct.
func (p *Plan) For(v any) (*Plan, error) {
	if t := reflect.TypeOf(v).Elem(); t != p.of {
		return Of(t)
	}
	return p, nil
}

// Rules returns the rules. Callers must not change them.
func (p *Plan) Rules() []shopapi.Rule { return p.rules }

func kindOf(t reflect.Type) kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[decimal.Decimal]():
		return dec
	case t.Kind() == reflect.String:
		return text
	case t.Kind() == reflect.Int64:
		return number
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return document
	case t.Kind() == reflect.Slice:
		return list
	}
	return other
}

// parse reads the tags of a field.
func (f *field) parse(tag reflect.StructTag) error {
	f.Hint = tag.Get("hint")
	rule, tagged := tag.Lookup("rule")
	if f.own = rule == "-"; f.own {
		return nil
	}
	if !tagged {
		if f.Hint != "" {
			return fmt.Errorf("the tag hint needs the rule required")
		}
		return nil
	}
	var low, high *int64
	scale := -1
	var most string
	for part := range strings.SplitSeq(rule, ",") {
		name, value, _ := strings.Cut(part, "=")
		var err error
		switch name {
		case "required":
			f.Required = true
		case "len":
			f.Length, err = positive(value)
		case "bytes":
			f.Bytes, err = positive(value)
		case "html":
			f.HTML = true
		case "oneof":
			if f.OneOf = strings.Fields(value); len(f.OneOf) == 0 {
				err = fmt.Errorf("it needs values")
			}
		case "min":
			low, err = integer(value)
		case "time":
			low, high = new(int64), new(maxTime)
		case "max":
			if most = value; f.kind != dec {
				high, err = integer(value)
			}
		case "scale":
			scale, err = positive(value)
		case "default":
			err = f.setDefault(value)
		default:
			err = fmt.Errorf("there is no such rule")
		}
		if err != nil {
			return fmt.Errorf("the rule %q: %w", part, err)
		}
	}
	if low != nil || high != nil {
		f.Range = &shopapi.Range{Low: *cmp.Or(low, new(int64)), High: math.MaxInt64}
		if high != nil {
			f.Range.High = *high
		}
	}
	if scale < 0 && f.kind != dec {
		return nil
	}
	d, err := decimal.Parse(most)
	if err != nil || scale < 0 {
		return fmt.Errorf("the rule %q: a decimal needs scale and max", rule)
	}
	f.Amount = &shopapi.Amount{Most: d, Scale: scale}
	return nil
}

// maxTime is the last second of the year 9999, after which dates have no common text form.
// Milliseconds since 1970, sent by mistake, are greater for each time since January 1978.
const maxTime = int64(253_402_300_799)

// columnDigits is how many digits every column of decimals can store.
const columnDigits = 18

// limitColumn gives a decimal that a payload sets and that has no rule the limits of its
// column.
func (f *field) limitColumn(tag reflect.StructTag) {
	_, options, _ := strings.Cut(","+tag.Get("store"), ",")
	if f.own || f.kind != dec || f.Amount != nil || f.Field == "" || f.Field == "-" || tag.Get("bind") == "-" {
		return
	}
	for option := range strings.SplitSeq(options, ",") {
		if value, ok := strings.CutPrefix(option, "scale="); ok {
			scale, err := strconv.Atoi(value)
			if err != nil || scale < 0 || scale > columnDigits {
				return // the table reports it
			}
			f.Amount = LimitsOf(scale)
		}
	}
}

// LimitsOf returns the amounts that a column of decimals can store.
func LimitsOf(scale int) *shopapi.Amount {
	most := decimal.MustNew(999_999_999_999_999_999, scale)
	return &shopapi.Amount{Least: most.Neg(), Most: most, Scale: scale}
}

// add adds a rule that is known only when the program runs.
func (f *field) add(r shopapi.Rule) error {
	f.Required = f.Required || r.Required
	f.Hint, f.Note = cmp.Or(r.Hint, f.Hint), cmp.Or(r.Note, f.Note)
	f.Length, f.Bytes = cmp.Or(r.Length, f.Length), cmp.Or(r.Bytes, f.Bytes)
	if r.OneOf != nil {
		f.OneOf = r.OneOf
	}
	f.HTML = f.HTML || r.HTML
	f.Range = cmp.Or(r.Range, f.Range)
	f.Amount = cmp.Or(r.Amount, f.Amount)
	if r.Default != "" {
		return f.setDefault(r.Default)
	}
	return nil
}

func (f *field) isEmpty() bool {
	return !f.Required && f.Hint == "" && f.Note == "" && f.Length == 0 && f.Bytes == 0 && !f.HTML && f.OneOf == nil && f.Range == nil && f.Amount == nil
}

// check finds rules that do not fit the type of the field.
func (f *field) check() error {
	switch {
	case f.Field == "" || f.Field == "-":
		return fmt.Errorf("a field with a rule needs a name in JSON")
	case f.Hint != "" && !f.Required:
		return fmt.Errorf("the tag hint needs the rule required")
	case f.Hint != "" && f.kind == other:
		return fmt.Errorf("only texts, numbers and lists can be required with a hint")
	case (f.Length > 0 || f.OneOf != nil) && f.kind != text:
		return fmt.Errorf("the rules len and oneof are for texts")
	case f.HTML && f.kind != text:
		return fmt.Errorf("the rule html is for texts")
	case f.Bytes > 0 && f.kind != text && f.kind != document:
		return fmt.Errorf("the rule bytes is for texts and documents")
	case f.Range != nil && f.kind != number:
		return fmt.Errorf("the rules min and max are for numbers")
	case f.Range != nil && f.Range.Low > f.Range.High:
		return fmt.Errorf("the rule min is more than max")
	case f.Amount != nil && f.kind != dec:
		return fmt.Errorf("the rule scale is for decimals")
	}
	return nil
}

func positive(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("it needs a number from 1")
	}
	return n, nil
}

func integer(value string) (*int64, error) {
	if value == "int32" {
		n := int64(math.MaxInt32)
		return &n, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("it needs a whole number")
	}
	return &n, nil
}
