package features_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/internal/shoptest"
)

// A parent is a feature of the type G; deleting it leaves its members with none
// (decisions §17).
func TestFeatures_ParentIsAGroup(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.feature("G", "Make")
		s.feature("S", "Glaze")
		s.feature("G", "Inner")
		s.Refuses("PUT", "features/1", `{"parent_id": 2}`, "parent_id")
		s.Refuses("PUT", "features/2", `{"parent_id": 9}`, "parent_id")
		s.Refuses("PUT", "features/2", `{"parent_id": -1}`, "parent_id")
		s.Call(200, "PUT", "features/2", `{"parent_id": 3}`)
		s.Call(200, "PUT", "features/3", `{"parent_id": 1}`)
		for _, parent := range []string{"1", "3"} {
			s.Refuses("PUT", "features/1", `{"parent_id": `+parent+`}`, "parent_id") // a cycle
		}
		s.Refuses("PUT", "features/3", `{"feature_type": "S"}`, "feature_type")
		s.Call(204, "DELETE", "features/3", "")
		if got := s.Field("features/2", "parent_id"); got != `"0"` {
			t.Errorf("parent_id is %s after the group went", got)
		}
		if told := strings.Join(s.Events(), ", "); !strings.HasSuffix(told, "delete features 3 by 1, update features 2 by 1") {
			t.Errorf("the observer was told of %s", told)
		}
	})
}

// GroupPosition is 0 of a feature that has left its group, also in the answer of the update.
func TestFeatures_GroupPositionGoesWithTheGroup(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.Call(201, "POST", "features", `{"feature_type": "G", "description": "Make", "position": 7, "company_id": 1}`)
		s.Call(201, "POST", "features", `{"feature_type": "T", "description": "Kiln", "parent_id": 1, "company_id": 1}`)
		list := s.Features
		for _, parent := range []int64{1, 0} {
			f, err := list.Update(s.Context(), 2, func(f *features.Feature) error {
				f.ParentID, f.Code = parent, "in "+shopapi.FormatID(parent)
				return nil
			})
			if want := 7 * parent; err != nil || f.GroupPosition != want {
				t.Errorf("in the group %d the position of the group is %d, want %d (%v)", parent, f.GroupPosition, want, err)
			}
		}
	})
}

// A group has neither a purpose nor styles: the refusal says so of each field (decisions §17).
func TestFeatures_GroupHasNoStyle(t *testing.T) {
	suite.Each(t, func(s *shop) {
		got := s.Refuses("POST", "features", `{"feature_type": "G", "description": "Make", "purpose": "find_products", "feature_style": "text", "filter_style": "slider"}`,
			"purpose", "feature_style", "filter_style")
		want := map[string]string{
			"purpose":       `must be empty, since the feature is a group, not "find_products"`,
			"feature_style": `must be empty, since the feature is a group, not "text"`,
			"filter_style":  `must be empty, since the feature is a group, not "slider"`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// PUT of variants is the full set: with an id changed, without one made, left out
// removed (decisions §17).
func TestFeatures_VariantsAreTheFullSet(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.feature("S", "Glaze", "Matt", "Gloss", "Satin")
		for _, c := range []struct{ variants, want string }{
			{`{"2": {"variant": "High gloss"}, "x": {"variant": "Ash"}, "1": {}}`, "Matt=1 High gloss=2 Ash=4"},
			{`[{"variant_id": 4, "position": 3}, {"variant_id": "2", "position": 9}, {"variant": "Raw", "position": 1}]`, "Raw=5 Ash=4 High gloss=2"},
			{`[{"variant": "Other"}]`, "Other=6"},
			{`[]`, ""},
		} {
			s.Call(200, "PUT", "features/1", `{"variants": `+c.variants+`}`)
			if diff := cmp.Diff(c.want, s.variants("1")); diff != "" {
				t.Errorf("%s: %s", c.variants, diff)
			}
		}
		s.Call(200, "PUT", "features/1", `{"variants": [{"variant": "Matt"}]}`)
		s.Call(200, "PUT", "features/1", `{"description": "Surface"}`)
		if diff := cmp.Diff("Matt=7", s.variants("1")); diff != "" {
			t.Errorf("a PUT without variants: %s", diff)
		}
	})
}

func TestFeatures_BadInput(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.feature("S", "Glaze", "Matt")
		s.feature("S", "Clay", "Red")
		s.feature("N", "Volume", "250")
		long := strings.Repeat("x", 256)
		for _, c := range []struct {
			body   string
			fields string
		}{
			{`{"status": "A"}`, "description feature_type"},
			{`{"description": " ", "feature_type": "X"}`, "description feature_type"},
			{`{"description": "` + long + `", "feature_type": "T", "prefix": "` + long + `", "suffix": "` + long + `", "feature_code": "` + long + `"}`, "description feature_code prefix suffix"},
			{`{"description": "a", "feature_type": "T", "status": "X", "position": -1, "comparison": "maybe"}`, "comparison position status"},
			{`{"description": "a", "feature_type": "T", "categories_path": "x"}`, "categories_path"},
			{`{"description": "a", "feature_type": "T", "categories_path": "9"}`, "categories_path"},
			{`{"description": "a", "feature_type": "S", "purpose": "x", "feature_style": "x", "filter_style": "x"}`, "feature_style filter_style purpose"},
			{`{"description": "a", "feature_type": "M", "purpose": "group_catalog_item"}`, "purpose"},
			{`{"description": "a", "feature_type": "G", "purpose": "find_products"}`, "purpose"},
			{`{"description": "a", "feature_type": "T", "variants": [{"variant": "a"}]}`, "variants"},
			{`{"description": "a", "feature_type": "S", "variants": "a"}`, "variants"},
			{`{"description": "a", "feature_type": "S", "variants": ["a"]}`, "variants"},
			{`{"description": "a", "feature_type": "S", "variants": [{"variant": ""}]}`, "variants"},
			{`{"description": "a", "feature_type": "S", "variants": [{"variant": "a", "position": -1}]}`, "variants"},
			{`{"description": "a", "feature_type": "S", "variants": [{"variant": "a", "url": "javascript:alert(1)"}]}`, "variants"},
			{`{"description": "a", "feature_type": "N", "variants": [{"variant": "large"}]}`, "variants"},
		} {
			s.Refuses("POST", "features", c.body, strings.Fields(c.fields)...)
		}
		for put, field := range map[string]string{
			`{"variants": [{"variant_id": 2, "variant": "Blue"}]}`:                             "variants", // of another feature
			`{"variants": [{"variant_id": 1}, {"variant_id": 1}]}`:                             "variants",
			`{"variants": {"1": {"variant_id": "x"}}}`:                                         "variants",
			`{"variants": [` + strings.Repeat(`{"variant":"a"},`, 7_000) + `{"variant":"a"}]}`: "variants",
			`{"feature_type": ""}`: "feature_type",
		} {
			s.Refuses("PUT", "features/1", put, field)
		}
		_, err := s.Features.Create(t.Context(), features.Feature{Summary: features.Summary{Type: "S"}, Variants: make(features.Variants, 10_001)})
		shoptest.WantStatus(t, "10,001 variants from Go", err, 400)
	})
}

// A feature has 7,000 variants at most, and that many, which Go adds at once.
func TestFeatures_ManyVariants(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{})
	all := make(features.Variants, 7_000)
	for i := range all {
		all[i].Name = fmt.Sprint(i)
	}
	_, err := s.Features.Create(t.Context(), features.Feature{Summary: features.Summary{Description: "Size", Type: "S", CompanyID: 1}, Variants: all})
	s.Must(err)
	if got := strings.Count(s.variants("1"), "="); got != 7_000 {
		t.Errorf("the feature has %d variants", got)
	}
}
