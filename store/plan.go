package store

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/structfields"
)

// A field is one column as it lies in a struct. The functions are chosen once
// per type, when its table is made.
type field struct {
	column Column
	key    bool
	index  bool
	offset uintptr
	load   func(at unsafe.Pointer, v Value)
	value  func(at unsafe.Pointer) (Value, error)
}

var (
	decimalType     = reflect.TypeFor[decimal.Decimal]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	textAppender    = reflect.TypeFor[encoding.TextAppender]()
)

// isTextual reports whether a type writes and reads itself as text.
func isTextual(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(textMarshaler) && p.Implements(textUnmarshaler)
}

// appendsItself reports whether a type appends the text that it marshals. The AppendText of an
// embedded field may append another one.
func appendsItself(t reflect.Type) bool {
	if !reflect.PointerTo(t).Implements(textAppender) {
		return false
	}
	if t.Kind() != reflect.Struct {
		return true
	}
	for f := range t.Fields() {
		if f.Anonymous && (f.Type.Implements(textAppender) || reflect.PointerTo(f.Type).Implements(textAppender)) {
			return false
		}
	}
	return true
}

// fieldsOf reads the columns of a struct type, whose names begin with a prefix; the fields
// of inlined structs come at the position of the struct. See [MustTable] for the tags.
func fieldsOf(t reflect.Type, base uintptr, prefix string) ([]field, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("store: %s is not a struct", t)
	}
	var fields []field
	for sf := range t.Fields() {
		tag := sf.Tag.Get("store")
		within, inlined := structfields.Inlined(sf)
		switch {
		case tag == "-" || !sf.IsExported() && !sf.Anonymous:
			continue
		case inlined || sf.Anonymous && sf.Type.Kind() == reflect.Struct:
			inner, err := fieldsOf(sf.Type, base+sf.Offset, prefix+within)
			if err != nil {
				return nil, err
			}
			fields = append(fields, inner...)
			continue
		}
		sf.Tag = structfields.WithPrefix(sf.Tag, prefix)
		f, err := fieldOf(sf, tag)
		if err != nil {
			return nil, fmt.Errorf("store: %s.%s: %w", t, sf.Name, err)
		}
		f.offset = base + sf.Offset
		fields = append(fields, f)
	}
	return fields, nil
}

func fieldOf(sf reflect.StructField, tag string) (field, error) {
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	f := field{column: Column{Name: name}}
	scaled := false
	for option := range strings.SplitSeq(tag, ",") {
		what, value, _ := strings.Cut(option, "=")
		switch what {
		case "":
		case "key":
			f.key = true
		case "contended":
			f.column.Contended = true
		case "index":
			f.index = true
		case "fold":
			f.column.Fold = true
		case "search":
			f.column.Search = true
		case "translated":
			f.column.Translated = true
		case "name":
			f.column.Name = value
		case "scale":
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 || n > 9 {
				return f, fmt.Errorf("scale %q is not a number from 0 to 9", value)
			}
			f.column.Scale, scaled = n, true
		default:
			return f, fmt.Errorf("unknown option %q in the tag store", option)
		}
	}
	if f.column.Contended && !f.key {
		return f, fmt.Errorf("contended in the tag store is only for the key")
	}
	if f.column.Name == "" || f.column.Name == "-" {
		return f, fmt.Errorf("has no name: give it a json tag, or a store tag with name= or -")
	}
	t := sf.Type
	if t.Kind() == reflect.Pointer {
		f.column.Null = true
		t = t.Elem()
	}
	switch {
	case t == decimalType:
		f.column.Kind = Decimal
		f.load, f.value = decimalAccess(&f.column)
	case t.Kind() == reflect.Int64:
		f.column.Kind = Integer
		f.load, f.value = accessOf(Value.Int, func(n int64) (Value, error) { return Int(n), nil })
	case t.Kind() == reflect.Bool:
		f.column.Kind = Boolean
		f.load, f.value = accessOf(func(v Value) bool { return v.n != 0 }, func(b bool) (Value, error) { return Bool(b), nil })
	case t.Kind() == reflect.String:
		f.column.Kind = Text
		f.load, f.value = accessOf(Value.Text, textValue(f.column.Name))
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		f.column.Kind = JSON
		text := textValue(f.column.Name)
		f.load, f.value = accessOf(
			func(v Value) []byte { return []byte(v.text) },
			func(b []byte) (Value, error) {
				if len(b) == 0 {
					return String("[]"), nil
				}
				return text(string(b))
			})
	case isTextual(t):
		f.column.Kind = Text
		f.load, f.value = textAccess(t, f.column.Name)
	default:
		return f, fmt.Errorf("a %s cannot be a column: take an int64, string, bool, decimal.Decimal, a slice of bytes for JSON, or a type that writes and reads itself as text", t)
	}
	if f.column.Null {
		f.load, f.value = nullable(t, f.load, f.value)
	}
	if f.key && f.column.Kind != Integer {
		return f, fmt.Errorf("a key must be an int64")
	}
	if scaled && f.column.Kind != Decimal {
		return f, fmt.Errorf("only a decimal.Decimal has a scale")
	}
	if !scaled && f.column.Kind == Decimal {
		return f, fmt.Errorf("a decimal.Decimal needs its number of decimals, such as scale=2 in the tag store")
	}
	return f, nil
}

func accessOf[T any](get func(Value) T, set func(T) (Value, error)) (func(unsafe.Pointer, Value), func(unsafe.Pointer) (Value, error)) {
	return func(at unsafe.Pointer, v Value) { *(*T)(at) = get(v) },
		func(at unsafe.Pointer) (Value, error) { return set(*(*T)(at)) }
}

func nullable(t reflect.Type, load func(unsafe.Pointer, Value), value func(unsafe.Pointer) (Value, error)) (func(unsafe.Pointer, Value), func(unsafe.Pointer) (Value, error)) {
	return func(at unsafe.Pointer, v Value) {
			if v.IsNull() {
				*(*unsafe.Pointer)(at) = nil
				return
			}
			target := reflect.New(t).UnsafePointer()
			load(target, v)
			*(*unsafe.Pointer)(at) = target
		}, func(at unsafe.Pointer) (Value, error) {
			target := *(*unsafe.Pointer)(at)
			if target == nil {
				return Null, nil
			}
			return value(target)
		}
}

func textValue(column string) func(string) (Value, error) {
	return func(s string) (Value, error) {
		if !isText(s) {
			return Null, &TextError{Column: column}
		}
		return String(s), nil
	}
}

// textAccess is for types that marshal themselves as text. A value that cannot be
// unmarshaled from the stored text keeps its zero value.
func textAccess(t reflect.Type, column string) (func(unsafe.Pointer, Value), func(unsafe.Pointer) (Value, error)) {
	check := textValue(column)
	textOf := marshaledText
	if appendsItself(t) {
		textOf = appendedText
	}
	return func(at unsafe.Pointer, v Value) {
			into := reflect.NewAt(t, at)
			into.Elem().SetZero()
			if into.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(v.Text())) != nil {
				into.Elem().SetZero()
			}
		}, func(at unsafe.Pointer) (Value, error) {
			text, err := textOf(reflect.NewAt(t, at).Interface())
			if err != nil {
				return Null, fmt.Errorf("store: %s: %w", column, err)
			}
			return check(text)
		}
}

func marshaledText(v any) (string, error) {
	text, err := v.(encoding.TextMarshaler).MarshalText()
	return string(text), err
}

// texts are buffers for appendedText, of at most maxTextBuffer bytes.
var texts = sync.Pool{New: func() any { return new([]byte) }}

const maxTextBuffer = 64 << 10

// appendedText is marshaledText of an [encoding.TextAppender], with one allocation.
func appendedText(v any) (string, error) {
	buffer := texts.Get().(*[]byte)
	text, err := v.(encoding.TextAppender).AppendText((*buffer)[:0])
	made := string(text)
	if cap(text) <= maxTextBuffer {
		*buffer = text
		texts.Put(buffer)
	}
	return made, err
}

func decimalAccess(c *Column) (func(unsafe.Pointer, Value), func(unsafe.Pointer) (Value, error)) {
	scale, name := c.Scale, c.Name
	return func(at unsafe.Pointer, v Value) {
			// decimal.New fails only for a scale that fieldOf refuses.
			*(*decimal.Decimal)(at) = decimal.MustNew(v.n, scale)
		}, func(at unsafe.Pointer) (Value, error) {
			d := (*(*decimal.Decimal)(at)).Rescale(scale)
			if coef := d.Coef(); d.Scale() == scale && coef <= 1<<63-1 {
				n := int64(coef)
				if d.IsNeg() {
					n = -n
				}
				return Int(n), nil
			}
			return Null, fmt.Errorf("store: %s is too large an amount: %s", name, d)
		}
}
