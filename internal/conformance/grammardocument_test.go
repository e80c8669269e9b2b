package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/apitest"
)

// A grammar makes random requests from an OpenAPI document.
type grammar struct {
	t      *testing.T
	shop   *apitest.Shop
	random *rand.Rand
	fail   func(format string, args ...any)

	operations []grammarOperation
	schemas    map[string]*grammarSchema
	ids        map[string][]string // by entity
	knownIDs   bool                // ids of other objects are not sent
	seen       map[string]string   // responses since the last accepted change, by address

	sent, accepted, compared int
}

// A grammarOperation is an operation of the document.
type grammarOperation struct {
	method, path string
	Parameters   []struct {
		Name   string
		In     string
		Schema *grammarSchema
	}
	RequestBody struct {
		Content map[string]struct {
			Schema   *grammarSchema
			Example  any
			Examples map[string]struct{ Value any }
		}
	}
}

// A grammarSchema describes a value. Without a type it is any value.
type grammarSchema struct {
	Ref        string                    `json:"$ref"`
	Types      any                       `json:"type"` // a text or a list
	Enum       []any                     `json:"enum"`
	Pattern    string                    `json:"pattern"`
	Properties map[string]*grammarSchema `json:"properties"`
	Required   []string                  `json:"required"`
	Items      *grammarSchema            `json:"items"`
	AnyOf      []*grammarSchema          `json:"anyOf"`
	Members    json.RawMessage           `json:"additionalProperties"`
}

// UnmarshalJSON reads a schema, which may be true or false.
func (s *grammarSchema) UnmarshalJSON(data []byte) error {
	type plain grammarSchema
	if len(data) > 0 && data[0] == '{' {
		return json.Unmarshal(data, (*plain)(s))
	}
	return nil
}

// A randomRequest is one request.
type randomRequest struct {
	method, address, contentType, body string
	entity                             string
	look                               string // the address of what a refused change leaves alone
}

func (r randomRequest) String() string {
	return fmt.Sprintf("%s %s, %s, %s", r.method, r.address, r.contentType, r.body)
}

// readGrammar reads a document.
func readGrammar(t *testing.T, data []byte, seed uint64) *grammar {
	t.Helper()
	var document struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]*grammarSchema }
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	g := &grammar{t: t, random: rand.New(rand.NewPCG(seed, seed)), schemas: document.Components.Schemas, ids: map[string][]string{}}
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for _, method := range []string{"get", "post", "put", "delete"} {
			raw, ok := document.Paths[path][method]
			if !ok || method == "put" && !strings.HasSuffix(path, "}") {
				continue // arrays of objects (E2): the checker knows no operation of a list that changes it
			}
			o := grammarOperation{method: strings.ToUpper(method), path: path}
			if err := json.Unmarshal(raw, &o); err != nil {
				t.Fatalf("%s %s: %v", method, path, err)
			}
			g.operations = append(g.operations, o)
		}
	}
	return g
}

// one returns a random item of a list.
func one[T any](g *grammar, list ...T) T { return list[g.random.IntN(len(list))] }

// request makes a request.
func (g *grammar) request() randomRequest {
	o := one(g, g.operations...)
	if o.method == "DELETE" && g.random.IntN(3) > 0 { // so that something stays
		return g.request()
	}
	r, ok := g.address(o)
	if !ok {
		return g.request()
	}
	query := url.Values{}
	for _, p := range o.Parameters {
		if p.Name != "" && p.In == "query" && g.random.IntN(5) == 0 {
			query.Set(p.Name, g.text(p.Schema))
		}
	}
	if len(query) > 0 {
		r.address += "?" + query.Encode()
	}
	content := o.RequestBody.Content["application/json"]
	if content.Schema == nil {
		return r
	}
	example := content.Example
	for _, name := range slices.Sorted(maps.Keys(content.Examples)) {
		if example == nil || g.random.IntN(2) == 0 {
			example = content.Examples[name].Value
		}
	}
	value := g.body(content.Schema, example)
	if object, ok := value.(map[string]any); ok && g.random.IntN(8) == 0 {
		r.contentType, r.body = "application/x-www-form-urlencoded", formOf(object)
		return r
	}
	data, err := json.Marshal(value)
	if err != nil {
		g.t.Fatalf("%v: %v", value, err)
	}
	r.contentType, r.body = "application/json", string(data)
	if g.random.IntN(40) == 0 && len(data) > 0 { // cut, or with another byte
		at := g.random.IntN(len(data))
		r.body = one(g, r.body[:at], r.body[:at]+string(byte(g.random.IntN(256)))+r.body[at+1:])
	}
	return r
}

// address makes the address of a request. It returns false for a request that must not be sent.
func (g *grammar) address(o grammarOperation) (r randomRequest, ok bool) {
	r = randomRequest{method: o.method}
	var path []string
	segments := strings.Split(strings.Trim(o.path, "/"), "/")
	for i, segment := range segments {
		if !strings.HasPrefix(segment, "{") {
			r.entity = segment
			path = append(path, segment)
			continue
		}
		id := g.id(r.entity)
		if i == 1 && r.entity == "users" && id == "1" && o.method != "GET" {
			return r, false // root would lose its access
		}
		path = append(path, url.PathEscape(id))
	}
	r.address = "/api/2.0/" + strings.Join(path, "/")
	switch last := segments[len(segments)-1]; {
	case o.method == "POST" && last == r.entity:
		r.look = r.address
	case strings.HasPrefix(last, "{"):
		r.look = r.address
	}
	return r, true
}

// id returns the id of an object, or another text.
func (g *grammar) id(entity string) string {
	if known := g.ids[entity]; len(known) > 0 && (g.knownIDs || g.random.IntN(3) > 0) {
		return one(g, known...)
	}
	if g.random.IntN(12) == 0 {
		return one(g, "0", "-1", "x", "01", "9223372036854775808", "1e1", "A", "en", "1 ", "ü", "1\x00", "*")
	}
	return strconv.Itoa(1 + g.random.IntN(5))
}

// body is an example with some members replaced, or a value of the schema alone.
func (g *grammar) body(s *grammarSchema, example any) any {
	object, ok := example.(map[string]any)
	if !ok || g.random.IntN(4) == 0 {
		return g.value(s, 0)
	}
	s = g.resolve(s)
	object = maps.Clone(object)
	names := slices.Sorted(maps.Keys(s.Properties))
	for range g.random.IntN(4) {
		if len(names) == 0 {
			break
		}
		name := one(g, names...)
		if object[name] = g.value(s.Properties[name], 1); g.random.IntN(6) == 0 {
			delete(object, name)
		}
	}
	return object
}

// resolve follows references, and chooses one of several schemas.
func (g *grammar) resolve(s *grammarSchema) *grammarSchema {
	for s != nil && (s.Ref != "" || len(s.AnyOf) > 0) {
		if s.Ref != "" {
			s = g.schemas[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]]
		} else {
			s = one(g, s.AnyOf...)
		}
	}
	return cmp.Or(s, &grammarSchema{})
}

// kind is a type of the schema.
func (g *grammar) kind(s *grammarSchema) string {
	switch kinds := s.Types.(type) {
	case string:
		return kinds
	case []any:
		return fmt.Sprint(one(g, kinds...))
	}
	return ""
}

// hostile are values that hardly a schema has.
var hostile = []any{
	nil, true, false, -1, 0, 1.5, json.Number("1e400"), json.Number("9223372036854775808"), json.Number("-0"), "", "\x00", "\u202e", "ß", "a\tb",
	"' OR 1=1 --", "%", "_", "-1", "1e5", "NaN", "0x10", "9999999999999999999999", []any{}, map[string]any{}, []any{[]any{[]any{}}}, map[string]any{"a": map[string]any{"b": nil}},
	[]any{nil}, map[string]any{"": ""}, map[string]any{"1": 1}, strings.Repeat("x", 300), strings.Repeat("ü", 5000), []any{1, "1", 1.0}, "1,2,3", "Y", "N", "2024-02-30",
}

// value is a value of the schema, or a hostile one.
func (g *grammar) value(s *grammarSchema, depth int) any {
	if depth > 5 || depth > 0 && g.random.IntN(15) == 0 {
		return one(g, hostile...)
	}
	s = g.resolve(s)
	if len(s.Enum) > 0 {
		return one(g, s.Enum...)
	}
	switch g.kind(s) {
	case "null":
		return nil
	case "boolean":
		return g.random.IntN(2) == 0
	case "integer":
		return one(g, 0, 1, 2, 3, g.random.IntN(100), int(g.random.Int32()))
	case "number":
		return one(g, 0, 1, 2.5, 9.99, float64(g.random.IntN(10000))/100)
	case "array":
		list := make([]any, g.random.IntN(4))
		for i := range list {
			list[i] = g.value(s.Items, depth+1)
		}
		return list
	case "object", "":
		return g.object(s, depth)
	}
	if s.Pattern != "" {
		return one(g, "0", "1", "2", "3", "10", "1.50", "0.005", "12.5", "Y", "N", "A", "D", "en", "1,2")
	}
	return one(g, "Cups", "Clay mug", "root@example.com", "1", "a", "ß é", "https://example.com/x.png", "2024-01-01", "DE", "<b>x</b>", fmt.Sprint("t", g.random.IntN(1000)))
}

// object is an object of the schema. Members that the schema does not name have ids as names.
func (g *grammar) object(s *grammarSchema, depth int) any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || g.random.IntN(3) == 0 {
			object[name] = g.value(s.Properties[name], depth+1)
		}
	}
	var members grammarSchema
	if len(s.Members) > 0 && s.Members[0] == '{' && json.Unmarshal(s.Members, &members) == nil {
		for range g.random.IntN(3) {
			object[one(g, "1", "2", "3", "x", "0", "-1")] = g.value(&members, depth+1)
		}
	}
	return object
}

// text is a value of a parameter.
func (g *grammar) text(s *grammarSchema) string {
	if g.random.IntN(8) == 0 {
		return fmt.Sprint(one(g, hostile...))
	}
	switch v := g.value(s, 1).(type) {
	case []any:
		var texts []string
		for _, item := range v {
			texts = append(texts, fmt.Sprint(item))
		}
		return strings.Join(texts, ",")
	default:
		return fmt.Sprint(v)
	}
}

// formOf writes an object as a form.
func formOf(object map[string]any) string {
	form := url.Values{}
	var add func(name string, v any)
	add = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for member, value := range v {
				add(name+"["+member+"]", value)
			}
		case []any:
			for i, value := range v {
				add(name+"["+strconv.Itoa(i)+"]", value)
			}
		case nil:
			form.Set(name, "")
		default:
			form.Set(name, fmt.Sprint(v))
		}
	}
	for name, v := range object {
		add(name, v)
	}
	return form.Encode()
}
