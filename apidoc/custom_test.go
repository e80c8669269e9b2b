package apidoc_test

import (
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
