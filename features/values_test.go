package features_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
)

// everyType makes a feature of each type with values: 1 S with the variants 1 and 2,
// 2 M with 3, 4 and 5, 3 N with 6 and 7, 4 T, 5 O, 6 D, 7 C, 8 G.
func everyType(s *shop) {
	s.Helper()
	s.feature("S", "Glaze", "Matt", "Gloss")
	s.feature("M", "Use", "Tea", "Coffee", "Soup")
	s.feature("N", "Volume", "250", "500")
	s.feature("T", "Note")
	s.feature("O", "Height")
	s.feature("D", "Made")
	s.feature("C", "Signed")
	s.feature("G", "Make")
}

// has is what a product has of features, as "1=[2] 4=Clay".
func (s *shop) has(id int64) string {
	s.Helper()
	p, err := s.Products.Get(s.Context(), id)
	s.Must(err)
	return told(p.Features)
}

func told(fs products.Features) string {
	var parts []string
	for _, v := range fs {
		switch {
		case v.Document != nil:
			parts = append(parts, fmt.Sprintf("%d:%s", v.FeatureID, v.Document))
		case v.VariantIDs != nil:
			parts = append(parts, fmt.Sprintf("%d=%v", v.FeatureID, v.VariantIDs))
		default:
			parts = append(parts, fmt.Sprintf("%d=%s", v.FeatureID, v.Value))
		}
	}
	return strings.Join(parts, " ")
}

// Values can be written in each of the forms; null and "" clear them, and omitted values
// stay (decisions §17).
func TestValues_Forms(t *testing.T) {
	suite.Each(t, func(s *shop) {
		everyType(s)
		for _, c := range []struct{ sent, want string }{
			{`{"1": {"variant_id": "2"}}`, "1=[2]"},
			{`{"1": {"variant_id": 1, "feature_id": 1}}`, "1=[1]"},
			{`{"1": 2}`, "1=[2]"},
			{`{"1": {"variants": {"1": {"variant": "Matt"}}}}`, "1=[1]"},
			{`{"1": {"feature_type": "S"}}`, "1=[1]"},
			{`{}`, "1=[1]"},
			{`[]`, "1=[1]"},
			{`{"2": {"variants": {"3": {"variant": "Tea"}, "5": "Soup"}}}`, "1=[1] 2=[3 5]"},
			{`{"2": {"variants": [4, "3", 4]}}`, "1=[1] 2=[3 4]"},
			{`{"2": [5, 3]}`, "1=[1] 2=[3 5]"},
			{`{"2": {"7": 4, "12": "3"}}`, "1=[1] 2=[3 4]"},
			{`{"2": {"7": {"variant_id": 5}}}`, "1=[1] 2=[5]"},
			{`{"2": {}}`, "1=[1] 2=[5]"},
			{`{"2": {"variants": [{"variant_id": "3", "selected": null}, {"variant_id": "4", "selected": "4"}]}}`, "1=[1] 2=[4]"},
			{`{"2": 5}`, "1=[1] 2=[5]"},
			{`{"2": {"variants": []}}`, "1=[1]"},
			{`{"1": null, "3": {"variant_id": 6}}`, "3=[6]"},
			{`{"3": {"variant_id": null}, "4": {"feature_type": "T", "value": "Clay"}}`, "4=Clay"},
			{`{"5": {"value": 12.50}, "6": {"value": "1700000000"}, "7": {"value": "Y"}}`, "4=Clay 5=12.5 6=1700000000 7=Y"},
			{`{"5": {"value": "12.5", "value_int": "13"}, "6": {"value_int": -1}, "7": {"value": false}}`, "4=Clay 5=13 6=-1 7=N"},
			{`{"5": {"value": "", "value_int": null}, "6": "", "7": {"value": ""}, "4": null}`, ""},
			{`{"4": "Clay", "1": {"variant_id": 1}}`, "1=[1] 4=Clay"},
			{`{"1": {"value": ""}, "4": {"value": null}, "99": null}`, ""},
		} {
			s.Call(200, "PUT", "products/1", `{"product_features": `+c.sent+`}`)
			if got := s.has(1); got != c.want {
				t.Errorf("%s: %q, want %q", c.sent, got, c.want)
			}
		}
		s.Call(200, "PUT", "products/1", `product_features[1][variant_id]=2&product_features[2][variants][]=3&product_features[2][variants][]=4&product_features[4][value]=Clay`)
		if got := s.has(1); got != "1=[2] 2=[3 4] 4=Clay" {
			t.Errorf("as a form: %q", got)
		}
		s.Call(200, "PUT", "products/1", `product_features[2][3]=4&product_features[2][9]=5`)
		if got := s.has(1); got != "1=[2] 2=[4 5] 4=Clay" {
			t.Errorf("as a form whose numbers have gaps: %q", got)
		}
	})
}

// A product shows its features in the form of the fact page, alone and in lists, and
// accepts that form.
func TestValues_Wire(t *testing.T) {
	suite.Each(t, func(s *shop) {
		everyType(s)
		s.Call(200, "PUT", "features/1", `{"prefix": "a ", "display_on_product": "Y", "feature_code": "GL", "parent_id": 8}`)
		s.Call(200, "PUT", "products/1", `{"product_features": {"1": 2, "2": [3, 4], "3": 7, "4": "Clay", "5": "12.5"}}`)
		want := `{"1": {"feature_id": "1", "value": "", "value_int": null, "variant_id": "2", "feature_type": "S", "internal_name": "Glaze",
				"description": "Glaze", "prefix": "a ", "suffix": "", "variant": "Gloss", "parent_id": "8", "display_on_header": "N",
				"display_on_catalog": "N", "display_on_product": "Y", "feature_code": "GL", "purpose": "find_products", "features_hash": "1-2",
				"variants": {"2": {"value": "", "value_int": null, "variant_id": "2", "variant": "Gloss", "image_pairs": []}}},
			"2": {"feature_id": "2", "value": "", "value_int": null, "variant_id": null, "feature_type": "M", "internal_name": "Use",
				"description": "Use", "prefix": "", "suffix": "", "variant": "", "parent_id": "0", "display_on_header": "N",
				"display_on_catalog": "N", "display_on_product": "N", "feature_code": "", "purpose": "find_products", "features_hash": "2-3_2-4",
				"variants": {"3": {"value": "", "value_int": null, "variant_id": "3", "variant": "Tea", "image_pairs": []},
					"4": {"value": "", "value_int": null, "variant_id": "4", "variant": "Coffee", "image_pairs": []}}},
			"3": {"feature_id": "3", "value": "", "value_int": "500", "variant_id": "7", "feature_type": "N", "internal_name": "Volume",
				"description": "Volume", "prefix": "", "suffix": "", "variant": "500", "parent_id": "0", "display_on_header": "N",
				"display_on_catalog": "N", "display_on_product": "N", "feature_code": "", "purpose": "find_products", "features_hash": "3-7",
				"variants": {"7": {"value": "", "value_int": "500", "variant_id": "7", "variant": "500", "image_pairs": []}}},
			"4": {"feature_id": "4", "value": "Clay", "value_int": null, "variant_id": null, "feature_type": "T", "internal_name": "Note",
				"description": "Note", "prefix": "", "suffix": "", "variant": "", "parent_id": "0", "display_on_header": "N",
				"display_on_catalog": "N", "display_on_product": "N", "feature_code": "", "purpose": "describe_product", "features_hash": "", "variants": []},
			"5": {"feature_id": "5", "value": "12.5", "value_int": "12.5", "variant_id": null, "feature_type": "O", "internal_name": "Height",
				"description": "Height", "prefix": "", "suffix": "", "variant": "", "parent_id": "0", "display_on_header": "N",
				"display_on_catalog": "N", "display_on_product": "N", "feature_code": "", "purpose": "find_products", "features_hash": "", "variants": []}}`
		shoptest.SameJSON(t, s.Field("products/1", "product_features"), want)
		var list struct {
			Products []struct {
				ID       string          `json:"product_id"`
				Features json.RawMessage `json:"product_features"`
			}
		}
		shoptest.Decode(t, s.Call(200, "GET", "products?sort_by=product&sort_order=desc", ""), &list)
		shoptest.SameJSON(t, string(list.Products[0].Features), want)
		if got := string(list.Products[1].Features); got != "[]" {
			t.Errorf("a product without features shows %s", got)
		}
		s.Unchanged(func() { s.Call(200, "PUT", "products/1", s.Call(200, "GET", "products/1", "")) })
		s.Unchanged(func() {
			s.Call(200, "PUT", "products/1", `{"product_features": {"5": {"value": "12.500"}, "2": [4, 3]}}`)
		})
	})
}

// products/<id>/features lists the features of the product, with all=Y also the
// applicable ones; a value is read, set and cleared by the id of its feature (decisions
// §17).
func TestValues_BelowAProduct(t *testing.T) {
	suite.Each(t, func(s *shop) {
		everyType(s)
		s.Call(200, "PUT", "features/4", `{"categories_path": "3", "position": 1}`)
		s.Call(200, "PUT", "products/1", `{"product_features": {"1": 2, "5": 12.5}}`)
		for address, want := range map[string]string{
			"products/1/features":                                    "1 5",
			"products/1/features?all=Y":                              "1 2 3 5 6 7",
			"products/2/features?all=Y":                              "1 2 3 5 6 7 4",
			"products/1/features?all=Y&items_per_page=2&page=2":      "3 5",
			"products/1/features?all=Y&sort_by=name&sort_order=desc": "3 2 7 6 5 1",
			"products/1/features?items_per_page=250":                 "1 5",
			"products/1/features?sort_by=id&sort_order=desc":         "5 1",
			"products/2/features":                                    "",
			"products/1/features?items_per_page=10&page=9":           "",
			"categories/2/products/1/features":                       "1 5",
			"features?product_id=1":                                  "1 5",
		} {
			if got := s.List(address, "feature_id"); got != want {
				t.Errorf("%s: %q, want %q", address, got, want)
			}
		}
		glaze := s.Object("products/1/features/1")
		for name, want := range map[string]any{"feature_id": "1", "feature_type": "S", "description": "Glaze", "value": "", "value_int": nil, "variant_id": "2"} {
			if diff := cmp.Diff(want, glaze[name]); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		selected := map[string]any{}
		for id, v := range glaze["variants"].(map[string]any) {
			selected[id] = v.(map[string]any)["selected"]
		}
		if diff := cmp.Diff(map[string]any{"1": nil, "2": "2"}, selected); diff != "" {
			t.Errorf("selected: %s", diff)
		}
		for _, c := range []struct{ method, id, body, want string }{
			{"PUT", "1", `{"variant_id": 1}`, "1=[1] 5=12.5"},
			{"PUT", "2", `{"variants": [3, 4]}`, "1=[1] 2=[3 4] 5=12.5"},
			{"PUT", "5", `{"value": "13"}`, "1=[1] 2=[3 4] 5=13"},
			{"PUT", "6", `{"value_int": 5}`, "1=[1] 2=[3 4] 5=13 6=5"},
			{"PUT", "6", `{"value": ""}`, "1=[1] 2=[3 4] 5=13"},
			{"PUT", "5", `{"comment": "no value"}`, "1=[1] 2=[3 4] 5=13"},
			{"DELETE", "2", ``, "1=[1] 5=13"},
		} {
			s.Call(map[string]int{"PUT": 200, "DELETE": 204}[c.method], c.method, "products/1/features/"+c.id, c.body)
			if got := s.has(1); got != c.want {
				t.Errorf("%s %s %s: %q, want %q", c.method, c.id, c.body, got, c.want)
			}
		}
		s.Want("PUT", "products/1/features/1", `{"variant_id": "2"}`, 200, `{"feature_id":"1"}`)
		for _, id := range []string{"1", "2"} {
			shown := s.Call(200, "GET", "products/1/features/"+id, "")
			s.Unchanged(func() { s.Call(200, "PUT", "products/1/features/"+id, shown) })
		}
		s.Refuses("PUT", "products/1/features/1", `{"variant_id": 3}`, "variant_id")
		s.Refuses("PUT", "products/1/features/2", `{"variants": [1]}`, "variants")
		s.Refuses("PUT", "products/1/features/5", `{"value": "high"}`, "value")
		s.Refuses("PUT", "products/1/features/4", `{"value": "of another category"}`, "value")
		for _, id := range []string{"8", "9", "x"} {
			s.Status("GET", "products/1/features/"+id, "", 404)
			s.Status("PUT", "products/1/features/"+id, `{"value": 1}`, 404)
			s.Status("DELETE", "products/1/features/"+id, "", 404)
		}
		s.Status("DELETE", "products/1/features/2", "", 404)
		s.Status("POST", "products/1/features", `{"value": 1}`, 405)
		s.Status("GET", "products/9/features", "", 404)
		if told := s.Events(); told[len(told)-1] != "update products 1 by 1" {
			t.Errorf("a value is told as %s", told[len(told)-1])
		}
	})
}

func TestValues_BadInput(t *testing.T) {
	suite.Each(t, func(s *shop) {
		everyType(s)
		s.Call(200, "PUT", "features/4", `{"categories_path": "1"}`)
		long := strings.Repeat("x", 64<<10+1)
		for _, sent := range []string{
			`5`, `"x"`, `[1]`, `{"0": 1}`, `{"01": 1}`, `{"a": 1}`, `{"-1": 1}`, `{"9": {"value": "x"}}`, `{"8": {"value": "x"}}`,
			`{"1": {"feature_id": 2, "variant_id": 1}}`, `{"1": 3}`, `{"1": "Matt"}`, `{"1": {"value": "Matt"}}`, `{"1": -1}`, `{"1": 1.5}`,
			`{"1": {"variants": [1, 2]}}`, `{"1": {"variants": "x"}}`, `{"1": {"variant_id": [1]}}`, `{"2": [1]}`, `{"2": {"4": 1}}`, `{"2": {"3": "Y"}}`, `{"4": {"0": "x"}}`, `{"2": [[1]]}`, `{"2": {"variants": {"x": 1}}}`,
			`{"3": 250}`, `{"4": {"variant_id": 1}}`, `{"4": [1]}`, `{"4": {"value": {"a": 1}}}`, `{"4": {"value": "` + long + `"}}`,
			`{"5": "x"}`, `{"5": "1.2345"}`, `{"5": 10000000000}`, `{"5": "1e400"}`, `{"6": "2020-01-01"}`, `{"6": 1.5}`, `{"7": "maybe"}`, `{"7": 2}`, `{"7": {"value": "Y", "variant_id": "D"}}`, `{"7": {"value": "Y", "variants": ["D"]}}`,
		} {
			s.Refuses("PUT", "products/1", `{"product_features": `+sent+`}`, "product_features")
		}
		for _, sent := range []string{`{"5": "-9223372036854775808"}`, `{"6": "-9223372036854775808"}`} {
			s.Refuses("PUT", "products/1", `{"product_features": `+sent+`}`, "product_features")
		}
		for range 20 { // the same of three problems each time
			sent := `{"product_features": {"4": {"variant_id": [1], "value": [1], "feature_id": [4]}}}`
			if errs := s.Refuses("PUT", "products/1", sent, "product_features"); !strings.Contains(errs["product_features"], "feature_id must hold") {
				t.Fatalf("the refusal of %s is %q", sent, errs["product_features"])
			}
		}
		s.Refuses("PUT", "products/2", `{"product_features": {"4": "Clay"}}`, "product_features") // in category 3
		s.Call(200, "PUT", "products/1", `{"product_features": {"4": "Clay"}}`)                   // in 2, which is below 1
		var many strings.Builder
		for i := range 1001 {
			fmt.Fprintf(&many, `,"%d":1`, i+1)
		}
		s.Refuses("PUT", "products/1", `{"product_features": {`+many.String()[1:]+`}}`, "product_features")
		s.Refuses("POST", "products", `{"product_features": {"1": 9}}`, "product", "category_ids", "product_features")

		for name, fs := range map[string]products.Features{
			"twice":      {{FeatureID: 1, VariantIDs: []int64{1}}, {FeatureID: 1, VariantIDs: []int64{2}}},
			"no feature": {{FeatureID: 0, Value: "x"}},
			"both":       {{FeatureID: 1, Value: "x", VariantIDs: []int64{1}}},
			"a document": {{FeatureID: 4, Document: shopapi.JSON(`{"value":"x"}`)}},
		} {
			_, err := s.Products.Update(t.Context(), 1, func(p *products.Product) error { p.Features = fs; return nil })
			shoptest.WantStatus(t, name, err, 400)
		}
		_, err := s.Products.Update(t.Context(), 1, func(p *products.Product) error {
			p.Features = products.Features{{FeatureID: 7, Value: "true"}, {FeatureID: 4}, {FeatureID: 2, VariantIDs: []int64{5, 3, 5}}}
			return nil
		})
		if err != nil || s.has(1) != "2=[3 5] 7=Y" {
			t.Errorf("from Go: %v, %s", err, s.has(1))
		}
	})
}

// Values are deleted with their variant, feature or product. A deleted category is
// removed from the lists of features (decisions §14, §17).
func TestValues_DeletedWithTheirOwners(t *testing.T) {
	suite.Each(t, func(s *shop) {
		everyType(s)
		s.Call(200, "PUT", "features/7", `{"categories_path": "3,1,2"}`)
		s.Call(200, "PUT", "products/1", `{"product_features": {"1": 2, "2": [3, 4], "4": "Clay"}}`)
		s.Call(200, "PUT", "products/2", `{"product_features": {"1": 1, "2": [4], "4": "Glass"}}`)
		s.Refuses("PUT", "features/2", `{"feature_type": "S"}`, "feature_type") // a product has several
		s.Call(200, "PUT", "features/1", `{"feature_type": "M"}`)
		s.Call(200, "PUT", "features/2", `{"variants": {"3": {}, "5": {}}}`)
		if got := s.has(1) + "; " + s.has(2); got != "1=[2] 2=[3] 4=Clay; 1=[1] 4=Glass" {
			t.Errorf("without a variant: %s", got)
		}
		s.Call(204, "DELETE", "features/1", "")
		if got := s.has(1) + "; " + s.has(2); got != "2=[3] 4=Clay; 4=Glass" {
			t.Errorf("without a feature: %s", got)
		}
		s.Call(204, "DELETE", "products/1", "")
		if got := s.List("features?product_id=1", "feature_id"); got != "" {
			t.Errorf("a product that is gone has values of %s", got)
		}
		s.Call(204, "DELETE", "categories/1", "") // and 2, which is below it
		if got := s.Field("features/7", "categories_path"); got != `"3"` {
			t.Errorf("categories_path is %s", got)
		}
	})
}

// Products are found by features_hash: several variants of one feature are
// alternatives, different features must all fit (decisions §17).
func TestValues_ProductsAreFoundByThem(t *testing.T) {
	suite.Each(t, func(s *shop) {
		everyType(s)
		s.Call(201, "POST", "products", `{"product": "Vase", "category_ids": [1], "company_id": 1, "product_features": {"1": 1, "2": [3, 4]}}`)
		s.Call(200, "PUT", "products/1", `{"product_features": {"1": 2, "2": [3]}}`)
		s.Call(200, "PUT", "products/2", `{"product_features": {"1": 1, "3": 6}}`)
		for hash, want := range map[string]string{
			"1-1":         "2 3",
			"1-1_1-2":     "2 1 3",
			"1-1_2-4":     "3",
			"1-1_1-2_2-3": "1 3",
			"1-1_3-6":     "2",
			"1-9":         "",
			"1-3":         "",
			"2-3_3-6":     "",
		} {
			if got := s.List("products?features_hash="+hash, "product_id"); got != want {
				t.Errorf("%s: %q, want %q", hash, got, want)
			}
		}
		for _, hash := range []string{"x", "1", "1-", "-1", "1-1_", "1-1-1", "1-x", "0-1"} {
			s.Refuses("GET", "products?features_hash="+hash, "", "features_hash")
		}
		var many []string
		for i := range 21 {
			many = append(many, fmt.Sprintf("%d-1", i+1))
		}
		s.Refuses("GET", "products?features_hash="+strings.Join(many, "_"), "", "features_hash")
	})
}

// A product of a vendor has the features of the vendor and of the whole shop alone.
func TestValues_Vendors(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{Edition: shopapi.MultiVendor})
	s.feature("S", "Glaze", "Matt")
	s.Call(201, "POST", "features", `{"description": "Theirs", "feature_type": "T", "company_id": 3}`)
	vendor := s.as("vendor2@example.com")
	vendor.Call(201, "POST", "features", `{"description": "Own", "feature_type": "T"}`)
	vendor.Call(201, "POST", "products", `{"product": "Own", "category_ids": [1], "product_features": {"1": 1, "3": "x"}}`)
	for _, who := range []*shop{s, vendor} {
		who.Refuses("PUT", "products/3", `{"product_features": {"2": "x"}}`, "product_features")
		who.Status("PUT", "products/3/features/1", `{"variant_id": 1}`, 200)
	}
	vendor.Status("PUT", "products/3/features/2", `{"value": "x"}`, 404)
	vendor.Status("GET", "products/3/features/2", "", 404)
	vendor.Status("GET", "products/1/features", "", 404)
	if got := vendor.List("products/3/features?all=Y", "feature_id"); got != "1 3" {
		t.Errorf("the features that apply are %s", got)
	}
}

// A product keeps its values when it moves to another company: the new company can send them back
// and clear them, and set no others.
func TestValues_MovedProduct(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{Edition: shopapi.MultiVendor})
	s.Call(201, "POST", "features", `{"description": "Glaze", "feature_type": "S", "company_id": 3, "variants": [{"variant": "Matt"}, {"variant": "Shiny"}]}`)
	s.Call(201, "POST", "features", `{"description": "Clay", "feature_type": "T", "company_id": 3}`)
	s.Call(201, "POST", "products", `{"product": "Moved", "category_ids": [1], "company_id": 3, "product_features": {"1": 1, "2": "x"}}`)
	s.Call(200, "PUT", "products/3", `{"company_id": 2}`)
	vendor := s.as("vendor2@example.com")
	before := vendor.Call(200, "GET", "products/3", "")
	vendor.Call(200, "PUT", "products/3", before)
	if after := vendor.Call(200, "GET", "products/3", ""); after != before {
		t.Errorf("PUT of what GET answered made it %s, want %s", after, before)
	}
	vendor.Refuses("PUT", "products/3", `{"product_features": {"1": 2}}`, "product_features")
	vendor.Refuses("PUT", "products/3", `{"product_features": {"2": "y"}}`, "product_features")
	vendor.Call(200, "PUT", "products/3", `{"product_features": {"1": "", "2": ""}}`)
	vendor.Refuses("PUT", "products/3", `{"product_features": {"1": 1}}`, "product_features")
}
