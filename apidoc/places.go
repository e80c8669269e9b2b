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

// A topic is an entity whose operations are described, at one place.
type topic struct {
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
	t := &topic{builder: b, Place: p}
	own := []string{p.Name}
	if p.OnlyHere {
		own = []string{p.Parents[len(p.Parents)-1].Name, p.Name}
	}
	t.name = camel(strings.Join(own, "_"))
	t.fields, t.filters = p.Rules(ctx)
	var ids []string
	for _, parent := range p.Parents {
		ids = append(ids, parent.Name)
		t.path += "/" + parent.Name + "/" + t.idIn(parent)
	}
	t.path += "/" + p.Name
	t.id = strings.Join(append(ids, p.Name), "_")
	if !b.topics[t.name] {
		b.topics[t.name] = true
		t.addComponents()
		t.addTag()
	}
	t.addPath(t.path, t.collection())
	item := t.path + "/" + t.idIn(p.Description)
	t.addPath(item, t.object())
	for _, action := range p.Actions {
		t.addPath(item+"/"+action.Name, openapi31.PathItem{Post: t.act(action)})
	}
}

// idIn adds the parameter of an object's id to the path, and returns its place there.
func (t *topic) idIn(d shopapi.Description) string {
	name := cmp.Or(d.IDField, "id")
	for slices.ContainsFunc(t.parameters, func(p openapi31.ParameterOrReference) bool { return p.Parameter.Name == name }) {
		name += "_"
	}
	required := true
	description := "The id of the object of " + d.Name + "."
	t.parameters = append(t.parameters, openapi31.ParameterOrReference{Parameter: &openapi31.Parameter{
		Name: name, In: openapi31.ParameterInPath, Required: &required, Description: &description, Schema: schema{"type": "string"},
	}})
	return "{" + name + "}"
}

// addPath adds a path that has operations.
func (t *topic) addPath(path string, item openapi31.PathItem) {
	if item.Get == nil && item.Put == nil && item.Post == nil && item.Delete == nil {
		return
	}
	for _, p := range t.parameters {
		if strings.Contains(path, "{"+p.Parameter.Name+"}") {
			item.Parameters = append(item.Parameters, p)
		}
	}
	t.spec.Paths.MapOfPathItemValues[path] = item
}

// addTag adds what is said of the entity as a whole.
func (t *topic) addTag() {
	summary := cmp.Or(t.Summary, "The entity "+t.Name+".")
	names := make([]string, 0, len(t.Place.Description.Parents))
	for _, parent := range t.Place.Description.Parents {
		if t.api.Registered(parent) {
			names = append(names, parent)
		}
	}
	operations := make([]string, len(t.Operations))
	for i, op := range t.Operations {
		operations[i] = string(op)
	}
	actions := make([]string, len(t.Actions))
	for i, a := range t.Actions {
		actions[i] = a.Name
	}
	entity := map[string]any{
		"name": t.Name, "idField": t.IDField, "operations": operations, "actions": actions,
		"parents": names, "list": cmp.Or(string(t.Shape), "enveloped"), "sorts": t.Sorts, "descending": t.Descending,
		"privileges": map[string]string{"view": t.Privileges.View, "manage": t.Privileges.Manage},
	}
	if t.OnlyHere {
		entity["under"] = t.Parents[len(t.Parents)-1].Name
	}
	t.spec.Tags = append(t.spec.Tags, openapi31.Tag{
		Name: t.tag(), Description: &summary, MapOfAnything: map[string]any{"x-entity": entity},
	})
}

func (t *topic) tag() string {
	if t.OnlyHere {
		return t.Parents[len(t.Parents)-1].Name + "/" + t.Name
	}
	return t.Name
}

// addComponents adds the schemas of the entity's objects, lists, bodies and filter.
func (t *topic) addComponents() {
	s := t.schemas
	payload := t.Payload
	if payload == nil {
		payload = t.Object
	}
	body := s.bodyOf(payload, t.fields)
	t.addObjects(body)
	if t.offers(shopapi.OpUpdate) || t.offers(shopapi.OpCreate) && t.nestedCreates() {
		s.components[t.name+"Update"] = body
	}
	if t.offers(shopapi.OpUpdate) {
		s.components[t.name+"Updated"] = t.reply(t.api.Dialect() == shopapi.Live && t.IDField == "product_id")
	}
	if t.offers(shopapi.OpCreate) {
		create := body
		if required := requiredOf(t.fields, nil); len(required) > 0 {
			create = with(body, "required", required)
		}
		s.components[t.name+"Create"] = create
		s.components[t.name+"Created"] = t.reply(t.api.Dialect() == shopapi.Live && !t.StringIDs)
	}
	for _, f := range t.filterFields() {
		if rule := ruleOn(t.filters, f.Name); !rule.Required {
			p := filterParameter(f, rule)
			t.spec.Components.Parameters[t.name+"."+f.Name] = openapi31.ParameterOrReference{Parameter: p}
		}
	}
}

// nestedCreates reports whether a body of POST under a parent may need less than one
// at the top.
func (t *topic) nestedCreates() bool {
	return len(requiredOf(t.fields, nil)) > 0 && len(t.Place.Description.Parents) > 0
}

// addObjects adds the schemas of what is read. Fields that no body has are read-only.
func (t *topic) addObjects(body schema) {
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
	s, item, listed := t.schemas, t.Item, t.name+"Object"
	if item == nil {
		item = t.Object
	}
	lists := t.offers(shopapi.OpList)
	if t.offers(shopapi.OpGet) || lists && item == t.Object {
		s.components[listed] = mark(t.objectOf(t.Object))
	}
	if !lists {
		return
	}
	if item != t.Object {
		listed = t.name + "Item"
		s.components[listed] = mark(t.objectOf(item))
	}
	s.components[t.name+"List"] = t.list(ref(listed))
}

// filterFields are the parameters of the filter of lists.
func (t *topic) filterFields() []shopapi.BoundField {
	if t.Filter == nil || !t.offers(shopapi.OpList) {
		return nil
	}
	return shopapi.BoundFields(t.Filter)
}

// filterParameter is a parameter of lists.
func filterParameter(f shopapi.BoundField, rule shopapi.Rule) *openapi31.Parameter {
	p := &openapi31.Parameter{Name: f.Name, In: openapi31.ParameterInQuery, Schema: parameterOf(f, rule)}
	if p.Schema["type"] == "array" {
		explode := false
		p.Explode = &explode
	}
	return p
}

func (t *topic) objectOf(of reflect.Type) schema {
	if of == nil || of.Kind() != reflect.Struct {
		return schema{"type": "object"}
	}
	return t.schemas.object(of)
}

// list is the schema of a list in the shape that it has.
func (t *topic) list(item schema) schema {
	items := schema{"type": "array", "items": item}
	switch t.Shape {
	case shopapi.BareList:
		return items
	case shopapi.KeyedList:
		return schema{"type": "object", "additionalProperties": item}
	}
	key := cmp.Or(t.ListKey, t.Name)
	return schema{
		"type": "object", "required": []string{key, "params"}, "x-order": []string{key, "params"},
		"properties": schema{key: items, "params": ref("Params")},
	}
}

// reply is the schema of what POST and PUT answer.
func (t *topic) reply(number bool) schema {
	id := schema{"type": "string"}
	if number {
		id = schema{"type": []string{"integer", "string"}}
	}
	properties, order := schema{}, []string{}
	if t.IDField != "" {
		properties[t.IDField], order = id, []string{t.IDField}
	}
	for _, m := range t.More {
		properties[m.Name] = t.schemas.answered(reflect.TypeOf(m.Value))
		order = append(order, m.Name)
	}
	return schema{"type": "object", "properties": properties, "x-order": order, "required": order[:min(1, len(order))]}
}

func (t *topic) offers(op shopapi.Operation) bool { return slices.Contains(t.Operations, op) }

// operation is what is said of every one.
func (t *topic) operation(op, summary string, privilege string) *openapi31.Operation {
	id := t.id + "_" + op
	description := fmt.Sprintf("Needs the privilege %s.", privilege)
	return &openapi31.Operation{
		Tags: []string{t.tag()}, ID: &id, Summary: &summary, Description: &description,
		MapOfAnything: map[string]any{"x-privilege": privilege},
	}
}

// collection are the operations of the entity's own address.
func (t *topic) collection() (item openapi31.PathItem) {
	if t.offers(shopapi.OpList) {
		headers := headerRefs("ETag")
		if t.Shape != shopapi.EnvelopedList {
			headers = headerRefs("ETag", "X-Total-Count", "Link")
		}
		item.Get = t.operation("list", "List "+t.plural(), t.Privileges.View)
		item.Get.Parameters = t.listParameters()
		item.Get.Responses = answers(map[string]openapi31.Response{
			"200": {Description: "The list.", Headers: headers, Content: content(ref(t.name + "List"))},
			"304": {Description: "The list is as If-None-Match says.", Headers: headerRefs("ETag")},
		}, anyRequest...)
	}
	if t.offers(shopapi.OpCreate) {
		item.Post = t.operation("create", "Create one of "+t.plural(), t.Privileges.Manage)
		item.Post.Parameters = []openapi31.ParameterOrReference{parameterRef("Idempotency-Key")}
		item.Post.RequestBody = requestBody(t.createBody())
		item.Post.Responses = answers(map[string]openapi31.Response{
			"201": {Description: "It was created.", Content: content(ref(t.name + "Created"))},
		}, append(withBody[:len(withBody):len(withBody)], conflict, otherBody)...)
	}
	return item
}

func (t *topic) plural() string {
	name := strings.ReplaceAll(t.Name, "_", " ")
	if len(t.Parents) > 0 {
		name += " of " + strings.ReplaceAll(t.Parents[len(t.Parents)-1].Name, "_", " ")
	}
	return name
}

// createBody is the schema of POST. Under a parent the fields that say which one are
// not needed.
func (t *topic) createBody() schema {
	if len(t.Parents) == 0 || t.OnlyHere {
		return ref(t.name + "Create")
	}
	parent := t.Parents[len(t.Parents)-1]
	required := requiredOf(t.fields, &parent)
	switch {
	case len(required) == len(requiredOf(t.fields, nil)):
		return ref(t.name + "Create")
	case len(required) == 0:
		return ref(t.name + "Update")
	}
	return schema{"allOf": []schema{ref(t.name + "Update"), {"required": required}}}
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
func (t *topic) listParameters() []openapi31.ParameterOrReference {
	list := []openapi31.ParameterOrReference{parameterRef("page"), parameterRef("items_per_page")}
	if len(t.Sorts) > 0 {
		description := "The sort key."
		list = append(list, openapi31.ParameterOrReference{Parameter: &openapi31.Parameter{
			Name: "sort_by", In: openapi31.ParameterInQuery, Description: &description,
			Schema: schema{"type": "string", "enum": codes(t.Sorts), "default": t.Sorts[0]},
		}}, parameterRef("sort_order"))
	}
	for _, f := range t.filterFields() {
		list = append(list, t.filterParameter(f))
	}
	return append(list, parameterRef("If-None-Match"))
}

// filterParameter is a parameter of the filter. One that is required is said where it
// is: an address through a parent may stand for it.
func (t *topic) filterParameter(f shopapi.BoundField) openapi31.ParameterOrReference {
	rule := ruleOn(t.filters, f.Name)
	if !rule.Required {
		return parameterRef(t.name + "." + f.Name)
	}
	p := filterParameter(f, rule)
	required := len(t.Parents) == 0 || t.Parents[len(t.Parents)-1].IDField != f.Name
	p.Required = &required
	return openapi31.ParameterOrReference{Parameter: p}
}

// object are the operations of the address of one object.
func (t *topic) object() (item openapi31.PathItem) {
	if t.offers(shopapi.OpGet) {
		item.Get = t.operation("get", "Read one of "+t.plural(), t.Privileges.View)
		item.Get.Parameters = []openapi31.ParameterOrReference{parameterRef("If-None-Match")}
		item.Get.Responses = answers(map[string]openapi31.Response{
			"200": {Description: "The object.", Headers: headerRefs("ETag"), Content: content(ref(t.name + "Object"))},
			"304": {Description: "The object is as If-None-Match says.", Headers: headerRefs("ETag")},
		}, anyRequest...)
	}
	conditions := []openapi31.ParameterOrReference{parameterRef("If-Match"), parameterRef("If-None-Match")}
	if t.offers(shopapi.OpUpdate) {
		item.Put = t.operation("update", "Change one of "+t.plural(), t.Privileges.Manage)
		item.Put.Parameters = conditions
		item.Put.RequestBody = requestBody(ref(t.name + "Update"))
		item.Put.Responses = answers(map[string]openapi31.Response{
			"200": {Description: "It was changed; the ETag is there where the request had a precondition.", Headers: headerRefs("ETag"), Content: content(ref(t.name + "Updated"))},
		}, append(withBody[:len(withBody):len(withBody)], precondition)...)
	}
	if t.offers(shopapi.OpDelete) {
		item.Delete = t.operation("delete", "Delete one of "+t.plural(), t.Privileges.Manage)
		item.Delete.Parameters = conditions
		item.Delete.Responses = answers(map[string]openapi31.Response{
			"204": {Description: "It was deleted."},
		}, append(anyRequest[:len(anyRequest):len(anyRequest)], precondition)...)
	}
	return item
}

// act is the operation of an action.
func (t *topic) act(action shopapi.Action) *openapi31.Operation {
	summary := cmp.Or(action.Summary, "Carry out "+strings.ReplaceAll(action.Name, "_", " "))
	o := t.operation(action.Name, strings.TrimSuffix(summary, "."), t.Privileges.Manage)
	body := t.name + camel(action.Name)
	if _, known := t.schemas.components[body]; !known {
		t.schemas.components[body] = t.schemas.bodyOf(action.Payload, nil)
	}
	o.RequestBody = requestBody(ref(body))
	required := false
	o.RequestBody.RequestBody.Required = &required
	o.Responses = answers(map[string]openapi31.Response{
		"201": {Description: "It was carried out.", Content: content(schema{"type": "object", "additionalProperties": schema{}})},
	}, withBody...)
	return o
}
