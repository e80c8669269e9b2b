package rules

import (
	"errors"
	"reflect"
	"time"
)

// SetDefaults sets the fields of a new object that are empty and have a default. The object
// is a pointer to the struct of the plan. It calls now only for a field that needs the time.
func (p *Plan) SetDefaults(object any, now func() time.Time) {
	v := reflect.ValueOf(object).Elem()
	for i := range p.defaults {
		f := &p.defaults[i]
		switch value := v.FieldByIndex(f.index); {
		case !value.IsZero():
		case f.kind == text:
			value.SetString(f.text)
		case f.now:
			value.SetInt(now().Unix())
		default:
			value.SetInt(f.number)
		}
	}
}

// parseDefault reads the value of the rule default.
func (f *field) parseDefault(value string) error {
	switch {
	case value == "" || f.kind != text && f.kind != number:
		return errors.New("it needs a value, and a field that is a text or a number")
	case f.kind == text:
		f.text = value
	case value == "now":
		f.now = true
	default:
		n, err := integer(value)
		if err != nil || *n == 0 {
			return errors.New("it needs now, or a whole number other than 0")
		}
		f.number = *n
	}
	return nil
}

func (f *field) hasDefault() bool { return f.text != "" || f.now || f.number != 0 }
