package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

// strange are values that few fields accept.
var strange = []any{
	nil, true, -1, 0, 1.5, "", "A", "Cups", "1e5", "1.50", "-1", "1,2", []any{}, []any{nil}, []any{1.5, true}, []any{map[string]any{}}, []any{[]any{}},
	map[string]any{}, map[string]any{"1": nil}, map[string]any{"a": map[string]any{}},
}

// TestGrammar_EachFieldAndValue sends each field of each body with strange values. Each body that
// is accepted is as the document says. Where the fields of several bodies have the same schema, as
// in POST and PUT, at several addresses and in several editions, each of these bodies gets some of
// the values, and all of them if SHOPAPI_GRAMMAR is set.
func TestGrammar_EachFieldAndValue(t *testing.T) {
	editions := []shopapi.Edition{shopapi.SingleStore, shopapi.MultiStorefront, shopapi.MultiVendor}
	open := func(t *testing.T, edition shopapi.Edition) *apitest.Shop {
		return apitest.NewWithStore(t, memory.New(), &shop.Options{Options: shopapi.Options{Edition: edition}})
	}
	type body struct {
		edition      shopapi.Edition
		method, path string
	}
	sharing := map[string][]body{} // by entity, field and schema
	for _, edition := range editions {
		data, err := apidoc.JSON(t.Context(), open(t, edition).API, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := readGrammar(t, data, 1)
		for _, o := range g.operations {
			for name := range g.fieldsOf(o) {
				field := g.field(o, name)
				sharing[field] = append(sharing[field], body{edition, o.method, o.path})
			}
		}
	}
	for _, edition := range editions {
		t.Run(fmt.Sprint(edition), func(t *testing.T) {
			t.Parallel()
			s := documented(t, open(t, edition))
			stock(t, s)
			g := newGrammar(t, s, 1)
			g.knownIDs = true
			for _, o := range g.operations { // so that there is something to change
				if body, required := g.bodyOf(o); body != nil && o.method == "POST" {
					g.sendObject(o, required)
				}
			}
			for _, o := range g.operations {
				g.sendFields(o, func(name string, value int) bool {
					same := sharing[g.field(o, name)]
					return os.Getenv("SHOPAPI_GRAMMAR") != "" || len(same) == 0 || same[value%len(same)] == body{edition, o.method, o.path}
				})
			}
		})
	}
}

// fieldsOf returns the fields of the bodies of an operation, nil for none.
func (g *grammar) fieldsOf(o grammarOperation) map[string]*grammarSchema {
	body := o.RequestBody.Content["application/json"].Schema
	if body == nil {
		return nil
	}
	return g.resolve(body).Properties
}

// field returns the entity of an operation, the name and the schema of a field.
func (g *grammar) field(o grammarOperation, name string) string {
	schema, err := json.Marshal(g.fieldsOf(o)[name])
	if err != nil {
		g.t.Fatal(err)
	}
	entity := ""
	for segment := range strings.SplitSeq(o.path, "/") {
		if !strings.HasPrefix(segment, "{") {
			entity = segment
		}
	}
	return fmt.Sprint(entity, " ", name, " ", string(schema))
}

// sendFields sends each field with the strange values that it has in this edition: to a POST beside
// the required fields, to a PUT alone.
func (g *grammar) sendFields(o grammarOperation, has func(name string, value int) bool) {
	body, required := g.bodyOf(o)
	if body == nil {
		return
	}
	if o.method == "PUT" {
		required = nil
	}
	for _, name := range slices.Sorted(maps.Keys(body.Properties)) {
		for i, value := range strange {
			if !has(name, i) {
				continue
			}
			object := map[string]any{}
			maps.Copy(object, required)
			object[name] = value
			g.sendObject(o, object)
		}
	}
}

// bodyOf returns the schema of the bodies of an operation, nil for none, and an object with the
// required fields.
func (g *grammar) bodyOf(o grammarOperation) (body *grammarSchema, object map[string]any) {
	body = o.RequestBody.Content["application/json"].Schema
	if body == nil {
		return nil, nil
	}
	body, object = g.resolve(body), map[string]any{}
	for _, name := range body.Required {
		property := g.resolve(body.Properties[name])
		switch kinds := fmt.Sprint(property.Types); {
		case len(property.Enum) > 0:
			object[name] = property.Enum[0]
		case property.Pattern != "" || strings.Contains(kinds, "integer") || strings.Contains(kinds, "number") && !strings.Contains(kinds, "string"):
			object[name] = 1
		case strings.Contains(kinds, "string"):
			object[name] = fmt.Sprintf("x%d@example.com", g.accepted) // no two objects share it
		default:
			object[name] = g.value(property, 0)
		}
	}
	return body, object
}

func (g *grammar) sendObject(o grammarOperation, object map[string]any) {
	data, err := json.Marshal(object)
	if err != nil {
		g.t.Fatal(err)
	}
	if r, ok := g.address(o); ok {
		r.contentType, r.body = "application/json", string(data)
		g.send(r)
	}
}
