package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
)

// A document is what tools are made from: an OpenAPI document.
type document struct {
	Info struct {
		Title   string `json:"title"`
		Version string `json:"version"`
	} `json:"info"`
	Paths      map[string]pathItem `json:"paths"`
	Components struct {
		Schemas    map[string]schema    `json:"schemas"`
		Parameters map[string]parameter `json:"parameters"`
	} `json:"components"`
}

type pathItem struct {
	Parameters []parameter `json:"parameters"`
	Get        *operation  `json:"get"`
	Post       *operation  `json:"post"`
	Put        *operation  `json:"put"`
	Delete     *operation  `json:"delete"`
}

type operation struct {
	OperationID string      `json:"operationId"`
	Summary     string      `json:"summary"`
	Description string      `json:"description"`
	Parameters  []parameter `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

type parameter struct {
	Ref         string `json:"$ref"`
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Schema      schema `json:"schema"`
}

// A schema is a JSON schema.
type schema map[string]any

func readDocument(data []byte) (*document, error) {
	doc := &document{}
	if err := json.Unmarshal(data, doc); err != nil {
		return nil, err
	}
	if len(doc.Paths) == 0 {
		return nil, errors.New("there are no paths in it")
	}
	return doc, nil
}

// parameter returns the parameter that p refers to, or p.
func (d *document) parameter(p parameter) (parameter, error) {
	name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/")
	if !ok {
		return p, nil
	}
	p, ok = d.Components.Parameters[name]
	if !ok {
		return p, fmt.Errorf("mcp: Options.Document has no parameter %s", name)
	}
	return p, nil
}

// schemaWords are the members of a schema that tools show. What a member of the document
// is for programs alone, such as a name of a format of the shop's, is left out.
var schemaWords = map[string]bool{
	"description": true, "type": true, "enum": true, "const": true, "default": true,
	"properties": true, "required": true, "additionalProperties": true, "items": true,
	"anyOf": true, "oneOf": true, "allOf": true, "pattern": true,
	"minimum": true, "maximum": true, "minLength": true, "maxLength": true, "minItems": true, "maxItems": true,
}

// maxDepth is how deep schemas are nested in tools; a schema that refers to itself ends
// there.
const maxDepth = 8

// selfContained returns a copy of a schema that refers to no other one.
func (d *document) selfContained(s schema, depth int) schema {
	if name, ok := s["$ref"].(string); ok {
		named := d.Components.Schemas[strings.TrimPrefix(name, "#/components/schemas/")]
		beside := maps.Clone(s)
		delete(beside, "$ref")
		s = maps.Clone(named)
		if s == nil {
			s = schema{}
		}
		maps.Copy(s, beside)
		if _, again := s["$ref"]; again && depth < maxDepth {
			return d.selfContained(s, depth+1)
		}
	}
	if depth >= maxDepth {
		return schema{}
	}
	contained := schema{}
	for word, value := range s {
		if schemaWords[word] {
			contained[word] = d.containedMember(word, value, depth+1)
		}
	}
	return contained
}

// containedMember is selfContained for the value of a member of a schema.
func (d *document) containedMember(word string, value any, depth int) any {
	switch word {
	case "items", "additionalProperties":
		if s, ok := value.(map[string]any); ok {
			return d.selfContained(s, depth)
		}
	case "properties":
		members, _ := value.(map[string]any)
		contained := map[string]any{}
		for name, member := range members {
			if s, ok := member.(map[string]any); ok && !hidden[name] {
				contained[name] = d.selfContained(s, depth)
			}
		}
		return contained
	case "anyOf", "oneOf", "allOf":
		forms, _ := value.([]any)
		contained := make([]any, 0, len(forms))
		for _, form := range forms {
			if s, ok := form.(map[string]any); ok {
				contained = append(contained, d.selfContained(s, depth))
			}
		}
		return contained
	}
	return value
}

// members returns the members of the object that a schema describes and the names of the
// required ones: of all parts of the schema, and of the first form that is an object.
func (d *document) members(s schema) (properties map[string]any, required []string) {
	return membersOf(d.selfContained(s, 0))
}

func membersOf(s schema) (properties map[string]any, required []string) {
	properties = map[string]any{}
	if named, ok := s["properties"].(map[string]any); ok {
		maps.Copy(properties, named)
	}
	names, _ := s["required"].([]any)
	for _, name := range names {
		if name, ok := name.(string); ok {
			required = append(required, name)
		}
	}
	parts, _ := s["allOf"].([]any)
	for _, part := range parts {
		more, alsoRequired := membersOf(part.(schema))
		maps.Copy(properties, more)
		required = append(required, alsoRequired...)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		forms, _ := s[word].([]any)
		for _, form := range forms {
			if more, alsoRequired := membersOf(form.(schema)); len(more) > 0 {
				maps.Copy(properties, more)
				required = append(required, alsoRequired...)
				break
			}
		}
	}
	return properties, required
}
