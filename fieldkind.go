package shopapi

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"

	"github.com/gorilla/schema"
	"github.com/govalues/decimal"
)

// A fieldKind says which texts fit a field (§4).
type fieldKind uint8

const (
	readOnlyField fieldKind = iota // requests cannot set it
	textField                      // any text
	numberField                    // a whole number
	amountField                    // a number with decimals
	flagField                      // yes or no
	scalarField                    // what a type of its own reads from one text
	numbersField                   // a list of whole numbers
	textsField                     // a list of texts
	documentField                  // what a type of its own reads from JSON
)

func (k fieldKind) isList() bool { return k == numbersField || k == textsField }

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	decimalType     = reflect.TypeFor[decimal.Decimal]()
)

// kindOf is the kind of fields of a type, or of pointers to it.
func kindOf(t reflect.Type) fieldKind {
	p := reflect.PointerTo(t)
	isText, isJSON := p.Implements(textUnmarshaler), p.Implements(jsonUnmarshaler)
	switch kind := t.Kind(); {
	case isJSON && !(isText && kind == reflect.Struct && !readsObjects(t)): // amounts and times are one text each
		return documentField
	case t == decimalType:
		return amountField
	case isText:
		return scalarField
	case kind == reflect.String:
		return textField
	case kind == reflect.Bool:
		return flagField
	case kind >= reflect.Int && kind <= reflect.Int64:
		return numberField
	case kind >= reflect.Uint && kind <= reflect.Float64 && kind != reflect.Uintptr:
		return amountField
	case kind == reflect.Slice && t.Elem().Kind() == reflect.String:
		return textsField
	case kind == reflect.Slice && t.Elem().Kind() == reflect.Int64:
		return numbersField
	}
	return readOnlyField
}

// readsObjects reports whether a type that reads JSON takes an object.
func readsObjects(t reflect.Type) bool {
	return reflect.New(t).Interface().(json.Unmarshaler).UnmarshalJSON([]byte("{}")) == nil
}

// A conversion reads a text into a new value of its type. Errors that begin with
// "must" are written for clients.
type conversion func(text string) (reflect.Value, error)

// converter is the conversion as the decoder has it.
func (c conversion) converter() schema.Converter {
	return func(text string) reflect.Value {
		value, err := c(text)
		if err != nil {
			return reflect.Value{}
		}
		return value
	}
}

// conversion is how texts become values of type t: the field's, or those of its
// items. It is nil for texts.
func (k fieldKind) conversion(t reflect.Type) conversion {
	var read func(into reflect.Value, text string) error
	switch k {
	case numberField, numbersField:
		read = readNumber
	case amountField:
		read = readAmount
	case flagField:
		read = readFlag
	case scalarField:
		read = readScalar
	case documentField:
		read = readDocument
	default:
		return nil
	}
	return func(text string) (reflect.Value, error) {
		into := reflect.New(t).Elem()
		err := read(into, text)
		return into, err
	}
}

var errRange = errors.New("out of range")

func readNumber(into reflect.Value, text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || text[0] == '+' {
		return errors.New("must be a whole number, not " + quoted(text))
	}
	if into.OverflowInt(n) {
		return errRange
	}
	into.SetInt(n)
	return nil
}

// readAmount reads exact decimals, and what else is a number with them.
func readAmount(into reflect.Value, text string) error {
	d, err := decimal.Parse(text)
	if err != nil {
		return errors.New("must be a number such as 12.50, not " + quoted(text))
	}
	switch t := into.Type(); {
	case t == decimalType:
		into.Set(reflect.ValueOf(d))
	case into.CanFloat():
		f, err := strconv.ParseFloat(text, t.Bits())
		into.SetFloat(f)
		return err
	default:
		n, err := strconv.ParseUint(text, 10, t.Bits())
		into.SetUint(n)
		return err
	}
	return nil
}

func readFlag(into reflect.Value, text string) error {
	var flag Flag
	err := flag.UnmarshalText([]byte(text))
	into.SetBool(bool(flag))
	return err
}

func readScalar(into reflect.Value, text string) error {
	if text == "" {
		return errors.New("must not be empty")
	}
	return into.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
}

func readDocument(into reflect.Value, text string) error {
	return into.Addr().Interface().(json.Unmarshaler).UnmarshalJSON([]byte(text))
}

// addressedByItem reports whether gorilla/schema knows a type by its items alone:
// a slice or array of anything but plain values.
func addressedByItem(t reflect.Type) bool {
	if t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
		return false
	}
	item := t.Elem().Kind()
	return !(item >= reflect.Bool && item <= reflect.Float64 && item != reflect.Uintptr || item == reflect.String)
}
