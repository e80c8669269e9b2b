package apidoc

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
)

// addTag adds the description of the entity as a whole.
func (e *endpoint) addTag() {
	summary := cmp.Or(e.Summary, "The entity "+e.Name+".")
	names := make([]string, 0, len(e.EntityPath.Description.Parents))
	for _, parent := range e.EntityPath.Description.Parents {
		if e.api.Registered(parent) {
			names = append(names, parent)
		}
	}
	operations := make([]string, len(e.Operations))
	for i, op := range e.Operations {
		operations[i] = string(op)
	}
	actions := make([]string, len(e.Actions))
	for i, a := range e.Actions {
		actions[i] = a.Name
	}
	entity := map[string]any{
		"name": e.Name, "idField": e.ObjectIDField(), "replyIdField": e.IDField, "operations": operations, "actions": actions,
		"parents": names, "list": cmp.Or(string(e.Shape), "enveloped"), "sorts": e.sorts(), "descending": e.Descending,
		"privileges": map[string]string{"view": e.Privileges.View, "manage": e.Privileges.Manage},
	}
	if e.Display.Label != "" {
		entity["label"] = e.Display.Label
	}
	if len(e.Display.Columns) > 0 {
		entity["columns"] = e.Display.Columns
	}
	if name := e.LogName(); name != "" {
		entity["loggedAs"] = name
	}
	if e.OnlyHere {
		entity["under"] = e.Parents[len(e.Parents)-1].Name
	}
	e.spec.Tags = append(e.spec.Tags, openapi31.Tag{
		Name: e.tag(), Description: &summary, MapOfAnything: map[string]any{"x-entity": entity},
	})
}

func (e *endpoint) tag() string {
	if e.OnlyHere {
		return e.Parents[len(e.Parents)-1].Name + "/" + e.Name
	}
	return e.Name
}

// addComponents adds the schemas of the entity's objects, lists, bodies and filter.
func (e *endpoint) addComponents() {
	s := e.schemas
	payload := e.Payload
	if payload == nil {
		payload = e.Object
	}
	body := s.bodyOf(payload, e.Body, e.Rules)
	for _, name := range e.Translated {
		if property, ok := body["properties"].(schema)[name]; ok {
			body["properties"].(schema)[name] = with(property.(schema), "x-translated", true)
		}
	}
	e.addDisplay(body)
	e.addCustom(body, true)
	e.addObjects(body)
	if e.has(shopapi.OpUpdate) {
		s.components[e.name+"Update"] = body
		s.components[e.name+"Updated"] = e.reply(e.api.Dialect() == shopapi.DialectLive && e.IDField == "product_id")
	}
	if e.has(shopapi.OpCreate) {
		create := e.createForm(body)
		if required := requiredOf(e.Rules, nil); len(required) > 0 {
			create = with(create, "required", required)
		}
		s.components[e.name+"Create"] = create
		s.components[e.name+"Created"] = e.reply(e.api.Dialect() == shopapi.DialectLive && !e.StringIDs)
	}
	if e.Params != nil {
		s.components[e.params()] = s.object(e.Params)
	}
	for _, f := range e.filterFields() {
		if rule := ruleOn(e.FilterRules, f.Name); !rule.Required {
			p := e.newParameter(f, rule)
			e.spec.Components.Parameters[e.name+"."+f.Name] = openapi31.ParameterOrReference{Parameter: p}
		}
	}
	e.addCustomParameters()
}

// isOptionalCode reports whether a field has codes and may be left out of new objects.
func isOptionalCode(r shopapi.Rule) bool { return r.OneOf != nil && !r.Required }

// createForm returns the schema of new objects without their required fields, with the defaults:
// an empty code is the default, while an update refuses it. A required text is not empty; in an
// update it may be, if the object has it so already.
func (e *endpoint) createForm(body schema) schema {
	properties := maps.Clone(body["properties"].(schema))
	for _, rule := range e.Rules {
		if property, ok := properties[rule.Field].(schema); ok && isOptionalCode(rule) {
			properties[rule.Field] = with(property, "enum", append(codes(rule.OneOf), "", nil))
		} else if ok && rule.Required && isText(property) {
			properties[rule.Field] = with(with(property, "type", []string{"string", "number"}), "minLength", 1)
		}
		if property, ok := properties[rule.Field].(schema); ok && rule.Default != "" {
			properties[rule.Field] = withDefault(property, rule.Default)
		}
	}
	return with(body, "properties", properties)
}

// withDefault describes the default of a field of new objects in words: with the keyword default,
// generators of clients take the field for a required one.
func withDefault(s schema, value string) schema {
	if value == "now" {
		value = "the time of the request"
	}
	text, _ := s["description"].(string)
	return with(s, "description", strings.TrimSpace(text+" By default "+value+"."))
}

// belowForm returns the schema of new objects below a parent, which may need fewer fields than the
// ones at the top.
func (e *endpoint) belowForm() schema {
	if e.has(shopapi.OpUpdate) && !slices.ContainsFunc(e.Rules, isOptionalCode) {
		return ref(e.name + "Update")
	}
	name := e.name + "CreateBelow"
	if _, known := e.schemas.components[name]; !known {
		form := maps.Clone(e.schemas.components[e.name+"Create"])
		delete(form, "required")
		e.schemas.components[name] = form
	}
	return ref(name)
}

// addObjects adds the schemas of objects in responses. Fields that no body has are
// read-only.
func (e *endpoint) addObjects(body schema) {
	writable := body["properties"].(schema)
	mark := func(object schema) schema {
		properties, _ := object["properties"].(schema)
		for name, property := range properties {
			if _, ok := writable[name]; !ok {
				properties[name] = with(property.(schema), "readOnly", true)
			}
		}
		return object
	}
	s, item, listed := e.schemas, e.Item, e.name+"Object"
	if item == nil {
		item = e.Object
	}
	lists := e.has(shopapi.OpList)
	if e.has(shopapi.OpGet) || lists && item == e.Object {
		s.components[listed] = mark(e.objectOf(e.Object))
	}
	if !lists {
		return
	}
	if item != e.Object {
		listed = e.name + "Item"
		s.components[listed] = mark(e.objectOf(item))
	}
	s.components[e.name+"List"] = e.list(ref(listed))
}

func (e *endpoint) objectOf(of reflect.Type) schema {
	if of == nil || of.Kind() != reflect.Struct {
		return schema{"type": "object"}
	}
	object := e.schemas.object(of)
	e.addDisplay(object)
	e.addCustom(object, false)
	return object
}

// addDisplay adds to the fields of a body or an object how pages show them.
func (e *endpoint) addDisplay(to schema) {
	properties := to["properties"].(schema)
	set := func(name, keyword, value string) {
		if property, ok := properties[name].(schema); ok {
			properties[name] = with(property, keyword, value)
		}
	}
	for name, entity := range e.Display.Relations {
		if e.api.Registered(entity) {
			set(name, "x-relation", entity)
		}
	}
	for name := range properties {
		if formatOf(name) != "" {
			set(name, "x-widget", string(shopapi.WidgetTime))
		}
	}
	for name, widget := range e.Display.Widgets {
		set(name, "x-widget", string(widget))
	}
}

// list returns the schema of a list in its shape.
func (e *endpoint) list(item schema) schema {
	items, keyed := schema{"type": "array", "items": item}, schema{"type": "object", "additionalProperties": item}
	switch e.Shape {
	case shopapi.BareList:
		return items
	case shopapi.KeyedList:
		return keyed
	case shopapi.EnvelopedKeyedList:
		items = keyed
	}
	key := cmp.Or(e.ListKey, e.Name)
	return schema{
		"type": "object", "required": []string{key, "params"}, "x-order": []string{key, "params"},
		"properties": schema{
			key:      described(items, "The objects of the page."),
			"params": described(ref(e.params()), readGlossary()["params"]),
		},
	}
}

// params returns the name of the schema for the parameters in a list.
func (e *endpoint) params() string {
	if e.Params == nil {
		return "Params"
	}
	return e.name + "Params"
}

// reply returns the schema of the responses to POST and PUT.
func (e *endpoint) reply(number bool) schema {
	id := schema{"type": "string", "description": "The id of the object."}
	if number {
		id["type"] = []string{"integer", "string"}
	}
	properties, order := schema{}, []string{}
	if e.IDField != "" {
		properties[e.IDField], order = id, []string{e.IDField}
	}
	for _, m := range e.More {
		properties[m.Name] = described(e.schemas.answered(reflect.TypeOf(m.Value)), readGlossary()[m.Name])
		order = append(order, m.Name)
	}
	return schema{"type": "object", "properties": properties, "x-order": order, "required": order[:min(1, len(order))]}
}
