package bind

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/internal/wire"
)

// A Kind says which values fit a field of a body, or a parameter (§4).
type Kind string

// The kinds of fields.
const (
	Text     Kind = "text"
	Number   Kind = "number"   // a whole number such as 12 or 12.0, or a text of one
	Amount   Kind = "amount"   // a number with decimals, or a text of one
	Flag     Kind = "flag"     // Y or N
	Scalar   Kind = "scalar"   // a text that the field's type reads
	Numbers  Kind = "numbers"  // a list of whole numbers, or a text with commas
	Texts    Kind = "texts"    // a list of texts, or a text with commas
	Document Kind = "document" // JSON that the field's type reads

	readOnly Kind = "" // requests cannot set it
)

func (k Kind) isList() bool { return k == Numbers || k == Texts }

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	decimalType     = reflect.TypeFor[decimal.Decimal]()
	timeType        = reflect.TypeFor[time.Time]()
)

// KindOf returns the kind of fields of a type, or of pointers to it. It is empty for a
// type that cannot be bound.
func KindOf(t reflect.Type) Kind {
	p := reflect.PointerTo(t)
	isText, isJSON := p.Implements(textUnmarshaler), p.Implements(jsonUnmarshaler)
	switch kind := t.Kind(); {
	case isJSON && !(isText && kind == reflect.Struct && !readsObjects(t)): // amounts and times are one text each
		return Document
	case t == decimalType:
		return Amount
	case isText:
		return Scalar
	case kind == reflect.String:
		return Text
	case kind == reflect.Bool:
		return Flag
	case kind >= reflect.Int && kind <= reflect.Int64:
		return Number
	case kind >= reflect.Uint && kind <= reflect.Float64 && kind != reflect.Uintptr:
		return Amount
	case kind == reflect.Slice && t.Elem().Kind() == reflect.String:
		return Texts
	case kind == reflect.Slice && t.Elem().Kind() == reflect.Int64:
		return Numbers
	}
	return readOnly
}

// readsObjects reports whether a type that reads JSON takes an object.
func readsObjects(t reflect.Type) bool {
	return reflect.New(t).Interface().(json.Unmarshaler).UnmarshalJSON([]byte("{}")) == nil
}

// A conversion reads a text into a value. Errors that begin with "must" are written
// for clients.
type conversion func(into reflect.Value, text string) error

// conversion returns the conversion of a field, or of the items of a list.
func (k Kind) conversion() conversion {
	switch k {
	case Number, Numbers:
		return readNumber
	case Amount:
		return readAmount
	case Flag:
		return readFlag
	case Scalar:
		return readScalar
	case Document:
		return readDocument
	}
	return readText
}

// readInto reads a text into a value and returns the problem, "" for none.
func (f *field) readInto(value reflect.Value, text string) (problem string) {
	err := f.read(value, text)
	switch {
	case err == nil:
		return ""
	case errors.Is(err, errRange):
		return fmt.Sprintf("must be a whole number from %d to %d, not %s", f.low, f.high, plain.Quoted(text))
	case strings.HasPrefix(err.Error(), "must "):
		return err.Error()
	}
	if value.Type() == timeType {
		return "must be a time such as 2006-01-02T15:04:05Z, not " + plain.Quoted(text)
	}
	return "does not fit: " + plain.Quoted(text) + " is not a value of this field"
}

func readText(into reflect.Value, text string) error {
	into.SetString(text)
	return nil
}

// errRange is the error of a whole number that the type of the field cannot hold.
var errRange = errors.New("out of range")

func readNumber(into reflect.Value, text string) error {
	n, ok := wire.ParseWhole(text)
	if !ok && !wire.IsWhole(text) {
		return errors.New("must be a whole number, not " + plain.Quoted(text))
	}
	if !ok || into.OverflowInt(n) {
		return errRange
	}
	into.SetInt(n)
	return nil
}

// readAmount reads decimals into a decimal, a float or an unsigned number.
func readAmount(into reflect.Value, text string) error {
	d, err := decimal.Parse(text)
	if err != nil {
		return errors.New("must be a number such as 12.50, not " + plain.Quoted(text))
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
		if whole, ok := wire.ParseWhole(text); err != nil && ok && whole >= 0 && !into.OverflowUint(uint64(whole)) {
			n, err = uint64(whole), nil // such as 12.0
		}
		into.SetUint(n)
		return err
	}
	return nil
}

// ParseFlag reads Y or N, true or false, 1 or 0, in either case (§4).
func ParseFlag(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "y", "true", "1":
		return true, nil
	case "n", "false", "0":
		return false, nil
	}
	return false, errors.New("must be Y or N")
}

func readFlag(into reflect.Value, text string) error {
	flag, err := ParseFlag(text)
	into.SetBool(flag)
	return err
}

func readScalar(into reflect.Value, text string) error {
	if text == "" && into.Kind() != reflect.Bool { // the error of a flag names the allowed values
		return errors.New("must not be empty")
	}
	return into.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
}

func readDocument(into reflect.Value, text string) error {
	return into.Addr().Interface().(json.Unmarshaler).UnmarshalJSON([]byte(text))
}
