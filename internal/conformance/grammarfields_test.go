package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
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
// is accepted is as the document says.
func TestGrammar_EachFieldAndValue(t *testing.T) {
	for _, edition := range []shopapi.Edition{shopapi.SingleStore, shopapi.MultiStorefront, shopapi.MultiVendor} {
		t.Run(fmt.Sprint(edition), func(t *testing.T) {
			t.Parallel()
			s := documented(t, apitest.NewWithStore(t, memory.New(), &shop.Options{Options: shopapi.Options{Edition: edition}}))
			stock(t, s)
			g := newGrammar(t, s, 1)
			g.knownIDs = true
			for _, o := range g.operations { // so that there is something to change
				if body, required := g.bodyOf(o); body != nil && o.method == "POST" {
					g.sendObject(o, required)
				}
			}
			for _, o := range g.operations {
				g.sendFields(o)
			}
		})
	}
}

// sendFields sends each field with each strange value: to a POST beside the required fields, to a
// PUT alone.
func (g *grammar) sendFields(o grammarOperation) {
	body, required := g.bodyOf(o)
	if body == nil {
		return
	}
	if o.method == "PUT" {
		required = nil
	}
	for _, name := range slices.Sorted(maps.Keys(body.Properties)) {
		for _, value := range strange {
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
