package features_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
)

// A feature has the documented fields, and its variants as an object by id.
func TestFeatures_Wire(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.Want("POST", "features", `{"description": "Glaze", "feature_type": "S", "company_id": 1, "categories_path": [1, 3],
			"position": 10, "display_on_product": "Y", "variants": [{"variant": "Matt"}]}`, 201, `{"feature_id":"1"}`)
		shoptest.SameJSON(t, s.Call(200, "GET", "features/1", ""), `{"feature_id": "1", "feature_code": "", "company_id": "1", "feature_type": "S", "parent_id": "0",
			"display_on_product": "Y", "display_on_catalog": "N", "display_on_header": "N", "description": "Glaze",
			"lang_code": "en", "prefix": "", "suffix": "", "categories_path": "1,3", "full_description": "", "status": "A",
			"comparison": "N", "position": "10", "purpose": "find_products", "feature_style": "text", "filter_style": "checkbox",
			"variants": {"1": {"variant_id": "1", "variant": "Matt", "description": "", "page_title": "", "meta_keywords": "",
			"meta_description": "", "lang_code": "en", "feature_id": "1", "url": "", "color": null, "position": "0",
			"seo_name": null, "seo_path": null, "image_pair": null}}}`)
		shoptest.SameJSON(t, s.Call(200, "GET", "features", ""), `{"features": [{"feature_id": "1", "company_id": "1", "feature_type": "S", "parent_id": "0",
			"group_position": "0", "display_on_product": "Y", "display_on_catalog": "N", "display_on_header": "N", "description": "Glaze",
			"prefix": "", "suffix": "", "categories_path": "1,3", "full_description": "", "status": "A", "comparison": "N", "position": "10",
			"purpose": "find_products", "feature_style": "text", "filter_style": "checkbox"}],
			"params": {"items_per_page": "10", "page": 1, "sort_order": "asc", "sort_by": "position", "sort_order_rev": "desc", "total_items": "1"}}`)
		s.feature("T", "Note")
		if got := s.Field("features/2", "variants"); got != "[]" {
			t.Errorf("the variants of a text are %s", got)
		}
		s.Want("PUT", "features/1", `{"status": "D"}`, 200, `{"feature_id":"1"}`)
		s.Status("DELETE", "features/1", "", 204)
		s.Status("GET", "features/1", "", 404)
	})
}

// features/<id>/variants lists the variants.
func TestFeatures_VariantsBelowAFeature(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.feature("S", "Glaze", "Matt", "Gloss", "Satin")
		s.feature("S", "Clay", "Red")
		if diff := cmp.Diff("Matt Gloss", s.List("features/1/variants?items_per_page=2", "variant")); diff != "" {
			t.Error(diff)
		}
		shoptest.SameJSON(t, s.Call(200, "GET", "features/2/variants/4", ""), `{"variant_id": "4", "variant": "Red", "description": "", "page_title": "",
			"meta_keywords": "", "meta_description": "", "lang_code": "en", "feature_id": "2", "url": "", "color": null, "position": "0",
			"seo_name": null, "seo_path": null, "image_pair": null}`)
		s.Status("GET", "features/1/variants/4", "", 404)
		s.Status("GET", "features/9/variants", "", 404)
		s.Status("POST", "features/1/variants", `{"variant": "Ash"}`, 405)
	})
}

// Omitted purpose and styles follow from the type (decisions §17), also after a change of
// the type, unless they were chosen.
func TestFeatures_StylesFollowFromTheType(t *testing.T) {
	suite.Each(t, func(s *shop) {
		for kind, want := range map[string]string{
			"C": "find_products checkbox checkbox", "M": "find_products multiple_checkbox checkbox", "S": "find_products text checkbox",
			"N": "find_products text slider", "E": "organize_catalog brand checkbox", "T": "describe_product text ",
			"O": "find_products text slider", "D": "find_products text date", "G": "  ",
		} {
			if got := s.style(s.feature(kind, "Feature")); got != want {
				t.Errorf("%s: %q, want %q", kind, got, want)
			}
		}
		id := s.feature("S", "Glaze")
		for _, c := range []struct{ put, want string }{
			{`{"feature_type": "E"}`, "organize_catalog brand checkbox"},
			{`{"feature_type": "N", "filter_style": "color"}`, "find_products text color"},
			{`{"purpose": "group_catalog_item"}`, "group_catalog_item dropdown color"},
			{`{"feature_style": "dropdown_labels"}`, "group_catalog_item dropdown_labels color"},
			{`{"feature_type": "S"}`, "group_catalog_item dropdown_labels color"},
			{`{"purpose": ""}`, "find_products dropdown_labels color"},
		} {
			s.Call(200, "PUT", "features/"+id, c.put)
			if got := s.style(id); got != c.want {
				t.Errorf("%s: %q, want %q", c.put, got, c.want)
			}
		}
	})
}

func (s *shop) style(id string) string {
	s.Helper()
	f := s.Object("features/" + id)
	return f["purpose"].(string) + " " + f["feature_style"].(string) + " " + f["filter_style"].(string)
}

// Filters of the list.
func TestFeatures_Filters(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.feature("G", "Make")
		s.Call(201, "POST", "features", `{"description": "Glaze", "feature_type": "S", "parent_id": 1, "feature_code": "GL", "company_id": 1, "position": 5}`)
		s.Call(201, "POST", "features", `{"description": "Maker", "feature_type": "E", "status": "D", "company_id": 1, "position": 3}`)
		for query, want := range map[string]string{
			"":                      "1 3 2",
			"sort_by=name":          "2 1 3",
			"sort_by=id":            "1 2 3",
			"feature_type=S":        "2",
			"status=D":              "3",
			"parent_id=1":           "2",
			"description=MAKE":      "1 3",
			"feature_code=GL":       "2",
			"purpose=find_products": "2",
			"company_id=2":          "",
			"product_id=1":          "",
			"items_per_page=1":      "1",
		} {
			if got := s.List("features?"+query, "feature_id"); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		for query, field := range map[string]string{"feature_type=X": "feature_type", "status=X": "status", "purpose=x": "purpose", "product_id=x": "product_id", "sort_by=x": "sort_by"} {
			s.Refuses("GET", "features?"+query, "", field)
		}
		if got := s.Field("features/2", "parent_id"); got != `"1"` {
			t.Error(got)
		}
	})
}

// Vendors' users see their own features and the whole shop's, and change their own
// (decisions §11).
func TestFeatures_Vendors(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{Edition: shopapi.MultiVendor})
	s.feature("S", "Glaze", "Matt")
	s.Call(201, "POST", "features", `{"description": "Secret", "feature_type": "G", "company_id": 3}`)
	vendor := s.as("vendor2@example.com")
	vendor.Call(201, "POST", "features", `{"description": "Own", "feature_type": "T"}`)
	if got := vendor.List("features", "feature_id"); got != "1 3" {
		t.Errorf("the vendor sees %s", got)
	}
	vendor.Call(200, "GET", "features/1/variants", "")
	vendor.Forbids("PUT", "features/1", `{"description": "Mine"}`)
	vendor.Forbids("DELETE", "features/1", "")
	vendor.Status("GET", "features/2", "", 404)
	vendor.Status("GET", "features/2/variants", "", 404)
	vendor.Refuses("PUT", "features/3", `{"parent_id": 2}`, "parent_id")
	if got := strings.Join(s.Events()[5:], ", "); !strings.Contains(got, "create features 3 by 3") {
		t.Errorf("told %s", got)
	}
}
