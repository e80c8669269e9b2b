package apidoc_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// TestE13_FiltersInTheDocument: lists filter by several values of a field with a closed set, and by
// one of other fields.
func TestE13_FiltersInTheDocument(t *testing.T) {
	fields := map[string][]shopapi.CustomField{"products": {
		{Name: "x_season", Type: shopapi.CustomOneOf, OneOf: []string{"summer", "winter"}, Filters: true},
		{Name: "x_supplier", Type: shopapi.CustomText, Filters: true},
	}}
	d := documentOf(t, apitest.New(t, &shop.Options{Options: shopapi.Options{CustomFields: fields}}).API, nil)
	for path, want := range map[string]any{
		"Products.x_season schema":    map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": []any{"summer", "winter"}}, "maxItems": 50.0},
		"Products.x_season explode":   false,
		"Products.x_supplier schema":  map[string]any{"type": "string", "maxLength": 1024.0},
		"Products.x_supplier explode": nil,
	} {
		if diff := cmp.Diff(want, at(d, "components parameters "+path)); diff != "" {
			t.Errorf("%s (-want +got): %s", path, diff)
		}
	}
}

// TestE13_SortKeysInTheDocument: the description of an entity and the parameter sort_by have the
// custom fields that sort.
func TestE13_SortKeysInTheDocument(t *testing.T) {
	fields := map[string][]shopapi.CustomField{"taxes": {
		{Name: "x_rank", Type: shopapi.CustomNumber, Sorts: true}, {Name: "x_note", Type: shopapi.CustomText},
	}}
	d := documentOf(t, apitest.New(t, &shop.Options{Options: shopapi.Options{CustomFields: fields}}).API, nil)
	var sorts any
	for _, tag := range d["tags"].([]any) {
		if at(tag, "name") == "taxes" {
			sorts = at(tag, "x-entity sorts")
		}
	}
	var keys any
	for _, p := range at(d, "paths /taxes get parameters").([]any) {
		if at(p, "name") == "sort_by" {
			keys = at(p, "schema enum")
		}
	}
	if diff := cmp.Diff(keys, sorts); diff != "" || !slices.Contains(sorts.([]any), "x_rank") || slices.Contains(sorts.([]any), "x_note") {
		t.Errorf("taxes sort by %v, sort_by has %v", sorts, keys)
	}
}

// TestE13_CustomerFieldsInTheDocument: bodies of users have the fields of addresses with their limits,
// and answers have the member fields.
func TestE13_CustomerFieldsInTheDocument(t *testing.T) {
	fields := []shopapi.CustomField{
		{Name: "b_tax_number", Type: shopapi.CustomText, Length: 30, Description: "As the tax office writes it."},
		{Name: "s_kind", Type: shopapi.CustomOneOf, OneOf: []string{"house", "flat"}},
	}
	texts := []any{"string", "number", "null"}
	for _, test := range []struct {
		customer []shopapi.CustomField
		want     map[string]any
	}{
		{nil, map[string]any{
			"UsersUpdate properties b_tax_number": nil, "UsersUpdate properties s_kind": nil, "UsersObject properties fields": nil,
		}},
		{fields, map[string]any{
			"UsersUpdate properties b_tax_number": map[string]any{"type": texts, "maxLength": 30.0, "description": "As the tax office writes it.", "x-in": "fields"},
			"UsersUpdate properties s_kind":       map[string]any{"type": texts, "enum": []any{"house", "flat", "", nil}, "x-in": "fields"},
			"UsersObject properties fields": map[string]any{
				"type": []any{"object", "array"}, "readOnly": true, "description": "The values of the custom fields of customers by their names; [] for none.",
			},
		}},
	} {
		d := documentOf(t, apitest.New(t, &shop.Options{Options: shopapi.Options{CustomerFields: test.customer}}).API, nil)
		for path, want := range test.want {
			if diff := cmp.Diff(want, at(d, "components schemas "+path)); diff != "" {
				t.Errorf("%d fields: %s (-want +got): %s", len(test.customer), path, diff)
			}
		}
	}
}
