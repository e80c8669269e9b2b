package apidoc

import (
	"bytes"
	"encoding"
	"encoding/json"
	"path"
	"reflect"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/jsonenc"
)

// A schema is a JSON Schema, as OpenAPI 3.1 has them.
type schema = map[string]any

// The schemas of a document are the components that were made so far.
type schemas struct {
	components map[string]schema
	names      map[reflect.Type]string
}

func newSchemas() *schemas {
	return &schemas{components: map[string]schema{}, names: map[reflect.Type]string{}}
}

func ref(name string) schema { return schema{"$ref": "#/components/schemas/" + name} }

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	jsonAppender  = reflect.TypeFor[jsonenc.Appender]()
)

// The patterns of numbers that are texts on the wire.
const (
	wholePattern  = `^-?[0-9]+$`
	amountPattern = `^-?[0-9]+(\.[0-9]+)?$`
)

// fixed are the schemas of types that say nothing of their form by themselves.
func fixed(t reflect.Type) (schema, bool) {
	switch t {
	case reflect.TypeFor[shopapi.Flag]():
		return schema{"type": "string", "enum": []any{"Y", "N"}}, true
	case reflect.TypeFor[decimal.Decimal]():
		return schema{"type": "string", "pattern": amountPattern, "format": "decimal"}, true
	case reflect.TypeFor[shopapi.IDList]():
		return schema{"type": "string", "description": "Ids joined by commas."}, true
	case reflect.TypeFor[shopapi.JSON](), reflect.TypeFor[json.RawMessage]():
		return schema{}, true
	}
	return nil, false
}

// orNothing is the schema of an object in whose place an empty list stands where there is
// none.
func orNothing(s schema) schema {
	return schema{"anyOf": []schema{s, {"type": "array", "maxItems": 0}}}
}

// answered is the schema of a type as answers show it.
func (s *schemas) answered(t reflect.Type) schema {
	if t == nil {
		return schema{}
	}
	if known, ok := fixed(t); ok {
		return known
	}
	if t.Kind() == reflect.Pointer {
		return nullable(s.answered(t.Elem()))
	}
	switch t {
	case reflect.TypeFor[images.Pair]():
		return orNothing(s.named(images.WireType()))
	case reflect.TypeFor[images.Pairs]():
		return orNothing(schema{"type": "object", "additionalProperties": s.named(images.WireType())})
	}
	p := reflect.PointerTo(t)
	switch {
	case t.Kind() == reflect.Interface:
		return schema{}
	case p.Implements(jsonAppender), p.Implements(jsonMarshaler):
		return s.sampled(t)
	case p.Implements(textMarshaler):
		return schema{"type": "string"}
	}
	switch kind := t.Kind(); {
	case kind == reflect.String:
		return schema{"type": "string"}
	case kind == reflect.Bool:
		return schema{"type": "boolean"}
	case kind >= reflect.Int && kind <= reflect.Uint64:
		return schema{"type": "integer", "format": "int64"}
	case kind == reflect.Float32 || kind == reflect.Float64:
		return schema{"type": "number"}
	case kind == reflect.Slice || kind == reflect.Array:
		return schema{"type": "array", "items": s.answered(t.Elem())}
	case kind == reflect.Map:
		return schema{"type": "object", "additionalProperties": s.answered(t.Elem())}
	case kind == reflect.Struct:
		return s.named(t)
	}
	return schema{}
}

// named is the reference to the component of a struct that stands in others.
func (s *schemas) named(t reflect.Type) schema {
	if t.Name() == "" {
		return s.object(t)
	}
	name, known := s.names[t]
	if !known {
		name = s.free(camel(path.Base(t.PkgPath())) + camel(t.Name()))
		s.names[t] = name
		s.components[name] = schema{} // so that a type that holds itself finds it
		s.components[name] = s.object(t)
	}
	return ref(name)
}

// free is a component's name that no other has.
func (s *schemas) free(name string) string {
	for {
		if _, taken := s.components[name]; !taken {
			return name
		}
		name += "_"
	}
}

// object is the schema of a struct as answers show it: all members are there that are
// never left out. The extension x-order has their order.
func (s *schemas) object(t reflect.Type) schema {
	properties, required, order := schema{}, []string{}, []string{}
	for _, m := range membersOf(t) {
		property := s.answered(m.field.Type)
		if m.quoted {
			property = quoted(m.field.Type, property)
		}
		if format := formatOf(m.name); format != "" && property["type"] == "string" {
			property = with(property, "format", format)
		}
		properties[m.name] = described(property, textOf(m))
		order = append(order, m.name)
		if !m.optional {
			required = append(required, m.name)
		}
	}
	o := schema{"type": "object", "properties": properties, "x-order": order}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

// formatOf is the format of a text by the name of its field, as the interface uses
// the names.
func formatOf(name string) string {
	switch {
	case name == "timestamp" || strings.HasSuffix(name, "_timestamp"):
		return "unix-time"
	case name == "email":
		return "email"
	}
	return ""
}

// quoted is the schema of a number or a boolean that is sent as a text.
func quoted(t reflect.Type, plain schema) schema {
	if t.Kind() == reflect.Pointer {
		return nullable(quoted(t.Elem(), schema{}))
	}
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		return schema{"type": "string", "enum": []any{"true", "false"}}
	case kind >= reflect.Int && kind <= reflect.Uint64:
		return schema{"type": "string", "pattern": wholePattern}
	case kind == reflect.Float32 || kind == reflect.Float64:
		return schema{"type": "string", "pattern": amountPattern}
	}
	return plain
}

// with is a schema with one keyword more.
func with(s schema, keyword string, value any) schema {
	c := make(schema, len(s)+1)
	for k, v := range s {
		c[k] = v
	}
	c[keyword] = value
	return c
}

// nullable is a schema that null fits too.
func nullable(s schema) schema {
	switch kind := s["type"].(type) {
	case string:
		n := with(s, "type", []string{kind, "null"})
		if values, ok := s["enum"].([]any); ok {
			n["enum"] = append(values[:len(values):len(values)], nil)
		}
		return n
	case []string:
		return s
	}
	if len(s) == 0 {
		return s
	}
	return schema{"anyOf": []schema{s, {"type": "null"}}}
}

// sampled is the schema of a type that encodes itself: of its zero value, and for
// lists and maps of one with an element whose fields are set. Where neither tells a type
// the schema is empty, which every value fits.
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
		if t.NumField() > 0 || !add(empty) {
			return schema{}
		}
	default:
		return schema{}
	}
	if len(forms) == 1 {
		return forms[0]
	}
	// An empty map of an object with members is described by that of the members.
	if forms[0]["type"] == "object" && forms[1]["type"] == "object" || forms[0]["type"] == "array" && forms[1]["type"] == "array" {
		return forms[1]
	}
	return schema{"anyOf": forms}
}

// filled is a value of a type that is not zero, nor are its fields.
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

// formOf is the schema of what a value encodes as; its elements, if any, are those of
// the value.
func (s *schemas) formOf(v reflect.Value) (form schema) {
	defer func() {
		if recover() != nil { // the type does not encode such a value
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

// elementOf is the schema of the element of a list or a map, as the list writes it:
// that of its type where it writes it the same way.
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

// camel is a name in the form of Go types: call_requests is CallRequests.
func camel(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
