package apidoc

import (
	"encoding"
	"encoding/json"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/jsonenc"
)

// A schema is a JSON Schema, as OpenAPI 3.1 has them.
type schema = map[string]any

// schemas are the components created so far.
type schemas struct {
	components map[string]schema
	names      map[reflect.Type]string // of the schemas of responses
	forms      map[reflect.Type]string // of the schemas of bodies
}

func newSchemas() *schemas {
	return &schemas{components: map[string]schema{}, names: map[reflect.Type]string{}, forms: map[reflect.Type]string{}}
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

// fixed returns the schemas of types whose form cannot be derived.
func fixed(t reflect.Type) (schema, bool) {
	switch t {
	case reflect.TypeFor[shopapi.Flag]():
		return schema{"type": "string", "enum": []any{"Y", "N"}}, true
	case reflect.TypeFor[decimal.Decimal]():
		return schema{"type": "string", "pattern": amountPattern, "format": "decimal"}, true
	case reflect.TypeFor[shopapi.IDList]():
		return schema{"type": "string", "description": "Ids joined by commas."}, true
	case reflect.TypeFor[shopapi.Map]():
		return schema{"type": "object"}, true
	case reflect.TypeFor[shopapi.JSON]():
		return schema{"type": []string{"object", "array", "string", "number", "boolean"}}, true
	case reflect.TypeFor[json.RawMessage]():
		return schema{}, true
	}
	return nil, false
}

// orEmptyList returns the schema of an object that is written as [] if empty.
func orEmptyList(s schema) schema {
	return schema{"anyOf": []schema{s, {"type": "array", "maxItems": 0}}}
}

// answered returns the schema of a type in responses.
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
		return orEmptyList(s.named(images.WireType()))
	case reflect.TypeFor[images.Pairs]():
		return orEmptyList(schema{"type": "object", "additionalProperties": s.named(images.WireType())})
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

// named returns the reference to the component of a struct that is nested in others.
func (s *schemas) named(t reflect.Type) schema {
	if t.Name() == "" {
		return s.object(t)
	}
	name, known := s.names[t]
	if !known {
		name = s.free(camel(path.Base(t.PkgPath())) + camel(t.Name()))
		s.names[t] = name
		s.components[name] = schema{} // so that a recursive type finds it
		s.components[name] = s.object(t)
	}
	return ref(name)
}

// free returns an unused name for a component.
func (s *schemas) free(name string) string {
	for {
		if _, taken := s.components[name]; !taken {
			return name
		}
		name += "_"
	}
}

// object returns the schema of a struct in responses: members without omitempty are
// required. The extension x-order lists them in order. If a Go type does not show the JSON types of
// a member, its tag types names them, such as types:"object array".
func (s *schemas) object(t reflect.Type) schema {
	properties, required, order := schema{}, []string{}, []string{}
	for _, m := range membersOf(t) {
		property := s.answered(m.field.Type)
		if m.quoted {
			property = quoted(m.field.Type, property)
		}
		switch types := strings.Fields(m.field.Tag.Get("types")); len(types) {
		case 0:
		case 1:
			property = with(property, "type", types[0])
		default:
			property = with(property, "type", types)
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

// formatOf returns the format of a text by the name of its field in the interface.
func formatOf(name string) string {
	if name == "timestamp" || strings.HasSuffix(name, "_timestamp") || strings.HasSuffix(name, "_at") {
		return "unix-time"
	}
	return "" // an e-mail address may be empty, which the format email does not allow
}

// quoted returns the schema of a number or boolean that is sent as a text.
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

// with returns a schema with a further keyword.
func with(s schema, keyword string, value any) schema {
	c := make(schema, len(s)+1)
	maps.Copy(c, s)
	c[keyword] = value
	return c
}

// nullable returns a schema that also accepts null.
func nullable(s schema) schema {
	switch kind := s["type"].(type) {
	case string:
		n := with(s, "type", []string{kind, "null"})
		if values, ok := s["enum"].([]any); ok {
			n["enum"] = append(values[:len(values):len(values)], nil)
		}
		return n
	case []string:
		if slices.Contains(kind, "null") {
			return s
		}
		return with(s, "type", append(slices.Clone(kind), "null"))
	}
	if len(s) == 0 {
		return s
	}
	return schema{"anyOf": []schema{s, {"type": "null"}}}
}

// camel returns a name in the form of Go types: CallRequests for call_requests.
func camel(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
