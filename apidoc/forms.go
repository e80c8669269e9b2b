package apidoc

import (
	"path"
	"reflect"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/bind"
)

// accepted returns the schema of the values that a type takes in bodies: fields of structs
// as [bind.Body] binds them, and the forms of types that read JSON by themselves.
func (s *schemas) accepted(t reflect.Type) schema {
	t = held(t)
	if former, ok := reflect.New(t).Elem().Interface().(shopapi.PayloadFormer); ok {
		return s.anyForm(former.PayloadForms())
	}
	switch {
	case t == reflect.TypeFor[shopapi.IDList]():
		return idList()
	case t == reflect.TypeFor[shopapi.JSON]():
		return schema{"type": []string{"object", "array", "string", "number", "boolean", "null"}}
	}
	switch t.Kind() {
	case reflect.Interface:
		return schema{"type": []string{"string", "number", "boolean", "null"}}
	case reflect.Map, reflect.Slice:
		if kind := bind.KindOf(t); kind == "" || kind == bind.Document {
			return listForm(s.accepted(t.Elem()))
		}
	case reflect.Struct:
		if bind.KindOf(t) == "" {
			return s.objectForm(t)
		}
	}
	return s.bound(bind.KindOf(t), t)
}

// anyForm returns the schema of values that have one of several forms.
func (s *schemas) anyForm(forms []any) schema {
	list := make([]schema, len(forms))
	for i, form := range forms {
		list[i] = s.accepted(reflect.TypeOf(form))
	}
	if len(list) == 1 {
		return list[0]
	}
	return schema{"anyOf": list}
}

// listForm returns the schema of a list: an array, or an object as forms send it. Null
// and the empty text are empty lists.
func listForm(item schema) schema {
	return schema{
		"type": []string{"array", "object", "string", "null"}, "maxLength": 0,
		"items": item, "additionalProperties": item,
	}
}

// idList returns the schema of a list of ids that is stored as a text.
func idList() schema {
	return schema{
		"type": []string{"array", "string", "integer", "object", "null"}, "items": schema{"type": []string{"integer", "string"}},
		"description": "A list of ids, or a text of them joined by commas.",
	}
}

// objectForm returns the schema of an object with the fields of a struct as members. Null,
// the empty text and the empty array are empty objects.
func (s *schemas) objectForm(t reflect.Type) schema {
	if t.Name() == "" {
		return s.membersForm(t)
	}
	name, known := s.forms[t]
	if !known {
		name = s.free(camel(path.Base(t.PkgPath())) + strings.TrimSuffix(camel(t.Name()), "Body") + "Body")
		s.forms[t] = name
		s.components[name] = schema{} // so that a recursive type finds it
		s.components[name] = s.membersForm(t)
	}
	return ref(name)
}

func (s *schemas) membersForm(t reflect.Type) schema {
	object := schema{"type": []string{"object", "array", "string", "null"}, "maxItems": 0, "maxLength": 0}
	if t.NumField() == 0 {
		object["additionalProperties"] = true
		return object
	}
	object["properties"], object["x-order"] = s.acceptedIn(t)
	return object
}

// cleared returns a schema that also accepts the empty text, and null among codes. The tag empty marks
// the fields of the library that accept the empty text in every body.
func cleared(s schema) schema {
	if pattern, ok := s["pattern"].(string); ok {
		s = with(s, "pattern", pattern+"|^$")
	}
	if values, ok := s["enum"].([]any); ok {
		s = with(s, "enum", append(values[:len(values):len(values)], "", nil))
	}
	return s
}

// acceptedIn returns the schemas of the members of a struct in bodies, and their order.
func (s *schemas) acceptedIn(t reflect.Type) (properties schema, order []string) {
	properties, order = schema{}, []string{}
	for _, m := range membersOf(t) {
		if m.field.Tag.Get("bind") != "-" {
			property := s.accepted(m.field.Type)
			if m.field.Tag.Get("empty") != "" {
				property = cleared(property)
			}
			properties[m.name] = described(property, textOf(m))
			order = append(order, m.name)
		}
	}
	return properties, order
}
