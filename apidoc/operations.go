package apidoc

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/bind"
)

// has reports whether the entity has an operation, for callers who may do it.
func (e *endpoint) has(op shopapi.Operation) bool { return slices.Contains(e.Operations, op) }

// offers reports whether the document has an operation.
func (e *endpoint) offers(op shopapi.Operation) bool {
	return e.has(op) && e.may(e.EntityPath, op)
}

// operation returns the parts of the description that all operations have.
func (e *endpoint) operation(op shopapi.Operation, summary string) *openapi31.Operation {
	return e.operationNamed(string(op), op, summary)
}

func (e *endpoint) operationNamed(name string, op shopapi.Operation, summary string) *openapi31.Operation {
	privilege := e.Privileges.Manage
	if op == shopapi.OpList || op == shopapi.OpGet {
		privilege = e.Privileges.View
	}
	id := e.id + "_" + name
	description := fmt.Sprintf("Needs the privilege %s.", privilege)
	extensions := map[string]any{"x-privilege": privilege}
	if closed := e.closedTo(op); closed != "" {
		description += fmt.Sprintf(" It is closed to %s.", closed)
		extensions["x-closed-to"] = closed
	}
	return &openapi31.Operation{
		Tags: []string{e.tag()}, ID: &id, Summary: &summary, Description: &description, MapOfAnything: extensions,
	}
}

// failures returns the errors of an operation: 409 too if its address may name objects by
// a code (E2). isObject says that the address is one of an object.
func (e *endpoint) failures(isObject bool, list []failure, more ...failure) []failure {
	list = append(slices.Clip(list), more...)
	byCode := func(d shopapi.Description) bool { return d.CodeField != "" }
	if isObject && byCode(e.Description) || slices.ContainsFunc(e.Parents, byCode) {
		list = append(list, conflict)
	}
	return list
}

// collection returns the operations of the entity's own address.
func (e *endpoint) collection() (item openapi31.PathItem) {
	if e.offers(shopapi.OpList) {
		headers := headerRefs("ETag")
		if e.Shape != shopapi.EnvelopedList && e.Shape != shopapi.EnvelopedKeyedList {
			headers = headerRefs("ETag", "X-Total-Count", "Link")
		}
		if slices.ContainsFunc(e.filterFields(), func(f bind.Field) bool { return f.Deprecated }) {
			headers["Deprecation"] = headerRefs("Deprecation")["Deprecation"]
		}
		item.Get = e.operation(shopapi.OpList, "List "+e.plural())
		item.Get.Parameters = e.listParameters()
		item.Get.Responses = answers(map[string]openapi31.Response{
			"200": {Description: "The list.", Headers: headers, Content: e.listContent()},
			"304": {Description: "The list is as If-None-Match says.", Headers: headerRefs("ETag")},
		}, e.failures(false, anyRequest)...)
	}
	if e.offers(shopapi.OpCreate) {
		item.Post = e.operation(shopapi.OpCreate, "Create one of "+e.plural())
		item.Post.Parameters = append(append(e.languageParameters(), parameterRef("Idempotency-Key")), queryParameters(e.CreateParameters)...)
		item.Post.RequestBody = e.withExample(requestBody(e.createBody()), "create")
		item.Post.Responses = answers(map[string]openapi31.Response{
			"201": {Description: "It was created.", Content: content(ref(e.name + "Created"))},
		}, append(withBody[:len(withBody):len(withBody)], conflict, otherBody)...)
	}
	item.Put = e.putMatching()
	return item
}

// queryParameters are parameters of an address by their descriptions.
func queryParameters(descriptions map[string]string) (list []openapi31.ParameterOrReference) {
	for _, name := range slices.Sorted(maps.Keys(descriptions)) {
		text := descriptions[name]
		list = append(list, openapi31.ParameterOrReference{Parameter: &openapi31.Parameter{
			Name: name, In: openapi31.ParameterInQuery, Description: &text, Schema: schema{"type": "string"},
		}})
	}
	return list
}

func (e *endpoint) plural() string {
	name := strings.ReplaceAll(e.Name, "_", " ")
	if len(e.Parents) > 0 {
		name += " of " + strings.ReplaceAll(e.Parents[len(e.Parents)-1].Name, "_", " ")
	}
	return name
}

// createBody returns the schema of POST. Below a parent the fields that identify it are
// optional.
func (e *endpoint) createBody() schema {
	if len(e.Parents) == 0 || e.OnlyHere {
		return ref(e.name + "Create")
	}
	parent := e.Parents[len(e.Parents)-1]
	required := requiredOf(e.Rules, &parent)
	switch {
	case len(required) == len(requiredOf(e.Rules, nil)):
		return ref(e.name + "Create")
	case len(required) == 0:
		return e.belowForm()
	}
	return schema{"allOf": []schema{e.belowForm(), {"required": required}}}
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

// object returns the operations of the address of one object.
func (e *endpoint) object() (item openapi31.PathItem) {
	if e.offers(shopapi.OpGet) {
		item.Get = e.operation(shopapi.OpGet, "Read one of "+e.plural())
		item.Get.Parameters = append(e.languageParameters(), parameterRef("fields"), parameterRef("If-None-Match"))
		item.Get.Responses = answers(map[string]openapi31.Response{
			"200": {Description: "The object.", Headers: headerRefs("ETag"), Content: e.objectContent()},
			"304": {Description: "The object is as If-None-Match says.", Headers: headerRefs("ETag")},
		}, e.failures(true, anyRequest)...)
	}
	conditions := []openapi31.ParameterOrReference{parameterRef("If-Match"), parameterRef("If-None-Match")}
	if e.offers(shopapi.OpUpdate) {
		item.Put = e.operation(shopapi.OpUpdate, "Change one of "+e.plural())
		item.Put.Parameters = append(append(e.languageParameters(), conditions...), queryParameters(e.UpdateParameters)...)
		item.Put.RequestBody = e.withExample(requestBody(ref(e.name+"Update")), "update")
		item.Put.Responses = answers(map[string]openapi31.Response{
			"200": {Description: "It was changed; the ETag is there where the request had a precondition.", Headers: headerRefs("ETag"), Content: content(ref(e.name + "Updated"))},
		}, e.failures(true, withBody, precondition)...)
	}
	if e.offers(shopapi.OpDelete) {
		item.Delete = e.operation(shopapi.OpDelete, "Delete one of "+e.plural())
		item.Delete.Parameters = conditions
		item.Delete.Responses = answers(map[string]openapi31.Response{
			"204": {Description: "It was deleted."},
		}, e.failures(true, anyRequest, precondition)...)
	}
	return item
}

// act returns the operation of an action.
func (e *endpoint) act(action shopapi.Action) *openapi31.Operation {
	summary := cmp.Or(action.Summary, "Carry out "+strings.ReplaceAll(action.Name, "_", " "))
	o := e.operationNamed(action.Name, shopapi.OpAction, strings.TrimSuffix(summary, "."))
	body := e.name + camel(action.Name)
	if _, known := e.schemas.components[body]; !known {
		e.schemas.components[body] = e.schemas.payloadOf(action.Payload)
	}
	o.RequestBody = requestBody(ref(body))
	required := false
	o.RequestBody.RequestBody.Required = &required
	o.Parameters = []openapi31.ParameterOrReference{parameterRef("Idempotency-Key")}
	o.Responses = answers(map[string]openapi31.Response{
		"201": {Description: "It was carried out.", Content: content(e.acted(action))},
	}, append(withBody[:len(withBody):len(withBody)], conflict, otherBody)...)
	if action.MayExist {
		o.Responses.MapOfResponseOrReferenceValues["200"] = openapi31.ResponseOrReference{Response: &openapi31.Response{
			Description: "It was carried out before: the answer is the same.", Content: content(e.acted(action)),
		}}
	}
	return o
}

// acted returns the schema of the answer of an action.
func (e *endpoint) acted(action shopapi.Action) schema {
	if action.Answer == nil {
		return schema{"type": "object", "additionalProperties": schema{}}
	}
	return e.schemas.answered(action.Answer)
}
