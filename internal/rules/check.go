package rules

import (
	"reflect"
	"slices"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
)

// Normalize gives the decimals of an object the scale of their rules: see
// [NormalizeDecimal]. The object is a pointer to the struct of the plan.
func (p *Plan) Normalize(object any, problems *shopapi.Problems) {
	v := reflect.ValueOf(object).Elem()
	for i := range p.fields {
		f := &p.fields[i]
		if f.Amount == nil {
			continue
		}
		if value, ok := f.value(v); ok {
			NormalizeAmount(problems, f.Field, value.Addr().Interface().(*decimal.Decimal), f.Amount)
		}
	}
}

// Check notes the fields of an object that break their rules, in the order of the struct.
// The object is a pointer to the struct of the plan. A nil pointer breaks no rule.
func (p *Plan) Check(object any, problems *shopapi.Problems) {
	v := reflect.ValueOf(object).Elem()
	for i := range p.fields {
		if value, ok := p.fields[i].value(v); ok {
			p.fields[i].verify(value, problems)
		}
	}
}

// CheckGiven notes the parameters of a filter that break their rules. Parameters that
// were not given break none. The filter is a pointer to the struct of the plan.
func (p *Plan) CheckGiven(filter any, problems *shopapi.Problems) {
	v := reflect.ValueOf(filter).Elem()
	for i := range p.fields {
		if value, ok := p.fields[i].value(v); ok && !value.IsZero() {
			p.fields[i].verify(value, problems)
		}
	}
}

// value returns the value of the field, behind its pointer; false for nil.
func (f *field) value(v reflect.Value) (reflect.Value, bool) {
	value := v.FieldByIndex(f.index)
	if value.Kind() == reflect.Pointer {
		return value.Elem(), !value.IsNil()
	}
	return value, true
}

// verify reports the problems of a field's value.
func (f *field) verify(value reflect.Value, problems *shopapi.Problems) {
	switch f.kind {
	case text:
		f.verifyText(value.String(), problems)
	case document:
		if f.Hint != "" && value.Len() == 0 {
			problems.Required(f.Field, "", f.Hint)
		}
		if f.Bytes > 0 && value.Len() > f.Bytes {
			problems.Bytes(f.Field, string(value.Bytes()), f.Bytes)
		}
	case number:
		if f.Hint != "" && value.Int() == 0 {
			problems.Required(f.Field, "", f.Hint)
		}
		if f.Range != nil {
			problems.Range(f.Field, value.Int(), f.Range.Low, f.Range.High)
		}
	case list:
		if f.Hint != "" && value.Len() == 0 {
			problems.Required(f.Field, "", f.Hint)
		}
	}
}

func (f *field) verifyText(s string, problems *shopapi.Problems) {
	if f.Hint != "" {
		problems.Required(f.Field, s, f.Hint)
	}
	switch {
	case f.OneOf == nil:
	case f.codes:
		f.verifyCodes(Codes(s), problems)
	default:
		problems.OneOf(f.Field, s, f.OneOf...)
	}
	if f.Length > 0 {
		problems.Length(f.Field, s, f.Length)
	}
	if f.Bytes > 0 {
		problems.Bytes(f.Field, s, f.Bytes)
	}
}

// verifyCodes notes the first value that is not allowed. Too many values are the problem
// of the filter.
func (f *field) verifyCodes(codes []string, problems *shopapi.Problems) {
	if len(codes) > MaxCodes {
		return
	}
	for _, code := range codes {
		problems.OneOf(f.Field, code, f.OneOf...)
	}
}

// MaxCodes is how many codes a parameter may have.
const MaxCodes = 50

// Codes returns the values of a text that are separated by commas, each once.
func Codes(text string) []string {
	var codes []string
	for code := range strings.SplitSeq(text, ",") {
		if code = strings.TrimSpace(code); code != "" && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return codes
}

// NormalizeDecimal gives an amount the decimals of its column. It reports an amount that
// is negative, greater than most or has more decimals, and sets it to 0.
func NormalizeDecimal(problems *shopapi.Problems, field string, amount *decimal.Decimal, scale int, most decimal.Decimal) {
	NormalizeAmount(problems, field, amount, &shopapi.Amount{Most: most, Scale: scale})
}

// Fits reports whether an amount is within limits.
func Fits(amount decimal.Decimal, in *shopapi.Amount) bool {
	return amount.Cmp(in.Least) >= 0 && amount.Cmp(in.Most) <= 0 && amount.MinScale() <= in.Scale
}

// TenDigits returns the amounts of either sign with at most ten digits before the point.
func TenDigits(scale int) *shopapi.Amount {
	most := decimal.MustParse("9999999999." + strings.Repeat("9", scale))
	return &shopapi.Amount{Least: most.Neg(), Most: most, Scale: scale}
}

// NormalizeAmount is [NormalizeDecimal] within limits.
func NormalizeAmount(problems *shopapi.Problems, field string, amount *decimal.Decimal, in *shopapi.Amount) {
	if !Fits(*amount, in) {
		problems.Add(field, "must be a number from %s to %s with at most %d decimals", in.Least, in.Most, in.Scale)
		*amount = decimal.Zero
	}
	*amount = amount.Rescale(in.Scale)
}
