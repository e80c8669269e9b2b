package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/internal/doccheck"
	"github.com/shopapi/shopapi/shop"
)

// A payloadCase is an operation with a body: a POST, or a PUT of one object.
type payloadCase struct {
	method  string
	address string // of the request
	schema  string // of the body: its pointer in the document
	example any    // nil for none
}

// TestE12_Payloads: each body of the document has an example, which the demo accepts.
func TestE12_Payloads(t *testing.T) {
	sh, r := demoShop(t)
	h := doccheck.Handler(t, sh.API)
	for _, c := range payloadCases(t, documentOf(t, sh), r, sh.API) {
		if c.example == nil {
			t.Errorf("%s %s has no example in apidoc/payloads.json", c.method, c.address)
			continue
		}
		if c.method == "POST" {
			continue // sent by payloadCases; a second object may be refused
		}
		if status, body := r.send(h, c.method, c.address, c.example); status >= 300 {
			t.Errorf("%s %s %v is answered %d %s", c.method, c.address, c.example, status, body)
		}
	}
}

// ignored are the fields that the PUT of an example ignores, whatever their value.
var ignored = map[string]string{
	"combinations product_id": "only of new objects", "discussions reply_to": "only of new objects",
	"options product_id": "only of new objects", "orders company_id": "only of new objects",
	"orders take_stock": "only of new objects", "orders timestamp": "only of new objects",
	"pages page_type": "only of new objects", "statuses type": "only of new objects",
	"product_variations_groups product_ids": "only of new objects", "product_variations_groups features": "only of new objects",
	"features original_var_ids": "counts beside variants", "options main_pair": "counts beside variants",
	"pages new_window": "counts in links",
}

// TestE12_PayloadsThatTheDocumentForbids: a value that the schema of a field excludes is
// refused, and the answer names the field.
func TestE12_PayloadsThatTheDocumentForbids(t *testing.T) {
	sh, r := demoShop(t)
	values := []any{true, 12.5, -3, "x y", []any{1}, []any{"a b"}, []any{map[string]any{}}, map[string]any{"a": "x y"}, map[string]any{"7": []any{[]any{}}}}
	document := documentOf(t, sh)
	for _, c := range payloadCases(t, document, r, sh.API) {
		if c.method != "PUT" {
			continue // its fields are the same
		}
		fields, _ := document.at(c.schema + "/properties")
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			if entity, _, _ := strings.Cut(c.address[1:], "/"); ignored[entity+" "+field] != "" {
				continue
			}
			schema := document.compile(t, c.schema+"/properties/"+field)
			for _, value := range values {
				if schema.Validate(plainJSON(t, value)) == nil || value == true && strings.HasPrefix(field, "company_") {
					continue // settings of a company take booleans as texts
				}
				status, body := r.send(sh.API, "PUT", c.address, map[string]any{field: value})
				if status != 400 || !strings.Contains(body, `"`+field) {
					t.Errorf("PUT %s {%q: %v} is answered %d %.300s; want 400 that names the field", c.address, field, value, status, body)
				}
			}
		}
	}
}

// TestE12_PayloadsInOtherForms: the values of the examples are accepted in each form that
// their schemas allow.
func TestE12_PayloadsInOtherForms(t *testing.T) {
	sh, r := demoShop(t)
	document := documentOf(t, sh)
	for _, c := range payloadCases(t, document, r, sh.API) {
		example, _ := c.example.(map[string]any)
		if c.method != "PUT" {
			continue
		}
		for field, value := range example {
			schema := document.compile(t, c.schema+"/properties/"+field)
			for _, form := range otherForms(value) {
				if err := schema.Validate(plainJSON(t, form)); err != nil {
					continue
				}
				payload := maps.Clone(example)
				payload[field] = form
				if status, body := r.send(sh.API, "PUT", c.address, payload); status != 200 {
					t.Errorf("PUT %s %v is answered %d %.300s", c.address, payload, status, body)
				}
			}
		}
	}
}

// otherForms returns a value in the other forms that clients send (§4).
func otherForms(value any) (forms []any) {
	switch v := value.(type) {
	case string:
		switch v {
		case "Y":
			forms = append(forms, true, 1, "true", "1", "y")
		case "N":
			forms = append(forms, false, 0, "false", "0", "n")
		}
		var number json.Number
		if json.Unmarshal([]byte(v), &number) == nil {
			forms = append(forms, number)
		}
	case float64:
		text, _ := json.Marshal(v)
		forms = append(forms, string(text), json.Number(string(text)+".0"))
	case []any:
		keyed, texts := map[string]any{}, make([]string, 0, len(v))
		for i, item := range v {
			key, _ := json.Marshal(i)
			keyed[string(key)] = item
			text, _ := json.Marshal(item)
			texts = append(texts, strings.Trim(string(text), `"`))
		}
		forms = append(forms, keyed, strings.Join(texts, ","))
	}
	return forms
}

// A demoDocument is the OpenAPI document of the demo.
type demoDocument struct {
	spec     map[string]any
	compiler *jsonschema.Compiler
}

const demoDocumentURL = "https://document.invalid/demo.json"

func documentOf(t *testing.T, sh *shop.Shop) *demoDocument {
	t.Helper()
	d := &demoDocument{compiler: jsonschema.NewCompiler()}
	data, err := json.Marshal(apidoc.Document(t.Context(), sh.API, nil))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	d.spec = spec.(map[string]any)
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	if err := d.compiler.AddResource(demoDocumentURL, spec); err != nil {
		t.Fatal(err)
	}
	return d
}

// at returns what a pointer leads to, through references. It also returns the pointer of
// the target.
func (d *demoDocument) at(pointer string) (map[string]any, string) {
	at := d.spec
	for segment := range strings.SplitSeq(strings.TrimPrefix(pointer, "#/"), "/") {
		at, _ = at[strings.ReplaceAll(segment, "~1", "/")].(map[string]any)
	}
	if ref, ok := at["$ref"].(string); ok {
		return d.at(ref)
	}
	return at, pointer
}

func (d *demoDocument) compile(t *testing.T, pointer string) *jsonschema.Schema {
	t.Helper()
	s, err := d.compiler.Compile(demoDocumentURL + pointer)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// onlyBelow are the entities without an address of their own, and an object of the demo
// that they lie below.
var onlyBelow = map[string]string{
	"/products/{product_id}/features": "/products/1/features",
	"/users/{user_id}/usergroups":     "/users/2/usergroups",
	"/languages/{lang_id}/langvars":   "/languages/1/langvars",
	"/stores/{store_id}/statuses":     "/stores/1/statuses",
}

// objects are objects that PUT is sent to, of entities without POST.
var objects = map[string]string{"/settings": "1", "/users/2/usergroups": "3"}

// payloadCases returns the operations with bodies: each of an entity once. It creates an
// object for each PUT where the entity has a POST.
func payloadCases(t *testing.T, d *demoDocument, r reader, h http.Handler) (list []payloadCase) {
	t.Helper()
	r.delete(h, "/combinations/"+r.first(h, "/combinations?product_id=3&sort_order=desc", "combination_hash")) // the demo has each one
	ids := map[string]string{}                                                                                 // the answers to POST, by address
	paths, _ := d.at("#/paths")
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		base, last, isObject := strings.Cut(path, "/{")
		if below, parent := belowOf(path); below != "" {
			base, last = below, strings.TrimPrefix(strings.TrimPrefix(path, parent), "/{")
			isObject = last != ""
		}
		last = strings.TrimSuffix(last, "}")
		if strings.Contains(last, "/") {
			continue // below another entity, where the body is the same, or an action
		}
		method := map[bool]string{false: "post", true: "put"}[isObject]
		operation, at := d.at("#/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + method)
		if operation == nil {
			continue
		}
		c := payloadCase{method: strings.ToUpper(method), address: base}
		_, c.schema = d.at(at + "/requestBody/content/application~1json/schema")
		examples, _ := d.at(at + "/requestBody/content/application~1json/examples")
		for name := range examples {
			example, _ := d.at(at + "/requestBody/content/application~1json/examples/" + name)
			c.example = example["value"]
		}
		if !isObject {
			status, body := r.send(h, "POST", base, c.example)
			if status >= 300 {
				t.Errorf("POST %s %v is answered %d %s", base, c.example, status, body)
			}
			ids[base] = body
		} else {
			c.address = base + "/" + cmp.Or(idIn(ids[base], last), objects[base])
			if strings.HasSuffix(c.address, "/") {
				c.address += r.first(h, base, last)
			}
		}
		list = append(list, c)
	}
	return list
}

// belowOf returns the address of the collection in the demo, and its pattern, for
// entities without an address of their own.
func belowOf(path string) (address, pattern string) {
	for pattern, address := range onlyBelow {
		if strings.HasPrefix(path, pattern) {
			return address, pattern
		}
	}
	return "", ""
}

// idIn returns a member of an object as a text, "" for none.
func idIn(object, name string) string {
	var members map[string]any
	if json.Unmarshal([]byte(object), &members) != nil || members[name] == nil {
		return ""
	}
	return fmt.Sprint(members[name])
}

// first returns the id of the first object of a list.
func (r reader) first(h http.Handler, address, idField string) string {
	r.Helper()
	_, body := r.get(h, address)
	ids := idsIn(body, idField)
	if len(ids) == 0 {
		r.Errorf("%s has no objects: %.300s", address, body)
		return ""
	}
	return ids[0]
}

func (r reader) delete(h http.Handler, address string) {
	r.Helper()
	if status, body := r.send(h, "DELETE", address, nil); status != 204 {
		r.Errorf("DELETE %s is answered %d %s", address, status, body)
	}
}

// send sends a payload, and returns status and body of the answer.
func (r reader) send(h http.Handler, method, address string, payload any) (status int, body string) {
	r.Helper()
	data, err := json.Marshal(payload)
	if err != nil {
		r.Fatal(err)
	}
	req := httptest.NewRequestWithContext(r.Context(), method, "/api/2.0"+address, bytes.NewReader(data))
	req.Header.Set("Content-Type", "application/json")
	req.SetBasicAuth(r.email, r.key)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w.Code, w.Body.String()
}

// plainJSON returns a value as the validator reads it.
func plainJSON(t *testing.T, value any) any {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
