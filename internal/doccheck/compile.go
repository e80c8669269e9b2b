package doccheck

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The two forms of a document: open is as it is, and in closed no object has members
// that it does not name. Answers are held to the latter.
const (
	openForm   = "https://document.invalid/open.json"
	closedForm = "https://document.invalid/closed.json"
)

var ids = regexp.MustCompile(`\{[^}]*\}`)

func compile(data []byte) (*document, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	var spec any
	for url, closed := range map[string]bool{openForm: false, closedForm: true} {
		form, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if closed {
			closeObjects(form)
		} else {
			spec = form
		}
		if err := c.AddResource(url, form); err != nil {
			return nil, err
		}
	}
	p := &compiler{Compiler: c, spec: spec}
	d := &document{operations: map[string]func() (*operation, error){}}
	d.problem = p.compile(closedForm, "#/components/schemas/Error")
	for path, item := range object(object(spec)["paths"]) {
		for method, raw := range object(item) {
			if method != "parameters" {
				d.operations[method+" "+ids.ReplaceAllString(path, "*")] = sync.OnceValues(func() (*operation, error) {
					return p.operation("#/paths/"+escaped(path)+"/"+method, object(raw))
				})
			}
		}
	}
	return d, p.err
}

// A compiler compiles the schemas of one document, as far as the first error. It compiles
// an operation when a request asks for it: few tests ask for all.
type compiler struct {
	*jsonschema.Compiler
	spec any

	mu  sync.Mutex
	err error
}

func (c *compiler) compile(form, at string) *jsonschema.Schema {
	s, err := c.Compile(form + at)
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("%s: %w", at, err)
	}
	return s
}

// object is a JSON object, nil where v is none.
func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

// escaped is a path as a segment of a JSON pointer in a URL.
func escaped(path string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(path)
}

func (c *compiler) operation(at string, o map[string]any) (*operation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	compiled := &operation{parameters: map[string]*jsonschema.Schema{}, responses: map[int]response{}}
	parameters, _ := o["parameters"].([]any)
	for i, p := range parameters {
		parameter, at := c.follow(object(p), fmt.Sprintf("%s/parameters/%d", at, i))
		if name, _ := parameter["name"].(string); parameter["in"] == "query" {
			compiled.parameters[name] = c.compile(openForm, at+"/schema")
		}
	}
	if o["requestBody"] != nil {
		compiled.body = c.compile(openForm, at+"/requestBody/content/application~1json/schema")
	}
	for status, r := range object(o["responses"]) {
		code, err := strconv.Atoi(status)
		if err != nil && c.err == nil {
			c.err = err
		}
		compiled.responses[code] = c.response(at+"/responses/"+status, object(r))
	}
	return compiled, c.err
}

func (c *compiler) response(at string, r map[string]any) response {
	compiled := response{headers: map[string]bool{}}
	r, at = c.follow(r, at)
	for name := range object(r["headers"]) {
		compiled.headers[http.CanonicalHeaderKey(name)] = true
	}
	if object(object(r["content"])["application/json"])["schema"] != nil { // endpoints name none
		compiled.body = c.compile(closedForm, at+"/content/application~1json/schema")
	}
	return compiled
}

// follow returns the target of a reference in the document, and its location.
func (c *compiler) follow(o map[string]any, at string) (map[string]any, string) {
	to, isReference := o["$ref"].(string)
	if !isReference {
		return o, at
	}
	found := c.spec
	for segment := range strings.SplitSeq(strings.TrimPrefix(to, "#/"), "/") {
		found = object(found)[segment]
	}
	return object(found), to
}

// closeObjects lets no object have members that its schema does not name.
func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		_, isObject := v["properties"].(map[string]any)
		if _, says := v["additionalProperties"]; isObject && !says && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			closeObjects(inner)
		}
	case []any:
		for _, inner := range v {
			closeObjects(inner)
		}
	}
}
