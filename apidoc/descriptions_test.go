package apidoc_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// TestDocument_Descriptions: every field of every body and every parameter has a
// description, in each edition, and the glossary has no unused text.
func TestDocument_Descriptions(t *testing.T) {
	said := map[string]bool{}
	for _, edition := range []shopapi.Edition{shopapi.SingleStore, shopapi.MultiStorefront, shopapi.MultiVendor} {
		d := documentOf(t, apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: edition}}).API, nil)
		for place, description := range descriptions("", d) {
			if description == "" {
				t.Errorf("edition %v: %s has no description", edition, place)
			}
			said[description] = true
		}
	}
	data, err := os.ReadFile("glossary.json")
	if err != nil {
		t.Fatal(err)
	}
	var glossary map[string]string
	if err := json.Unmarshal(data, &glossary); err != nil {
		t.Fatal(err)
	}
	all := slices.Collect(maps.Keys(said))
	for name, text := range glossary {
		if !slices.ContainsFunc(all, func(description string) bool { return strings.HasPrefix(description, text) }) {
			t.Errorf("no field is described by the text of %s in the glossary: %q", name, text)
		}
	}
}

// descriptions returns the descriptions of the properties and parameters below v, by
// path.
func descriptions(place string, v any) map[string]string {
	found := map[string]string{}
	add := func(place string, of any) {
		found[place], _ = at(of, "description").(string)
	}
	switch v := v.(type) {
	case map[string]any:
		properties, _ := v["properties"].(map[string]any)
		if v["type"] != "object" { // a field named properties
			properties = nil
		}
		for name, property := range properties {
			add(place+"."+name, property)
		}
		if v["in"] != nil && v["name"] != nil {
			add(place, v)
		}
		for name, inner := range v {
			maps.Copy(found, descriptions(place+" "+name, inner))
		}
	case []any:
		for _, inner := range v {
			maps.Copy(found, descriptions(place, inner))
		}
	}
	return found
}
