package apidoc

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
)

// summaryOf returns the summary of an endpoint's first method, by name.
func summaryOf(e shopapi.Endpoint) *string {
	first := e.Methods[slices.Min(slices.Collect(maps.Keys(e.Methods)))]
	return &first.Summary
}

// addEndpoint adds the operations of an address that is not an entity's.
func (b *builder) addEndpoint(e shopapi.Endpoint) {
	e.Methods = methodsOf(b.caller, &e)
	if len(e.Methods) == 0 {
		return
	}
	name, _, _ := strings.Cut(e.Address, "/")
	if !slices.ContainsFunc(b.spec.Tags, func(t openapi31.Tag) bool { return t.Name == name }) {
		b.spec.Tags = append(b.spec.Tags, openapi31.Tag{Name: name, Description: summaryOf(e)})
	}
	var item openapi31.PathItem
	for segment := range strings.SplitSeq(e.Address, "/") {
		if parameter, ok := strings.CutPrefix(segment, "{"); ok {
			item.Parameters = append(item.Parameters, pathParameter(strings.TrimSuffix(parameter, "}")))
		}
	}
	for method, m := range e.Methods {
		o := b.endpointOperation(name, e.Address, method, m)
		switch method {
		case http.MethodGet:
			item.Get = o
		case http.MethodPost:
			item.Post = o
		case http.MethodPut:
			item.Put = o
		case http.MethodDelete:
			item.Delete = o
		}
	}
	b.spec.Paths.MapOfPathItemValues["/"+e.Address] = item
}

// methodsOf returns the methods of an endpoint for which a user has the privileges. Without a user
// these are all.
func methodsOf(user *shopapi.User, e *shopapi.Endpoint) map[string]shopapi.Method {
	methods := maps.Clone(e.Methods)
	maps.DeleteFunc(methods, func(_ string, m shopapi.Method) bool {
		return slices.ContainsFunc(m.Privileges, func(name string) bool { return !user.Can(name) })
	})
	return methods
}

func pathParameter(name string) openapi31.ParameterOrReference {
	required, description := true, "The "+strings.ReplaceAll(name, "_", " ")+" of the object."
	return openapi31.ParameterOrReference{Parameter: &openapi31.Parameter{
		Name: name, In: openapi31.ParameterInPath, Required: &required, Description: &description, Schema: schema{"type": "string"},
	}}
}

// endpointOperation returns the description of one method of an endpoint.
func (b *builder) endpointOperation(tag, address, method string, m shopapi.Method) *openapi31.Operation {
	words := strings.FieldsFunc(address, func(c rune) bool { return strings.ContainsRune("/{}", c) })
	id := strings.ToLower(method) + "_" + strings.Join(words, "_")
	summary := cmp.Or(strings.TrimSuffix(m.Summary, "."), method+" "+address)
	o := &openapi31.Operation{Tags: []string{tag}, ID: &id, Summary: &summary}
	if len(m.Privileges) > 0 {
		description := fmt.Sprintf("Needs the privilege %s.", strings.Join(m.Privileges, " and "))
		o.Description = &description
	}
	for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
		description := m.Parameters[name]
		of, known := pageParameters[name]
		if !known {
			of = schema{"type": "string"}
		}
		o.Parameters = append(o.Parameters, openapi31.ParameterOrReference{Parameter: &openapi31.Parameter{
			Name: name, In: openapi31.ParameterInQuery, Description: &description, Schema: of,
		}})
	}
	failures := anyRequest
	if method == http.MethodPost || method == http.MethodPut {
		failures = append(withBody[:len(withBody):len(withBody)], conflict, otherBody)
		o.RequestBody = b.endpointBody(m)
	}
	success := cmp.Or(m.Success, http.StatusOK)
	answer := openapi31.Response{Description: "The answer."}
	switch {
	case success == http.StatusNoContent:
		answer.Description = "It was done."
	case m.Answer != nil:
		answer.Content = content(b.schemas.answered(m.Answer))
	default:
		answer.Content = content(schema{})
	}
	responses := map[string]openapi31.Response{strconv.Itoa(success): answer}
	if len(m.MediaTypes) > 0 {
		if success == http.StatusNoContent { // which has no body, whatever its type
			responses["200"] = openapi31.Response{Description: "The answer.", Content: map[string]openapi31.MediaType{}}
			success = http.StatusOK
		}
		for _, mediaType := range m.MediaTypes {
			responses[strconv.Itoa(success)].Content[mediaType] = openapi31.MediaType{Schema: schema{"type": "string"}}
		}
	}
	if m.Cacheable && method == http.MethodGet {
		answer.Headers = headerRefs("ETag")
		responses["200"] = answer
		responses["304"] = openapi31.Response{Description: "The answer is as If-None-Match says.", Headers: headerRefs("ETag")}
		o.Parameters = append(o.Parameters, parameterRef("If-None-Match"))
	}
	switch address {
	case "changes":
		failures = append(slices.Clip(failures), gone)
	case "jobs":
		answer.Headers = headerRefs("Location")
		responses[strconv.Itoa(success)] = answer
	}
	o.Responses = answers(responses, failures...)
	if address == "batch" && b.api.Batches() {
		b.describeBatch(o)
	}
	return o
}

// pageParameters are the schemas of the parameters that choose a page, which endpoints with lists
// take as the lists of entities do.
var pageParameters = map[string]schema{
	"page":           {"type": "integer", "minimum": 1},
	"items_per_page": {"type": "integer", "minimum": 1},
	"sort_order":     {"type": "string", "enum": []any{"asc", "desc"}},
}

// endpointBody returns the body of a POST or PUT of an endpoint.
func (b *builder) endpointBody(m shopapi.Method) *openapi31.RequestBodyOrReference {
	required := false
	if m.RawBody {
		types := m.BodyTypes
		if len(types) == 0 {
			types = []string{"*/*"}
		}
		content := map[string]openapi31.MediaType{}
		for _, mediaType := range types {
			content[mediaType] = openapi31.MediaType{Schema: schema{}}
		}
		return &openapi31.RequestBodyOrReference{RequestBody: &openapi31.RequestBody{Required: &required, Content: content}}
	}
	body := requestBody(schema{"type": "object"})
	if m.Payload != nil {
		body = requestBody(b.schemas.payloadOf(m.Payload))
	}
	body.RequestBody.Required = &required
	return body
}
