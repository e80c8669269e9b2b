package apidoc

import (
	"encoding/json"
	"slices"
	"strings"
)

// toOpenAPI30 converts a document of OpenAPI 3.1 to 3.0.3. There a schema has one type and
// says nullable, and a reference has no other members.
//
// Null is a schema of its own beside a reference: nullable has a meaning beside a type alone.
//
// A value of an answer that has several types becomes a union, so that a generated client
// reads each of them. In bodies of requests and in parameters it gets the first of its
// types: the others are other spellings of the same value. Lists that are arrays or
// objects keyed by ids are unions there too.
func toOpenAPI30(document []byte) ([]byte, error) {
	var d map[string]any
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	d["openapi"] = "3.0.3"
	schemas, _ := walk(d, "components", "schemas").(map[string]any)
	answered := map[string]bool{}
	addAnswered(answered, schemas, walk(d, "components", "responses"))
	paths, _ := d["paths"].(map[string]any)
	eachOperation(paths, func(o map[string]any) { addAnswered(answered, schemas, o["responses"]) })

	for name, s := range schemas {
		schemas[name] = schema30(s, answered[name])
	}
	eachOperation(paths, func(o map[string]any) {
		convertSchemas(o["responses"], true)
		convertSchemas(o["requestBody"], false)
		convertSchemas(o["parameters"], false)
	})
	convertSchemas(walk(d, "components", "responses"), true)
	convertSchemas(walk(d, "components", "headers"), true)
	convertSchemas(walk(d, "components", "parameters"), false)
	convertSchemas(walk(d, "components", "requestBodies"), false)
	return json.Marshal(d)
}

// walk returns a member of members, or nil.
func walk(v any, names ...string) any {
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// eachOperation calls do for each operation of a document.
func eachOperation(paths map[string]any, do func(operation map[string]any)) {
	for _, item := range paths {
		for _, operation := range item.(map[string]any) {
			if o, ok := operation.(map[string]any); ok {
				do(o)
			}
		}
	}
}

// addAnswered adds the names of the schemas to which v refers, and the schemas to which
// they refer.
func addAnswered(names map[string]bool, schemas map[string]any, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			addAnswered(names, schemas, item)
		}
	case map[string]any:
		if to, ok := v["$ref"].(string); ok {
			name, ok := strings.CutPrefix(to, "#/components/schemas/")
			if ok && !names[name] {
				names[name] = true
				addAnswered(names, schemas, schemas[name])
			}
		}
		for _, member := range v {
			addAnswered(names, schemas, member)
		}
	}
}

// convertSchemas converts the members schema inside of responses, bodies and parameters.
func convertSchemas(v any, answer bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			convertSchemas(item, answer)
		}
	case map[string]any:
		for name, member := range v {
			switch name {
			case "schema":
				v[name] = schema30(member, answer)
			case "example", "examples":
			default:
				convertSchemas(member, answer)
			}
		}
	}
}

// schema30 returns a schema in the form of OpenAPI 3.0.
func schema30(v any, answer bool) any {
	s, ok := v.(map[string]any)
	if !ok {
		return v // true and false of additionalProperties
	}
	if to, ok := s["$ref"]; ok {
		return map[string]any{"$ref": to}
	}
	for name, member := range s {
		switch name {
		case "properties":
			properties := member.(map[string]any)
			for property, of := range properties {
				properties[property] = schema30(of, answer)
			}
		case "items", "additionalProperties":
			s[name] = schema30(member, answer)
		case "anyOf", "oneOf", "allOf":
			list := member.([]any)
			for i := range list {
				list[i] = schema30(list[i], answer)
			}
		}
	}
	types, nullable := typesOf(s)
	if !answer && len(types) > 1 && !isAnything(types) {
		types = forRequests(s, types)
	}
	delete(s, "type")
	delete(s, "contentMediaType") // 3.0 does not have it
	switch {
	case len(types) == 0:
		if nullable {
			s["type"], s["nullable"], s["enum"] = "object", true, []any{nil}
		}
	case isAnything(types):
		keepFor(s, "")
	case len(types) == 1:
		s["type"] = types[0]
		keepFor(s, types[0])
		setNullable(s, nullable)
	default:
		union := make([]any, len(types))
		for i, t := range types {
			one := map[string]any{"type": t}
			for name, member := range s {
				if !slices.Contains(notes, name) {
					one[name] = member
				}
			}
			keepFor(one, t)
			setNullable(one, nullable)
			union[i] = one
		}
		keepFor(s, "")
		s["anyOf"] = union
	}
	return s
}

// setNullable lets a schema with a type accept null. Without a type nullable has no meaning.
func setNullable(s map[string]any, nullable bool) {
	if nullable {
		s["nullable"] = true
	}
}

// forRequests returns the types of a value in requests: one, or the types of a list that may
// be an object.
func forRequests(s map[string]any, types []string) []string {
	isList := slices.Contains(types, "array") && s["items"] != nil
	isObject := slices.Contains(types, "object") && s["additionalProperties"] != nil
	if isList && isObject {
		return []string{"array", "object"}
	}
	return types[:min(1, len(types))]
}

// notes are the members of a schema that say nothing about types.
var notes = []string{"description", "title", "readOnly", "nullable", "example", "default", "deprecated", "x-order"}

// typesOf returns the types of a schema without null, and whether null is one of them.
func typesOf(s map[string]any) (types []string, nullable bool) {
	add := func(t any) {
		if t == "null" {
			nullable = true
		} else if t, ok := t.(string); ok {
			types = append(types, t)
		}
	}
	if list, ok := s["type"].([]any); ok {
		for _, t := range list {
			add(t)
		}
	} else {
		add(s["type"])
	}
	return types, nullable
}

// keywordsOf are the members of a schema that concern one type alone.
var keywordsOf = map[string][]string{
	"array":  {"items", "minItems", "maxItems", "uniqueItems"},
	"object": {"properties", "additionalProperties", "required", "minProperties", "maxProperties", "x-order"},
	"string": {"pattern", "minLength", "maxLength"},
	"number": {"minimum", "maximum", "multipleOf"},
}

// keepFor removes the members of a schema that concern other types than t.
func keepFor(s map[string]any, t string) {
	for of, names := range keywordsOf {
		if of == t || of == "number" && t == "integer" {
			continue
		}
		for _, name := range names {
			delete(s, name)
		}
	}
	if t == "array" && s["items"] == nil {
		s["items"] = map[string]any{}
	}
	if values, ok := s["enum"].([]any); ok {
		fitting := slices.DeleteFunc(slices.Clone(values), func(v any) bool { return !isOf(v, t) })
		if s["enum"] = fitting; len(fitting) == 0 {
			delete(s, "enum")
		}
	}
	if format, ok := s["format"].(string); ok && (format == "int64" || format == "int32") != (t == "integer") {
		delete(s, "format")
	}
}

// isOf reports whether a value of an enum has a type.
func isOf(v any, t string) bool {
	switch v.(type) {
	case string:
		return t == "string"
	case bool:
		return t == "boolean"
	case float64:
		return t == "number" || t == "integer"
	}
	return false
}

// isAnything reports whether values of a schema may have about any type.
func isAnything(types []string) bool {
	return slices.Contains(types, "boolean") && slices.Contains(types, "number") && slices.Contains(types, "string")
}
