package apidoc

import (
	"fmt"
	"slices"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
)

// The values of examples.
type (
	object = map[string]any
	list   = []any
)

// batchExample creates a category and a product in it.
var batchExample any = object{"requests": list{
	object{"id": "cups", "method": "POST", "url": "categories", "body": object{"category": "Cups"}},
	object{"method": "POST", "url": "products", "body": object{
		"product": "Clay mug", "product_code": "MUG-41", "price": "9.50", "category_ids": list{"{{cups.category_id}}"},
	}},
}}

var batchAnswerExample any = object{"responses": list{
	object{"id": "cups", "status": 201, "headers": object{}, "body": object{"category_id": "12"}},
	object{"status": 201, "headers": object{}, "body": object{"product_id": "41"}},
}}

// describeBatch describes the bodies of POST /batch.
func (b *builder) describeBatch(o *openapi31.Operation) {
	limits := b.api.Limits()
	description := fmt.Sprintf("The requests have the privileges, preconditions and limits of single ones. Where atomic is true, "+
		"the first that fails undoes all: the answer has its status and message, its id as failed, and its index from 0. At most %d requests.", limits.Batch)
	o.Description = &description
	c := b.schemas.components
	c["Batch"] = schema{
		"type": "object", "required": []string{"requests"}, "x-order": []string{"atomic", "requests"},
		"properties": schema{
			"atomic":   schema{"type": "boolean", "default": true, "description": "One transaction for all, or each request for itself."},
			"requests": schema{"type": "array", "items": ref("BatchRequest"), "minItems": 1, "maxItems": limits.Batch},
		},
	}
	c["BatchRequest"] = schema{
		"type": "object", "required": []string{"method", "url"}, "x-order": []string{"id", "method", "url", "headers", "body", "refs"},
		"properties": schema{
			"id":      schema{"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$", "description": "The name of the request for references, unique in the batch."},
			"method":  schema{"type": "string", "enum": list{"POST", "PUT", "DELETE", "GET"}, "description": "GET only where atomic is false."},
			"url":     schema{"type": "string", "description": "The address below /api/2.0/ with its query.", "example": "products/41"},
			"headers": schema{"type": "object", "additionalProperties": schema{"type": "string"}, "description": "If-Match, If-None-Match, Idempotency-Key, Accept and Content-Type."},
			"body":    schema{"type": "object", "additionalProperties": schema{}, "description": "The payload. A text that is wholly {{ID.FIELD}} is replaced by the field of the answer to the earlier request with that id."},
			"refs":    schema{"type": "boolean", "default": true, "description": "false leaves texts like {{ID.FIELD}} as they are."},
		},
	}
	c["BatchAnswer"] = schema{
		"type": "object", "required": []string{"responses"},
		"properties": schema{"responses": schema{"type": "array", "items": ref("BatchResponse"), "description": "In the order of the requests."}},
	}
	c["BatchResponse"] = schema{
		"type": "object", "required": []string{"status", "headers", "body"}, "x-order": []string{"id", "status", "headers", "body"},
		"properties": schema{
			"id":      schema{"type": "string"},
			"status":  schema{"type": "integer"},
			"headers": schema{"type": "object", "additionalProperties": schema{"type": "string"}},
			"body":    schema{"description": "The answer; null for none."},
		},
	}
	o.Parameters = []openapi31.ParameterOrReference{parameterRef("Idempotency-Key")}
	o.RequestBody = jsonBody(ref("Batch"), batchExample)
	answer := openapi31.Response{Description: "The answers to the requests.", Content: content(ref("BatchAnswer"))}
	answer.Content["application/json"] = openapi31.MediaType{Schema: ref("BatchAnswer"), Example: &batchAnswerExample}
	o.Responses = answers(map[string]openapi31.Response{"200": answer}, append(slices.Clip(withBody), conflict, precondition, otherBody)...)
}

// jsonBody returns a body that is JSON alone.
func jsonBody(s schema, example any) *openapi31.RequestBodyOrReference {
	required := true
	return &openapi31.RequestBodyOrReference{RequestBody: &openapi31.RequestBody{
		Required: &required, Content: map[string]openapi31.MediaType{"application/json": {Schema: s, Example: &example}},
	}}
}

// putMatching returns the operation of PUT with match, nil where there is none.
func (e *endpoint) putMatching() *openapi31.Operation {
	if e.MatchField == "" || !e.offers(shopapi.OpUpdate) {
		return nil
	}
	limits := e.api.Limits()
	o := e.operationNamed("match", shopapi.OpUpdate, fmt.Sprintf("Change many of %s by their %s", e.plural(), e.MatchField))
	if view := e.Privileges.View; view != e.Privileges.Manage {
		*o.Description += fmt.Sprintf(" It also needs %s.", view)
	}
	if _, known := e.schemas.components["MatchResult"]; !known {
		e.schemas.components["MatchResult"] = matchResult
		e.addParameter("missing", openapi31.ParameterInQuery, "What happens to a row that no object has: it is an error, it is skipped, or an object is created.",
			schema{"type": "string", "enum": list{"fail", "skip", "create"}, "default": "fail"})
		e.addParameter("atomic", openapi31.ParameterInQuery, "Y: all rows are changed, or none.", schema{"type": "string", "enum": list{"Y", "N"}, "default": "N"})
	}
	required, description := true, "The field by which objects are found."
	o.Parameters = append([]openapi31.ParameterOrReference{
		{Parameter: &openapi31.Parameter{
			Name: "match", In: openapi31.ParameterInQuery, Required: &required, Description: &description,
			Schema: schema{"type": "string", "enum": list{e.MatchField}},
		}},
		parameterRef("missing"), parameterRef("atomic"),
	}, e.languageParameters()...)
	row := schema{"allOf": []schema{ref(e.name + "Update"), {"required": []string{e.MatchField}}}}
	o.RequestBody = jsonBody(schema{"type": "array", "items": row, "maxItems": limits.BatchRows}, e.matchExample())
	answer := openapi31.Response{Description: "What became of the rows.", Content: content(ref("MatchResult"))}
	o.Responses = answers(map[string]openapi31.Response{"200": answer}, withBody...)
	return o
}

// matchExample is an example of rows: stock, where the entity has it.
func (e *endpoint) matchExample() any {
	row := object{e.MatchField: "MUG-41"}
	if properties, ok := e.schemas.components[e.name+"Update"]["properties"].(schema); ok && properties["amount"] != nil {
		row["amount"] = "12"
	}
	return list{row}
}

var matchResult = schema{
	"type": "object", "required": []string{"updated", "created", "skipped", "unchanged", "errors"},
	"x-order": []string{"updated", "created", "skipped", "unchanged", "errors"},
	"properties": schema{
		"updated": schema{"type": "integer"}, "created": schema{"type": "integer"},
		"skipped": schema{"type": "integer"}, "unchanged": schema{"type": "integer"},
		"errors": schema{"type": "array", "description": "The rows that are wrong.", "items": wrongRow},
	},
}

// wrongRow describes a row of PUT with match that is wrong.
var wrongRow = schema{
	"type": "object", "required": []string{"index", "message"}, "additionalProperties": schema{"type": "string"},
	"properties": schema{
		"index":   schema{"type": "integer", "description": "The row, from 0."},
		"message": schema{"type": "string", "description": "What is wrong. The value of the field is beside it."},
	},
}
