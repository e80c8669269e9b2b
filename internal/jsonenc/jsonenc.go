// Package jsonenc writes values as JSON by a plan that it computes once per type. The
// output equals the output of encoding/json without HTML escaping, which its tests check.
// It is several times as fast for the structs of responses, and it stops at a limit of
// bytes and when a context ends. Hosts do not need it.
package jsonenc

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/govalues/decimal"
)

// An Appender appends its own JSON. It takes precedence over [json.Marshaler].
type Appender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// Append writes v as JSON to dst. It fails where encoding/json does.
func Append(dst []byte, v any) ([]byte, error) {
	if v, ok := v.(Appender); ok {
		return appendItself(dst, v)
	}
	return AppendWithin(dst, v, Unlimited())
}

// AppendWithin is Append that ends with [ErrTooLarge] or the error of a context
// where the limit says so.
func AppendWithin(dst []byte, v any, l *Limit) (_ []byte, err error) {
	if dst, err = appendValue(dst, v, l); err != nil {
		return dst, err
	}
	return l.Check(dst)
}

func appendValue(dst []byte, v any, l *Limit) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case limitedAppender:
		return v.AppendWithin(dst, l)
	case Appender:
		return appendItself(dst, v)
	case string:
		return appendText(dst, v, l)
	}
	rv := reflect.ValueOf(v)
	t := rv.Type()
	if t.Kind() == reflect.Pointer {
		if rv.IsNil() {
			return append(dst, "null"...), nil
		}
		return encoderOf(t.Elem())(dst, rv.UnsafePointer(), l)
	}
	// A copy gives the value an address.
	at := reflect.New(t)
	at.Elem().Set(rv)
	return encoderOf(t)(dst, at.UnsafePointer(), l)
}

// A limitedAppender writes itself until a limit ends it. A nil one is not a pointer.
type limitedAppender interface {
	AppendWithin(dst []byte, l *Limit) ([]byte, error)
}

// Marshal returns a value as JSON without escaping <, > and &, which the limit may end.
func Marshal(v any, l *Limit) ([]byte, error) {
	buffer := buffers.Get().(*[]byte)
	body, err := AppendWithin((*buffer)[:0], v, l)
	if cap(body) <= 1<<20 { // a giant is left to the garbage collector
		*buffer = body
		defer buffers.Put(buffer)
	}
	if err != nil {
		return nil, err
	}
	return bytes.Clone(body), nil
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// appendItself has v write itself, unless it is a nil pointer.
func appendItself(dst []byte, v Appender) ([]byte, error) {
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.Pointer && rv.IsNil() {
		return append(dst, "null"...), nil
	}
	return v.AppendJSON(dst)
}

// An encoder writes the value of its type that lies at an address.
type encoder func(dst []byte, at unsafe.Pointer, l *Limit) ([]byte, error)

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
	// A recursive type uses this placeholder, which looks the encoder up at run time.
	encoders.LoadOrStore(t, encoder(func(dst []byte, at unsafe.Pointer, l *Limit) ([]byte, error) {
		return encoderOf(t)(dst, at, l)
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
		return func(dst []byte, at unsafe.Pointer, l *Limit) ([]byte, error) {
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
		return func(dst []byte, at unsafe.Pointer, l *Limit) ([]byte, error) {
			return appendText(dst, *(*string)(at), l)
		}
	case reflect.Int64:
		return func(dst []byte, at unsafe.Pointer, l *Limit) ([]byte, error) {
			return strconv.AppendInt(dst, *(*int64)(at), 10), nil
		}
	case reflect.Int:
		return func(dst []byte, at unsafe.Pointer, l *Limit) ([]byte, error) {
			return strconv.AppendInt(dst, int64(*(*int)(at)), 10), nil
		}
	case reflect.Bool:
		return func(dst []byte, at unsafe.Pointer, l *Limit) ([]byte, error) {
			return strconv.AppendBool(dst, *(*bool)(at)), nil
		}
	case reflect.Pointer:
		return pointerTo(t)
	case reflect.Interface:
		return interfaceOf(t)
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return mapOf(t)
		}
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
func amount(dst []byte, at unsafe.Pointer, _ *Limit) ([]byte, error) {
	dst, err := (*decimal.Decimal)(at).AppendText(append(dst, '"'))
	return append(dst, '"'), err
}

// marshaler has the type write itself.
func marshaler(t reflect.Type) encoder {
	return func(dst []byte, at unsafe.Pointer, l *Limit) ([]byte, error) {
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
	return func(dst []byte, at unsafe.Pointer, l *Limit) ([]byte, error) {
		text, err := reflect.NewAt(t, at).Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return dst, err
		}
		return appendText(dst, string(text), l)
	}
}

func pointerTo(t reflect.Type) encoder {
	elem := encoderOf(t.Elem())
	return func(dst []byte, at unsafe.Pointer, l *Limit) ([]byte, error) {
		target := *(*unsafe.Pointer)(at)
		if target == nil {
			return append(dst, "null"...), nil
		}
		if err := l.deeper(); err != nil {
			return dst, err
		}
		dst, err := elem(dst, target, l)
		l.back()
		return dst, err
	}
}

func slice(t reflect.Type) encoder {
	elem, size := encoderOf(t.Elem()), t.Elem().Size()
	return func(dst []byte, at unsafe.Pointer, l *Limit) (_ []byte, err error) {
		header := (*struct {
			data     unsafe.Pointer
			len, cap int
		})(at)
		if header.data == nil {
			return append(dst, "null"...), nil
		}
		if err := l.deeper(); err != nil {
			return dst, err
		}
		dst = append(dst, '[')
		for i := range header.len {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = elem(dst, unsafe.Add(header.data, uintptr(i)*size), l); err != nil {
				return dst, err
			}
			if dst, err = l.Check(dst); err != nil {
				return dst, err
			}
		}
		l.back()
		return append(dst, ']'), nil
	}
}

// interfaceOf writes the value in an interface.
func interfaceOf(t reflect.Type) encoder {
	return func(dst []byte, at unsafe.Pointer, l *Limit) ([]byte, error) {
		return held(dst, reflect.NewAt(t, at).Elem().Elem(), l)
	}
}

// mapOf writes a map with texts for keys, in the order of the keys.
func mapOf(t reflect.Type) encoder {
	return func(dst []byte, at unsafe.Pointer, l *Limit) (_ []byte, err error) {
		m := reflect.NewAt(t, at).Elem()
		if m.IsNil() {
			return append(dst, "null"...), nil
		}
		keys := m.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		dst = append(dst, '{')
		for i, key := range keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendText(dst, key.String(), l); err != nil {
				return dst, err
			}
			if dst, err = held(append(dst, ':'), m.MapIndex(key), l); err != nil {
				return dst, err
			}
			if dst, err = l.Check(dst); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
}

// held writes a value in an interface or a map. It has no address, so the methods of its
// pointer do not count, as in encoding/json.
func held(dst []byte, v reflect.Value, l *Limit) ([]byte, error) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return append(dst, "null"...), nil
	}
	if t := v.Type(); implementsAny(t) && !implementsItself(t) {
		return standard(dst, v.Interface())
	}
	if err := l.deeper(); err != nil {
		return dst, err
	}
	dst, err := appendValue(dst, v.Interface(), l)
	l.back()
	return dst, err
}

// fallback leaves a type to encoding/json.
func fallback(t reflect.Type) encoder {
	return func(dst []byte, at unsafe.Pointer, l *Limit) ([]byte, error) {
		return standard(dst, reflect.NewAt(t, at).Interface())
	}
}

func standard(dst []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return dst, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
