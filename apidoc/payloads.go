package apidoc

import (
	_ "embed"
	"encoding/json"
	"maps"
	"reflect"
	"sync"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
)

// payloadFile has an example of each body of the library's entities, by entity and
// operation, that the demo of examples/shop accepts. TestE12_Payloads there sends them.
//
//go:embed payloads.json
var payloadFile []byte

var readPayloads = sync.OnceValue(func() (payloads map[string]map[string]any) {
	if err := json.Unmarshal(payloadFile, &payloads); err != nil {
		panic(err) // the test reads it too
	}
	return payloads
})

// payloadExample returns the example of the body of an operation, nil for none. Entities
// of hosts have none.
func (e *endpoint) payloadExample(operation string) any {
	if e.Object != nil && !isLibrarys(e.Object) {
		return nil
	}
	if e.OnlyHere {
		return readPayloads()[e.tag()][operation]
	}
	return readPayloads()[e.Name][operation]
}

// createExample returns the example of the body of POST below a parent, or at the entity's own
// address, nil for none: without the fields that the address sets, and with the storefront where
// root must name one.
func (e *endpoint) createExample(parent *shopapi.Description) any {
	example := e.payloadExample("create")
	object, ok := example.(map[string]any)
	if !ok || e.OnlyHere {
		return example
	}
	object = maps.Clone(object)
	switch {
	case parent != nil:
		delete(object, parent.IDField)
		if !isCompany(parent) { // what a review is about
			delete(object, "object_type")
			delete(object, "object_id")
		}
	case e.api.Edition() == shopapi.MultiStorefront && ruleOn(e.Rules, "company_id").Note != "":
		object["company_id"] = e.api.DefaultCompany()
	}
	return object
}

// withExample adds the example of an operation's body, if there is one. Places with the example of
// the entity's own address share it.
func (e *endpoint) withExample(body *openapi31.RequestBodyOrReference, operation string) *openapi31.RequestBodyOrReference {
	name, example := e.name, e.payloadExample(operation)
	if operation == "create" {
		example = e.createExample(nil)
		if n := len(e.Parents); n > 0 {
			if here := e.createExample(&e.Parents[n-1]); !reflect.DeepEqual(here, example) {
				name, example = camel(e.id), here
			}
		}
	}
	if example == nil {
		return body
	}
	reference := e.addExample(name+camel(operation), example)
	for mediaType, content := range body.RequestBody.Content {
		content.Examples = map[string]openapi31.ExampleOrReference{operation: reference}
		body.RequestBody.Content[mediaType] = content
	}
	return body
}

// addExample adds an example to the components, and returns the reference to it.
func (e *endpoint) addExample(name string, value any) openapi31.ExampleOrReference {
	if e.spec.Components.Examples == nil {
		e.spec.Components.Examples = map[string]openapi31.ExampleOrReference{}
	}
	e.spec.Components.Examples[name] = openapi31.ExampleOrReference{Example: &openapi31.Example{Value: &value}}
	return openapi31.ExampleOrReference{Reference: &openapi31.Reference{Ref: "#/components/examples/" + name}}
}
