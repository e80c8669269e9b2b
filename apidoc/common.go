package apidoc

import (
	"github.com/swaggest/openapi-go/openapi31"
)

// A failure is a status of an error, with the headers that come with it.
type failure struct {
	status, name, description string
	headers                   []string
}

var (
	badRequest    = failure{"400", "BadRequest", "A field, a parameter or the body is wrong; errors names each field at fault.", nil}
	unauthorized  = failure{"401", "Unauthorized", "There are no credentials, or wrong ones.", []string{"WWW-Authenticate"}}
	forbidden     = failure{"403", "Forbidden", "The user lacks the privilege.", nil}
	notFound      = failure{"404", "NotFound", "There is no such object, or none that the user may see.", nil}
	notAllowed    = failure{"405", "NotAllowed", "The method is not allowed here, or the payload is empty.", []string{"Allow"}}
	notAcceptable = failure{"406", "NotAcceptable", "The formats in Accept, or the codings in Accept-Encoding, cannot be produced.", nil}
	tooSlow       = failure{"408", "TooSlow", "The body did not arrive in time.", nil}
	conflict      = failure{"409", "Conflict", "A request with the same Idempotency-Key is still running, or several objects have the code in the address.", nil}
	gone          = failure{"410", "Gone", "The change log does not have what follows the position.", nil}
	precondition  = failure{"412", "PreconditionFailed", "If-Match or If-None-Match does not hold.", nil}
	tooLarge      = failure{"413", "TooLarge", "The body is too large.", nil}
	unsupported   = failure{"415", "UnsupportedMediaType", "The Content-Type or Content-Encoding of the body is not supported.", nil}
	otherBody     = failure{"422", "OtherBody", "The Idempotency-Key was used with another body.", nil}
	tooMany       = failure{"429", "TooManyRequests", "Too many requests, wrong credentials or idempotency keys.", []string{"Retry-After", "RateLimit", "RateLimit-Policy"}}
	internal      = failure{"500", "Internal", "The request could not be served.", []string{"X-Request-Id"}}
	unavailable   = failure{"503", "Unavailable", "The service is busy, not reachable or ending.", []string{"Retry-After", "X-Request-Id"}}
)

// failures are all errors.
var failures = []failure{
	badRequest, unauthorized, forbidden, notFound, notAllowed, notAcceptable, tooSlow, conflict, gone,
	precondition, tooLarge, unsupported, otherBody, tooMany, internal, unavailable,
}

var headerTexts = map[string]string{
	"WWW-Authenticate": "The Basic scheme, with the realm of the API.",
	"Allow":            "The methods of the address.",
	"Retry-After":      "Seconds to wait.",
	"X-Request-Id":     "The id of the request in the log.",
	"RateLimit":        "The requests that are left, and the seconds until there are all again, where the shop limits requests.",
	"RateLimit-Policy": "The requests in a number of seconds that the shop allows a user.",
	"ETag":             "Changes with the answer; see If-None-Match and If-Match.",
	"Location":         "The address of the job.",
	"Deprecation":      "Since when a parameter of the request is deprecated (RFC 9745), where it has one.",
	"X-Total-Count":    "The number of all items, where a page was asked for.",
	"Link":             "The first, prev, next and last page, where one was asked for.",
}

// addCommon adds the components that operations share.
func (b *builder) addCommon() {
	c := &openapi31.Components{
		Responses:       map[string]openapi31.ResponseOrReference{},
		Parameters:      map[string]openapi31.ParameterOrReference{},
		Headers:         map[string]openapi31.HeaderOrReference{},
		SecuritySchemes: map[string]openapi31.SecuritySchemeOrReference{},
	}
	b.spec.Components = c
	scheme := (&openapi31.SecurityScheme{}).
		WithDescription("The e-mail address of a user, and an API key in place of the password.").
		WithHTTP(openapi31.SecuritySchemeHTTP{Scheme: "basic"})
	c.SecuritySchemes["basic"] = openapi31.SecuritySchemeOrReference{SecurityScheme: scheme}
	for name, text := range headerTexts {
		header := &openapi31.Header{Description: &text, Schema: schema{"type": "string"}}
		c.Headers[name] = openapi31.HeaderOrReference{Header: header}
	}
	for _, f := range failures {
		response := &openapi31.Response{
			Description: f.description, Headers: headerRefs(f.headers...), Content: content(ref("Error")),
		}
		response.Content["application/problem+json"] = openapi31.MediaType{Schema: ref("Problem")}
		c.Responses[f.name] = openapi31.ResponseOrReference{Response: response}
	}
	fieldErrors := schema{"type": "object", "additionalProperties": schema{"type": "string"}, "description": "What is wrong with each field at fault."}
	failedMember := schema{"type": "string", "description": "The id of the request for which an atomic batch was undone, if it has one."}
	wrongRows := schema{"type": "array", "items": wrongRow, "description": "The rows for which a PUT with match and atomic=Y changed nothing."}
	firstSeq := schema{"type": "string", "description": "The position of the oldest change that the change log has, where it does not have what follows since."}
	failedIndex := schema{"type": "integer", "minimum": 0, "description": "The index of the request for which an atomic batch was undone, from 0."}
	b.schemas.components["Error"] = schema{
		"type": "object", "required": []string{"message", "status"}, "x-order": []string{"message", "status", "errors", "failed", "index", "rows", "first_seq"},
		"properties": schema{
			"message":   schema{"type": "string", "description": "What is wrong and what is allowed.", "example": "There is no product with the id 7."},
			"status":    schema{"type": "integer", "description": "The status of the answer.", "example": 404},
			"errors":    fieldErrors,
			"failed":    failedMember,
			"index":     failedIndex,
			"rows":      wrongRows,
			"first_seq": firstSeq,
		},
	}
	b.schemas.components["Problem"] = schema{
		"description": "An error for clients whose Accept names application/problem+json (RFC 9457).",
		"type":        "object", "required": []string{"type", "title", "status", "detail", "message"},
		"x-order": []string{"type", "title", "status", "detail", "message", "errors", "failed", "index", "rows", "first_seq"},
		"properties": schema{
			"type":      schema{"type": "string", "format": "uri-reference", "description": "about:blank: the status says what kind of problem it is."},
			"title":     schema{"type": "string", "description": "The name of the status.", "example": "Not Found"},
			"status":    schema{"type": "integer", "description": "The status of the answer.", "example": 404},
			"detail":    schema{"type": "string", "description": "What is wrong and what is allowed.", "example": "There is no product with the id 7."},
			"message":   schema{"type": "string", "description": "The same as detail."},
			"errors":    fieldErrors,
			"failed":    failedMember,
			"index":     failedIndex,
			"rows":      wrongRows,
			"first_seq": firstSeq,
		},
	}
	b.schemas.components["Params"] = b.schemas.object(paramsType)
	limits := b.api.Limits()
	b.addParameter("page", openapi31.ParameterInQuery, "The page, from 1.", schema{"type": "integer", "minimum": 1, "default": 1})
	b.addParameter("items_per_page", openapi31.ParameterInQuery, "Items of a page; above the maximum the maximum counts.",
		schema{"type": "integer", "minimum": 1, "default": limits.ItemsPerPage, "x-maximum": limits.MaxItemsPerPage})
	b.addParameter("sort_order", openapi31.ParameterInQuery, "The direction of the order.", schema{"type": "string", "enum": []any{"asc", "desc"}})
	b.addParameter("sl", openapi31.ParameterInQuery, "The code of the language in which texts are read and written, such as de; the default language where it is left out.",
		schema{"type": "string", "pattern": "^[A-Za-z]{2}$"})
	b.addParameter("fields", openapi31.ParameterInQuery, "The fields that the answer is to have beside the id, separated by commas; in lists those of single objects too. Names that no field has are ignored. The answer lacks all others, also the ones that its schema requires.",
		schema{"type": "string"})
	if b.api.Exports() {
		b.addParameter("spreadsheet", openapi31.ParameterInQuery, "Y puts an apostrophe before texts in CSV that a spreadsheet would run as a formula.", schema{"type": "string", "enum": []any{"Y", "N"}})
	}
	b.addParameter("If-None-Match", openapi31.ParameterInHeader, "An ETag: GET answers 304 where it is still that of the answer, PUT and DELETE 412.", schema{"type": "string"})
	b.addParameter("If-Match", openapi31.ParameterInHeader, "An ETag: the change is made only where GET would still give it, else 412.", schema{"type": "string"})
	b.addParameter("Idempotency-Key", openapi31.ParameterInHeader, "A text of the client's: the same request with the same key is carried out once a day and answered alike.", schema{"type": "string"})
}

func (b *builder) addParameter(name string, in openapi31.ParameterIn, description string, s schema) {
	p := &openapi31.Parameter{Name: name, In: in, Description: &description, Schema: s}
	b.spec.Components.Parameters[name] = openapi31.ParameterOrReference{Parameter: p}
}

func parameterRef(name string) openapi31.ParameterOrReference {
	return openapi31.ParameterOrReference{Reference: &openapi31.Reference{Ref: "#/components/parameters/" + name}}
}

func headerRefs(names ...string) map[string]openapi31.HeaderOrReference {
	if len(names) == 0 {
		return nil
	}
	refs := map[string]openapi31.HeaderOrReference{}
	for _, name := range names {
		refs[name] = openapi31.HeaderOrReference{Reference: &openapi31.Reference{Ref: "#/components/headers/" + name}}
	}
	return refs
}

// content returns the body of a response in both formats.
func content(s schema) map[string]openapi31.MediaType {
	return map[string]openapi31.MediaType{
		"application/json": {Schema: s},
		"text/plain":       {Schema: schema{"type": "string", "description": "The same as pairs name[key]=value."}},
	}
}

// listContent returns the body of a list, and the forms of an export if there are any.
func (e *endpoint) listContent() map[string]openapi31.MediaType {
	c := content(ref(e.name + "List"))
	if e.api.Exports() {
		c["application/x-ndjson"] = openapi31.MediaType{Schema: schema{"type": "string", "description": "All objects, each as a line of JSON, in the order of their ids. The parameters page, items_per_page, sort_by and sort_order are not allowed."}}
		c["text/csv"] = openapi31.MediaType{Schema: schema{"type": "string", "description": "All objects as rows with a header, like application/x-ndjson."}}
	}
	return c
}

// answers returns the responses of an operation: its own, and errors.
func answers(own map[string]openapi31.Response, errors ...failure) *openapi31.Responses {
	r := &openapi31.Responses{MapOfResponseOrReferenceValues: map[string]openapi31.ResponseOrReference{}}
	for status, response := range own {
		r.MapOfResponseOrReferenceValues[status] = openapi31.ResponseOrReference{Response: &response}
	}
	for _, f := range errors {
		r.MapOfResponseOrReferenceValues[f.status] = openapi31.ResponseOrReference{
			Reference: &openapi31.Reference{Ref: "#/components/responses/" + f.name},
		}
	}
	return r
}

// The errors of every request, of every write, and of other groups of operations.
var (
	anyRequest = []failure{badRequest, unauthorized, forbidden, notFound, notAcceptable, tooMany, internal, unavailable}
	withBody   = append(anyRequest[:len(anyRequest):len(anyRequest)], notAllowed, tooSlow, tooLarge, unsupported)
)
