package variations_test

import (
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
)

// A product under product_variations shows its group; lists show the requested details of
// it.
func TestVariations_Details(t *testing.T) {
	suite.Each(t, func(s *shop) {
		for product, size := range map[string]string{"1": "5", "2": "5", "3": "6"} {
			s.Call(200, "PUT", "products/"+product, `{"product_features": {"2": `+size+`}}`)
		}
		s.group("MUGS", 1, 2, 3)
		s.Call(200, "PUT", "products/2", `{"product": "Becher", "lang_code": "de"}`)
		s.Call(200, "PUT", "features/1", `{"description": "Glasur", "lang_code": "de"}`)

		product := s.Object("product_variations/2")
		if values, _ := product["variation_features"].(map[string]any); len(values) != 2 || values["1"].(map[string]any)["variant"] != "Gloss" {
			t.Errorf("variation_features are %v", product["variation_features"])
		}
		for field, want := range map[string]string{
			"variation_group_id": `"1"`, "variation_group_code": `"MUGS"`, "variation_parent_product_id": `"1"`,
			"variation_sub_group_id": `"2-5"`, "variation_feature_ids": `["1","2"]`,
			"variation_feature_collection": `{"1":{"feature_id":"1","purpose":"group_variation_catalog_item"},"2":{"feature_id":"2","purpose":"group_catalog_item"}}`,
			"variation_name":               "", "variation_features_variants": "",
		} {
			if got := s.Field("product_variations/2", field); got != want {
				t.Errorf("%s is %s, want %s", field, got, want)
			}
		}
		if got := s.Field("product_variations/1", "variation_parent_product_id"); got != `"0"` {
			t.Errorf("a parent has the parent %s", got)
		}
		for _, address := range []string{"product_variations/5", "products/2"} { // in no group, and no variation there
			if got := s.Field(address, "variation_features") + s.Field(address, "variation_group_id"); got != "[]" {
				t.Errorf("%s shows %s", address, got)
			}
		}

		for address, want := range map[string]string{
			"products?get_variation_name=1":                                                           "Mug, Glaze: Matt, Size: Small Mug, Glaze: Gloss, Size: Small Mug, Glaze: Ash, Size: Large <nil> <nil>",
			"product_variations?get_variation_name=Y":                                                 "Mug, Glaze: Matt, Size: Small Mug, Glaze: Gloss, Size: Small Mug, Glaze: Ash, Size: Large",
			"product_variations?get_variation_name=0":                                                 "<nil> <nil> <nil>",
			"products/?pcode=M&get_variation_info=true":                                               "<nil> <nil> <nil> <nil> <nil>",
			"product_variations?get_variation_name=1&variations_by_product_id=2&product_type=V&sl=de": "Becher, Glasur: Gloss, Size: Small",
		} {
			if got := s.List(address+"&sort_by=id", "variation_name"); got != want {
				t.Errorf("%s: the names are %q, want %q", address, got, want)
			}
		}
		if got := s.List("products?get_variation_info=1&sort_by=id", "variation_group_id"); got != "1 1 1 <nil> <nil>" {
			t.Errorf("the groups are %s", got)
		}
		s.Status("GET", "products?get_variation_info=2", "", 400)

		var list struct {
			Products []struct {
				Variants map[string]struct {
					Description, Variant string
					Variants             map[string]struct {
						Variant   string
						ProductID string `json:"product_id"`
					}
				} `json:"variation_features_variants"`
			}
		}
		shoptest.Decode(t, s.Call(200, "GET", "product_variations?get_variation_features_variants=1&sort_by=id", ""), &list)
		glaze := list.Products[1].Variants["1"]
		if glaze.Description != "Glaze" || glaze.Variant != "Gloss" || len(glaze.Variants) != 3 ||
			glaze.Variants["1"].ProductID != "1" || glaze.Variants["3"].Variant != "Ash" || glaze.Variants["3"].ProductID != "3" {
			t.Errorf("the variants of the glaze are %+v", glaze)
		}
	})
}

// variation_feature_values changes those values that it names, by the rules of the group.
func TestVariations_FeatureValues(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.group("MUGS", 1, 2)
		s.Call(200, "PUT", "product_variations/2", `{"variation_feature_values": {"1": 3}, "product_features": {"3": "Salt"}}`)
		if got := s.Object("products/2")["product_features"].(map[string]any); got["1"].(map[string]any)["variant"] != "Ash" || got["3"].(map[string]any)["value"] != "Salt" {
			t.Errorf("the features are %v", got)
		}
		s.Refuses("PUT", "product_variations/2", `{"variation_feature_values": {"1": 1}}`, "product_features")
		s.Refuses("PUT", "product_variations/2", `{"variation_feature_values": 1}`, "variation_feature_values")
		s.Refuses("PUT", "product_variations/2", `{"variation_feature_values": {"x": 1}}`, "variation_feature_values")
	})
}

// Decisions §25: a product that a repeated request made stays where it was put since.
func TestVariations_RepeatedCreation(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{})
	s.group("A", 1, 2)
	send := func() (int, string) {
		answer := s.Send("POST", "product_variations_groups/A/product_variations",
			`{"product": "Mug", "category_ids": [1], "price": 9, "product_features": {"1": 3}}`, "Idempotency-Key", "a")
		return answer.Status, answer.Body
	}
	status, first := send()
	if s.want("made", "1 2<1 6<1"); status != 201 {
		t.Fatalf("made %d %s", status, first)
	}
	s.Call(201, "POST", "product_variations/6/detach_product_variation", "{}")
	s.Unchanged(func() {
		if status, again := send(); status != 201 || again != first {
			t.Errorf("the same request is answered %d %s, want 201 %s", status, again, first)
		}
	})
	s.want("repeated", "1 2<1")
}
