package apidoc

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
)

var paramsType = reflect.TypeFor[shopapi.Params]()

// An endpoint is an entity at one of its places, to be described.
type endpoint struct {
	*builder
	shopapi.Place
	name       string // of its components, such as CallRequests
	id         string // of its operations, such as call_requests
	path       string
	parameters []openapi31.ParameterOrReference // of the path

	fields, filters []shopapi.Rule
}

// addPlace adds the operations of an entity at a place. Where the entity is found at
// several places, its components are those of the first.
func (b *builder) addPlace(ctx context.Context, p shopapi.Place) {
	e := &endpoint{builder: b, Place: p}
	own := []string{p.Name}
	if p.OnlyHere {
		own = []string{p.Parents[len(p.Parents)-1].Name, p.Name}
	}
	e.name = camel(strings.Join(own, "_"))
	e.fields, e.filters = p.Rules(ctx)
	var ids []string
	for _, parent := range p.Parents {
		ids = append(ids, parent.Name)
		e.path += "/" + parent.Name + "/" + e.idIn(parent)
	}
	e.path += "/" + p.Name
	e.id = strings.Join(append(ids, p.Name), "_")
	if !b.endpoints[e.name] {
		b.endpoints[e.name] = true
		e.addComponents()
		e.addTag()
	}
	e.addPath(e.path, e.collection())
	item := e.path + "/" + e.idIn(p.Description)
	e.addPath(item, e.object())
	for _, action := range p.Actions {
		e.addPath(item+"/"+action.Name, openapi31.PathItem{Post: e.act(action)})
	}
}

// idIn adds the parameter of an object's id to the path, and returns its place there.
func (e *endpoint) idIn(d shopapi.Description) string {
	name := cmp.Or(d.IDField, "id")
	for slices.ContainsFunc(e.parameters, func(p openapi31.ParameterOrReference) bool { return p.Parameter.Name == name }) {
		name += "_"
	}
	required := true
	description := "The id of the object of " + d.Name + "."
	e.parameters = append(e.parameters, openapi31.ParameterOrReference{Parameter: &openapi31.Parameter{
		Name: name, In: openapi31.ParameterInPath, Required: &required, Description: &description, Schema: schema{"type": "string"},
	}})
	return "{" + name + "}"
}

// addPath adds a path that has operations.
func (e *endpoint) addPath(path string, item openapi31.PathItem) {
	if item.Get == nil && item.Put == nil && item.Post == nil && item.Delete == nil {
		return
	}
	for _, p := range e.parameters {
		if strings.Contains(path, "{"+p.Parameter.Name+"}") {
			item.Parameters = append(item.Parameters, p)
		}
	}
	e.spec.Paths.MapOfPathItemValues[path] = item
}

// addTag adds what is said of the entity as a whole.
func (e *endpoint) addTag() {
	summary := cmp.Or(e.Summary, "The entity "+e.Name+".")
	names := make([]string, 0, len(e.Place.Description.Parents))
	for _, parent := range e.Place.Description.Parents {
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
		"name": e.Name, "idField": e.IDField, "operations": operations, "actions": actions,
		"parents": names, "list": cmp.Or(string(e.Shape), "enveloped"), "sorts": e.Sorts, "descending": e.Descending,
		"privileges": map[string]string{"view": e.Privileges.View, "manage": e.Privileges.Manage},
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
	body := s.bodyOf(payload, e.fields)
	e.addObjects(body)
	if e.offers(shopapi.OpUpdate) || e.offers(shopapi.OpCreate) && e.nestedCreates() {
		s.components[e.name+"Update"] = body
	}
	if e.offers(shopapi.OpUpdate) {
		s.components[e.name+"Updated"] = e.reply(e.api.Dialect() == shopapi.Live && e.IDField == "product_id")
	}
	if e.offers(shopapi.OpCreate) {
		create := body
		if required := requiredOf(e.fields, nil); len(required) > 0 {
			create = with(body, "required", required)
		}
		s.components[e.name+"Create"] = create
		s.components[e.name+"Created"] = e.reply(e.api.Dialect() == shopapi.Live && !e.StringIDs)
	}
	if e.Params != nil {
		s.components[e.params()] = s.object(e.Params)
	}
	for _, f := range e.filterFields() {
		if rule := ruleOn(e.filters, f.Name); !rule.Required {
			p := e.newParameter(f, rule)
			e.spec.Components.Parameters[e.name+"."+f.Name] = openapi31.ParameterOrReference{Parameter: p}
		}
	}
}

// nestedCreates reports whether a body of POST under a parent may need less than one
// at the top.
func (e *endpoint) nestedCreates() bool {
	return len(requiredOf(e.fields, nil)) > 0 && len(e.Place.Description.Parents) > 0
}

// addObjects adds the schemas of what is read. Fields that no body has are read-only.
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
	lists := e.offers(shopapi.OpList)
	if e.offers(shopapi.OpGet) || lists && item == e.Object {
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

// filterFields are the parameters of the filter of lists.
func (e *endpoint) filterFields() []shopapi.BoundField {
	if e.Filter == nil || !e.offers(shopapi.OpList) {
		return nil
	}
	return shopapi.BoundFields(e.Filter)
}

// newParameter is a parameter of lists.
func (e *endpoint) newParameter(f shopapi.BoundField, rule shopapi.Rule) *openapi31.Parameter {
	p := &openapi31.Parameter{Name: f.Name, In: openapi31.ParameterInQuery, Schema: parameterOf(f, rule)}
	for _, m := range membersOf(e.Filter) {
		if text := textOf(m); m.name == f.Name && text != "" {
			p.Description = &text
		}
	}
	if p.Schema["type"] == "array" {
		explode := false
		p.Explode = &explode
	}
	return p
}

func (e *endpoint) objectOf(of reflect.Type) schema {
	if of == nil || of.Kind() != reflect.Struct {
		return schema{"type": "object"}
	}
	return e.schemas.object(of)
}

// list is the schema of a list in the shape that it has.
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
		"properties": schema{key: items, "params": ref(e.params())},
	}
}

// params is the name of the schema of the parameters in a list.
func (e *endpoint) params() string {
	if e.Params == nil {
		return "Params"
	}
	return e.name + "Params"
}

// reply is the schema of what POST and PUT answer.
func (e *endpoint) reply(number bool) schema {
	id := schema{"type": "string"}
	if number {
		id = schema{"type": []string{"integer", "string"}}
	}
	properties, order := schema{}, []string{}
	if e.IDField != "" {
		properties[e.IDField], order = id, []string{e.IDField}
	}
	for _, m := range e.More {
		properties[m.Name] = e.schemas.answered(reflect.TypeOf(m.Value))
		order = append(order, m.Name)
	}
	return schema{"type": "object", "properties": properties, "x-order": order, "required": order[:min(1, len(order))]}
}

func (e *endpoint) offers(op shopapi.Operation) bool { return slices.Contains(e.Operations, op) }

// operation is what is said of every one.
func (e *endpoint) operation(op, summary string, privilege string) *openapi31.Operation {
	id := e.id + "_" + op
	description := fmt.Sprintf("Needs the privilege %s.", privilege)
	return &openapi31.Operation{
		Tags: []string{e.tag()}, ID: &id, Summary: &summary, Description: &description,
		MapOfAnything: map[string]any{"x-privilege": privilege},
	}
}

// collection are the operations of the entity's own address.
func (e *endpoint) collection() (item openapi31.PathItem) {
	if e.offers(shopapi.OpList) {
		headers := headerRefs("ETag")
		if e.Shape != shopapi.EnvelopedList && e.Shape != shopapi.EnvelopedKeyedList {
			headers = headerRefs("ETag", "X-Total-Count", "Link")
		}
		item.Get = e.operation("list", "List "+e.plural(), e.Privileges.View)
		item.Get.Parameters = e.listParameters()
		item.Get.Responses = answers(map[string]openapi31.Response{
			"200": {Description: "The list.", Headers: headers, Content: content(ref(e.name + "List"))},
			"304": {Description: "The list is as If-None-Match says.", Headers: headerRefs("ETag")},
		}, anyRequest...)
	}
	if e.offers(shopapi.OpCreate) {
		item.Post = e.operation("create", "Create one of "+e.plural(), e.Privileges.Manage)
		item.Post.Parameters = append(e.languageParameters(), parameterRef("Idempotency-Key"))
		item.Post.RequestBody = requestBody(e.createBody())
		item.Post.Responses = answers(map[string]openapi31.Response{
			"201": {Description: "It was created.", Content: content(ref(e.name + "Created"))},
		}, append(withBody[:len(withBody):len(withBody)], conflict, otherBody)...)
	}
	return item
}

func (e *endpoint) plural() string {
	name := strings.ReplaceAll(e.Name, "_", " ")
	if len(e.Parents) > 0 {
		name += " of " + strings.ReplaceAll(e.Parents[len(e.Parents)-1].Name, "_", " ")
	}
	return name
}

// createBody is the schema of POST. Under a parent the fields that say which one are
// not needed.
func (e *endpoint) createBody() schema {
	if len(e.Parents) == 0 || e.OnlyHere {
		return ref(e.name + "Create")
	}
	parent := e.Parents[len(e.Parents)-1]
	required := requiredOf(e.fields, &parent)
	switch {
	case len(required) == len(requiredOf(e.fields, nil)):
		return ref(e.name + "Create")
	case len(required) == 0:
		return ref(e.name + "Update")
	}
	return schema{"allOf": []schema{ref(e.name + "Update"), {"required": required}}}
}

func requestBody(s schema) *openapi31.RequestBodyOrReference {
	required := true
	return &openapi31.RequestBodyOrReference{RequestBody: &openapi31.RequestBody{
		Required: &required,
		Content: map[string]openapi31.MediaType{
			"application/json":                  {Schema: s},
			"application/x-www-form-urlencoded": {Schema: s},
		},
	}}
}

// listParameters are the parameters of a list: pages, the order, and the filter.
func (e *endpoint) listParameters() []openapi31.ParameterOrReference {
	list := []openapi31.ParameterOrReference{parameterRef("page"), parameterRef("items_per_page")}
	if len(e.Sorts) > 0 {
		description := "The sort key."
		list = append(list, openapi31.ParameterOrReference{Parameter: &openapi31.Parameter{
			Name: "sort_by", In: openapi31.ParameterInQuery, Description: &description,
			Schema: schema{"type": "string", "enum": codes(e.Sorts), "default": e.Sorts[0]},
		}}, parameterRef("sort_order"))
	}
	for _, f := range e.filterFields() {
		list = append(list, e.filterParameter(f))
	}
	return append(append(list, e.languageParameters()...), parameterRef("If-None-Match"))
}

// languageParameters are those that name the language of texts, where the entity has
// texts in several.
func (e *endpoint) languageParameters() []openapi31.ParameterOrReference {
	if len(e.Translated) == 0 {
		return nil
	}
	return []openapi31.ParameterOrReference{parameterRef("sl")}
}

// filterParameter is a parameter of the filter. One that is required is said where it
// is: an address through a parent may stand for it.
func (e *endpoint) filterParameter(f shopapi.BoundField) openapi31.ParameterOrReference {
	rule := ruleOn(e.filters, f.Name)
	if !rule.Required {
		return parameterRef(e.name + "." + f.Name)
	}
	p := e.newParameter(f, rule)
	required := len(e.Parents) == 0 || e.Parents[len(e.Parents)-1].IDField != f.Name
	p.Required = &required
	return openapi31.ParameterOrReference{Parameter: p}
}

// object are the operations of the address of one object.
func (e *endpoint) object() (item openapi31.PathItem) {
	if e.offers(shopapi.OpGet) {
		item.Get = e.operation("get", "Read one of "+e.plural(), e.Privileges.View)
		item.Get.Parameters = append(e.languageParameters(), parameterRef("If-None-Match"))
		item.Get.Responses = answers(map[string]openapi31.Response{
			"200": {Description: "The object.", Headers: headerRefs("ETag"), Content: e.objectContent()},
			"304": {Description: "The object is as If-None-Match says.", Headers: headerRefs("ETag")},
		}, anyRequest...)
	}
	conditions := []openapi31.ParameterOrReference{parameterRef("If-Match"), parameterRef("If-None-Match")}
	if e.offers(shopapi.OpUpdate) {
		item.Put = e.operation("update", "Change one of "+e.plural(), e.Privileges.Manage)
		item.Put.Parameters = append(e.languageParameters(), conditions...)
		item.Put.RequestBody = requestBody(ref(e.name + "Update"))
		item.Put.Responses = answers(map[string]openapi31.Response{
			"200": {Description: "It was changed; the ETag is there where the request had a precondition.", Headers: headerRefs("ETag"), Content: content(ref(e.name + "Updated"))},
		}, append(withBody[:len(withBody):len(withBody)], precondition)...)
	}
	if e.offers(shopapi.OpDelete) {
		item.Delete = e.operation("delete", "Delete one of "+e.plural(), e.Privileges.Manage)
		item.Delete.Parameters = conditions
		item.Delete.Responses = answers(map[string]openapi31.Response{
			"204": {Description: "It was deleted."},
		}, append(anyRequest[:len(anyRequest):len(anyRequest)], precondition)...)
	}
	return item
}

// act is the operation of an action.
func (e *endpoint) act(action shopapi.Action) *openapi31.Operation {
	summary := cmp.Or(action.Summary, "Carry out "+strings.ReplaceAll(action.Name, "_", " "))
	o := e.operation(action.Name, strings.TrimSuffix(summary, "."), e.Privileges.Manage)
	body := e.name + camel(action.Name)
	if _, known := e.schemas.components[body]; !known {
		e.schemas.components[body] = e.schemas.bodyOf(action.Payload, nil)
	}
	o.RequestBody = requestBody(ref(body))
	required := false
	o.RequestBody.RequestBody.Required = &required
	o.Responses = answers(map[string]openapi31.Response{
		"201": {Description: "It was carried out.", Content: content(schema{"type": "object", "additionalProperties": schema{}})},
	}, withBody...)
	return o
}
