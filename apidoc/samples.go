package apidoc

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/jsonenc"
)

// sampled returns the schema of a type with its own encoding, derived from samples: its
// zero value and, for lists and maps, a value with one element. Null and empty samples
// have no type; if all are such, the schema is empty and accepts every value.
func (s *schemas) sampled(t reflect.Type) schema {
	var forms []schema
	add := func(v reflect.Value) bool {
		form := s.formOf(v)
		if form == nil {
			return false
		}
		if len(forms) == 0 || !reflect.DeepEqual(forms[0], form) {
			forms = append(forms, form)
		}
		return true
	}
	empty := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 || !add(empty) || !add(reflect.Append(empty, filled(t.Elem()))) || len(forms) == 1 {
			return schema{}
		}
	case reflect.Map:
		one := reflect.MakeMap(t)
		one.SetMapIndex(filled(t.Key()), filled(t.Elem()))
		if !add(reflect.MakeMap(t)) || !add(one) {
			return schema{}
		}
	case reflect.Struct:
		if t.NumField() > 0 && !isNumber(t) || !add(empty) {
			return schema{}
		}
	default:
		return schema{}
	}
	if len(forms) == 1 {
		return forms[0]
	}
	// The sample with members describes the map better than the empty one.
	if forms[0]["type"] == "object" && forms[1]["type"] == "object" || forms[0]["type"] == "array" && forms[1]["type"] == "array" {
		return forms[1]
	}
	return schema{"anyOf": forms}
}

// isNumber reports whether a type is a decimal number with its own encoding, which is the same for
// all numbers.
func isNumber(t reflect.Type) bool {
	return t.NumField() == 1 && t.Field(0).Type == reflect.TypeFor[decimal.Decimal]()
}

// filled returns a value of a type with non-zero fields.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch kind := t.Kind(); {
	case kind == reflect.String:
		v.SetString("1")
	case v.CanInt():
		v.SetInt(1)
	case v.CanUint():
		v.SetUint(1)
	case kind == reflect.Struct:
		for i := range t.NumField() {
			if field := v.Field(i); field.CanSet() && (field.Kind() == reflect.String || field.CanInt() || field.CanUint() || t.Field(i).Anonymous) {
				field.Set(filled(field.Type()))
			}
		}
	}
	return v
}

// formOf returns the schema of a value's encoding; its elements come from the value.
func (s *schemas) formOf(v reflect.Value) (form schema) {
	defer func() {
		if recover() != nil { // the type cannot encode such a value
			form = nil
		}
	}()
	data, err := jsonenc.Append(nil, v.Interface())
	if err != nil || len(data) == 0 {
		return nil
	}
	switch data[0] {
	case 'n':
		return schema{"type": "null"}
	case '"':
		return schema{"type": "string"}
	case 't', 'f':
		return schema{"type": "boolean"}
	case '[':
		var items []json.RawMessage
		if json.Unmarshal(data, &items) != nil {
			return nil
		}
		if len(items) == 0 {
			return schema{"type": "array", "items": schema{}, "maxItems": 0}
		}
		return schema{"type": "array", "items": s.elementOf(v, items[0])}
	case '{':
		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) != nil {
			return nil
		}
		for _, member := range members {
			return schema{"type": "object", "additionalProperties": s.elementOf(v, member)}
		}
		return schema{"type": "object", "additionalProperties": schema{}}
	}
	return schema{"type": "number"}
}

// elementOf returns the schema of the element of a list or map as the list writes it:
// the schema of its type if both encode alike.
func (s *schemas) elementOf(v reflect.Value, written json.RawMessage) schema {
	if kind := v.Kind(); kind != reflect.Slice && kind != reflect.Map {
		return schema{}
	}
	elem := v.Type().Elem()
	own, err := jsonenc.Append(nil, filled(elem).Interface())
	if err == nil && bytes.Equal(own, written) {
		return s.answered(elem)
	}
	if written[0] == '"' {
		return schema{"type": "string"}
	}
	return schema{}
}
