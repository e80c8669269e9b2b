// Package jsonenc writes values as JSON by a plan that it works out once per
// type. What it writes is what encoding/json writes without HTML escaping, which
// its tests hold it to; it is several times as fast for the structs that answers
// are made of. Hosts do not need it.
package jsonenc

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"sync"
	"unsafe"

	"github.com/govalues/decimal"
)

// An Appender writes itself as JSON. It stands before [json.Marshaler].
type Appender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// Append writes v as JSON to dst. It fails where encoding/json does.
func Append(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case Appender:
		if rv := reflect.ValueOf(v); rv.Kind() == reflect.Pointer && rv.IsNil() {
			return append(dst, "null"...), nil
		}
		return v.AppendJSON(dst)
	case string:
		return AppendString(dst, v), nil
	}
	rv := reflect.ValueOf(v)
	t := rv.Type()
	if t.Kind() == reflect.Pointer {
		if rv.IsNil() {
			return append(dst, "null"...), nil
		}
		return encoderOf(t.Elem())(dst, rv.UnsafePointer())
	}
	// A copy gives the value an address.
	at := reflect.New(t)
	at.Elem().Set(rv)
	return encoderOf(t)(dst, at.UnsafePointer())
}

// An encoder writes the value of its type that lies at an address.
type encoder func(dst []byte, at unsafe.Pointer) ([]byte, error)

var encoders sync.Map // of reflect.Type to encoder

var (
	appenderType  = reflect.TypeFor[Appender]()
	marshalerType = reflect.TypeFor[json.Marshaler]()
	textType      = reflect.TypeFor[encoding.TextMarshaler]()
	decimalType   = reflect.TypeFor[decimal.Decimal]()
)

func encoderOf(t reflect.Type) encoder {
	if e, ok := encoders.Load(t); ok {
		return e.(encoder)
	}
	// A type that holds itself meets this stand-in, which looks the encoder up when
	// it runs.
	encoders.LoadOrStore(t, encoder(func(dst []byte, at unsafe.Pointer) ([]byte, error) {
		return encoderOf(t)(dst, at)
	}))
	e := plan(t)
	encoders.Store(t, e)
	return e
}

func plan(t reflect.Type) encoder {
	pointer := reflect.PointerTo(t)
	switch {
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
	case pointer.Implements(appenderType):
		return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
			return reflect.NewAt(t, at).Interface().(Appender).AppendJSON(dst)
		}
	case t == decimalType:
		return amount
	case pointer.Implements(marshalerType):
		return marshaler(t)
	case pointer.Implements(textType):
		return text(t)
	}
	switch t.Kind() {
	case reflect.String:
		return func(dst []byte, at unsafe.Pointer) ([]byte, error) { return AppendString(dst, *(*string)(at)), nil }
	case reflect.Int64:
		return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
			return strconv.AppendInt(dst, *(*int64)(at), 10), nil
		}
	case reflect.Int:
		return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
			return strconv.AppendInt(dst, int64(*(*int)(at)), 10), nil
		}
	case reflect.Bool:
		return func(dst []byte, at unsafe.Pointer) ([]byte, error) { return strconv.AppendBool(dst, *(*bool)(at)), nil }
	case reflect.Pointer:
		return pointerTo(t)
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return slice(t)
		}
	case reflect.Struct:
		return structure(t)
	}
	return fallback(t)
}

// amount writes an exact decimal as its text, quoted, as its MarshalJSON does.
func amount(dst []byte, at unsafe.Pointer) ([]byte, error) {
	dst, err := (*decimal.Decimal)(at).AppendText(append(dst, '"'))
	return append(dst, '"'), err
}

// marshaler has the type write itself.
func marshaler(t reflect.Type) encoder {
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
		doc, err := reflect.NewAt(t, at).Interface().(json.Marshaler).MarshalJSON()
		if err != nil {
			return dst, err
		}
		b := bytes.NewBuffer(dst)
		err = json.Compact(b, doc)
		return b.Bytes(), err
	}
}

// text writes the text that the type has.
func text(t reflect.Type) encoder {
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
		text, err := reflect.NewAt(t, at).Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return dst, err
		}
		return AppendString(dst, string(text)), nil
	}
}

func pointerTo(t reflect.Type) encoder {
	elem := encoderOf(t.Elem())
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
		target := *(*unsafe.Pointer)(at)
		if target == nil {
			return append(dst, "null"...), nil
		}
		return elem(dst, target)
	}
}

func slice(t reflect.Type) encoder {
	elem, size := encoderOf(t.Elem()), t.Elem().Size()
	return func(dst []byte, at unsafe.Pointer) (_ []byte, err error) {
		header := (*struct {
			data     unsafe.Pointer
			len, cap int
		})(at)
		if header.data == nil {
			return append(dst, "null"...), nil
		}
		dst = append(dst, '[')
		for i := range header.len {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = elem(dst, unsafe.Add(header.data, uintptr(i)*size)); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	}
}

// fallback leaves a type to encoding/json.
func fallback(t reflect.Type) encoder {
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
		b := bytes.NewBuffer(dst)
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		if err := e.Encode(reflect.NewAt(t, at).Interface()); err != nil {
			return dst, err
		}
		return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
	}
}
