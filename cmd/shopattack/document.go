package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A document is what the campaign reads of an OpenAPI document.
type document struct {
	Paths      map[string]pathItem `json:"paths"`
	Components struct {
		Schemas  map[string]*schema `json:"schemas"`
		Examples map[string]struct {
			Value any `json:"value"`
		} `json:"examples"`
		Parameters map[string]*parameter `json:"parameters"`
	} `json:"components"`
}

// A pathItem is the operations of an address.
type pathItem struct {
	Get  *operation `json:"get"`
	Post *operation `json:"post"`
	Put  *operation `json:"put"`
}

// An operation is a method of an address.
type operation struct {
	Tags        []string     `json:"tags"`
	ID          string       `json:"operationId"`
	Parameters  []*parameter `json:"parameters"`
	Privilege   string       `json:"x-privilege"`
	RequestBody struct {
		Content map[string]struct {
			Schema   *schema        `json:"schema"`
			Examples map[string]ref `json:"examples"`
		} `json:"content"`
	} `json:"requestBody"`

	method, path string
	limit        int // of the body in bytes, 0 for maxBody
	body         *schema
	example      map[string]any
}

type ref struct {
	Ref string `json:"$ref"`
}

// name is the last part of a reference.
func (r ref) name() string { return r.Ref[strings.LastIndexByte(r.Ref, '/')+1:] }

type parameter struct {
	ref
	Name     string  `json:"name"`
	In       string  `json:"in"`
	Required bool    `json:"required"`
	Schema   *schema `json:"schema"`
}

// A schema describes a value. A nil Type admits all.
type schema struct {
	ref
	Type       types              `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`
	Members    *schema            `json:"additionalProperties"`
	AnyOf      []*schema          `json:"anyOf"`
	Enum       []any              `json:"enum"`
	Pattern    string             `json:"pattern"`
	Format     string             `json:"format"`
	MaxLength  *int               `json:"maxLength"`
	MaxItems   *int               `json:"maxItems"`
	MaxBytes   int                `json:"x-max-bytes"`
}

// UnmarshalJSON reads a schema, which may be true or false.
func (s *schema) UnmarshalJSON(data []byte) error {
	type plain schema
	if len(data) > 0 && data[0] == '{' {
		return json.Unmarshal(data, (*plain)(s))
	}
	return nil
}

// types is one name or several.
type types []string

// UnmarshalJSON reads a text or an array of texts.
func (t *types) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(t))
	}
	*t = make(types, 1)
	return json.Unmarshal(data, &(*t)[0])
}

func (s *schema) is(name string) bool { return slices.Contains(s.Type, name) }

// all returns the schemas that a value may have, with references resolved.
func (d *document) all(s *schema) []*schema {
	switch {
	case s == nil:
		return nil
	case s.Ref != "":
		return d.all(d.Components.Schemas[s.name()])
	case len(s.AnyOf) > 0:
		var list []*schema
		for _, sub := range s.AnyOf {
			list = append(list, d.all(sub)...)
		}
		return list
	}
	return []*schema{s}
}

// operations returns the operations of entities at the top, below none of another, in the
// order of their addresses.
func (d *document) operations() (list []*operation) {
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		segments := strings.Split(strings.Trim(path, "/"), "/")
		if strings.Count(path, "{") > 1 || len(segments) > 3 {
			continue
		}
		item := d.Paths[path]
		if len(segments) == 3 && item.Get != nil {
			continue // an entity below another one
		}
		for method, o := range map[string]*operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put} {
			if o == nil || o.Privilege == "" || len(segments) == 3 && method != "POST" || strings.HasSuffix(o.ID, "_match") {
				continue
			}
			o.method, o.path = method, path
			if content, ok := o.RequestBody.Content["application/json"]; ok {
				if bodies := d.all(content.Schema); len(bodies) > 0 {
					o.body = bodies[0]
				}
				for _, e := range content.Examples {
					o.example, _ = d.Components.Examples[e.name()].Value.(map[string]any)
				}
			}
			if o.example == nil {
				o.example = map[string]any{}
			}
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(a, b *operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return list
}

// entity is the entity of an operation.
func (o *operation) entity() string {
	path, _, _ := strings.Cut(o.path, "?")
	name, _, _ := strings.Cut(strings.Trim(path, "/"), "/")
	return name
}

// idName is the name of the id in the address, "" for none.
func (o *operation) idName() string {
	_, after, found := strings.Cut(o.path, "{")
	if !found {
		return ""
	}
	name, _, _ := strings.Cut(after, "}")
	return name
}

// most is the number of bytes that a body has at most.
func (o *operation) most() int { return cmp.Or(o.limit, maxBody) }

// matchOf returns the field by which an array changes objects, for operations that create
// objects of such an entity.
func (d *document) matchOf(o *operation) (field string, ok bool) {
	put := d.Paths["/"+o.entity()].Put
	if put == nil || o.method != "POST" || o.path != "/"+o.entity() {
		return "", false
	}
	for _, p := range put.Parameters {
		if p.Name == "match" && p.Schema != nil && len(p.Schema.Enum) == 1 {
			field, ok = p.Schema.Enum[0].(string)
		}
	}
	return field, ok
}

// at is the address of an object.
func (o *operation) at(id string) string {
	if id == "" {
		return o.path
	}
	return strings.Replace(o.path, "{"+o.idName()+"}", id, 1)
}
