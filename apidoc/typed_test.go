package apidoc_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// TestE12_FieldsHaveTypes: each field in the document has a type, in lists, objects and bodies.
func TestE12_FieldsHaveTypes(t *testing.T) {
	all := 0
	for _, edition := range []shopapi.Edition{shopapi.SingleStore, shopapi.MultiStorefront, shopapi.MultiVendor} {
		d := documentOf(t, apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: edition}}).API, nil)
		schemas, _ := at(d, "components schemas").(map[string]any)
		for name, schema := range schemas {
			properties, _ := at(schema, "properties").(map[string]any)
			for field, s := range properties {
				all++
				if !isTyped(s) {
					t.Errorf("%s of %s is described by %v, which is no type", field, name, s)
				}
			}
		}
	}
	if all < 1800 {
		t.Errorf("found %d fields: the search for them is broken", all)
	}
}

func isTyped(schema any) bool {
	for _, member := range []string{"type", "$ref", "anyOf", "oneOf", "allOf", "const", "enum"} {
		if at(schema, member) != nil {
			return true
		}
	}
	return false
}

// TestE12_EnumsAreWhole: a parameter of a list that has an enum takes no other value.
func TestE12_EnumsAreWhole(t *testing.T) {
	s := apitest.New(t, nil)
	d := documentOf(t, s.API, nil)
	paths, _ := at(d, "paths").(map[string]any)
	all := 0
	for path, operations := range paths {
		parameters, _ := at(operations, "get parameters").([]any)
		if strings.Contains(path, "{") {
			continue
		}
		for _, p := range parameters {
			if ref, ok := at(p, "$ref").(string); ok {
				p = at(d, strings.ReplaceAll(strings.TrimPrefix(ref, "#/"), "/", " "))
			}
			name, _ := at(p, "name").(string)
			if at(p, "schema enum") == nil || at(p, "in") != "query" {
				continue
			}
			all++
			if a := s.Get("/api/2.0" + path + "?" + name + "=zzz"); a.Status != 400 || !strings.Contains(a.Body, name) {
				t.Errorf("%s: %s has the values %v, and zzz is answered %d %.120s", path, name, at(p, "schema enum"), a.Status, a.Body)
			}
		}
	}
	if all < 20 {
		t.Errorf("found %d parameters: the search for them is broken", all)
	}
}
