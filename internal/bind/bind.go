// Package bind sets the fields of structs from the bodies and the query parameters of
// requests (§4). Callers outside of the library use [shopapi.Request.Bind] and
// [shopapi.Request.BindFilter].
//
// Every value becomes texts first, then a conversion of the field's [Kind] reads the
// texts: a body and a parameter accept the same texts and refuse the others in the
// same words. Bodies are converted directly; parameters, which arrive as
// [net/url.Values], go through gorilla/schema (filter.go).
//
// [shopapi.Request.Bind]: https://pkg.go.dev/github.com/shopapi/shopapi#Request.Bind
// [shopapi.Request.BindFilter]: https://pkg.go.dev/github.com/shopapi/shopapi#Request.BindFilter
package bind

import (
	"encoding/json"
	"reflect"
)

// A Problem is the reason why a value does not fit its field.
type Problem struct {
	Field string // as named in the request
	Text  string // "must be a whole number, not …"
}

// Body sets the fields of the struct that dst points to, by their json tags. A null
// sets the zero value; fields without a value in the body, and fields with a problem,
// do not change. The problems are in the order of the struct.
func Body(dst any, body map[string]json.RawMessage) (problems []Problem) {
	target := reflect.ValueOf(dst).Elem()
	fields := fieldsOf(target.Type())
	for i := range fields {
		f := &fields[i]
		raw, sent := body[f.Name]
		if !sent {
			continue
		}
		value, problem := f.bodyValue(raw)
		if problem != "" {
			problems = append(problems, Problem{f.Name, problem})
			continue
		}
		set(target.FieldByIndex(f.index), value)
	}
	return problems
}

// bodyValue converts a value of a body. The zero Value means that the field becomes
// empty.
func (f *field) bodyValue(raw json.RawMessage) (value reflect.Value, problem string) {
	if raw[0] == 'n' {
		return value, ""
	}
	texts, problem := f.bodyTexts(raw)
	if problem != "" || len(texts) == 0 {
		return value, problem
	}
	return f.convert(texts)
}

// convert reads the texts of a field into a new value of its type.
func (f *field) convert(texts []string) (value reflect.Value, problem string) {
	value = reflect.New(f.value).Elem()
	if !f.Kind.isList() {
		return value, f.readInto(value, texts[0])
	}
	value.Set(reflect.MakeSlice(f.value, len(texts), len(texts)))
	for i, text := range texts {
		if problem := f.readInto(value.Index(i), text); problem != "" {
			return reflect.Value{}, problem
		}
	}
	return value, ""
}

// set gives a field its value. A pointer gets a new target: other copies of the struct
// may share the old one.
func set(field, value reflect.Value) {
	switch {
	case !value.IsValid():
		field.SetZero()
	case field.Kind() == reflect.Pointer:
		field.Set(value.Addr())
	default:
		field.Set(value)
	}
}
