package options_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/shoptest"
)

// icon is a pair of a variant as answers show it, with ids that follow from its own.
func icon(id, imageID, path, alt string) string {
	return `{"pair_id":"` + id + `","image_id":"` + imageID + `","detailed_id":"0","position":"0","icon":{"image_path":"` + path + `","alt":"` + alt +
		`","image_x":"0","image_y":"0","http_image_path":"","https_image_path":"","absolute_path":"` + path + `","relative_path":"","is_high_res":false}}`
}

// TestImages_OfVariants are written as main_pair, by the keys of variants, or as
// image_pair of a variant (§16).
func TestImages_OfVariants(t *testing.T) {
	suite.Each(t, func(s *shop) {
		shown := func(variant, want string) {
			s.Helper()
			var option struct {
				Variants map[string]struct {
					Pair json.RawMessage `json:"image_pair"`
				} `json:"variants"`
			}
			shoptest.Decode(s, s.Call(200, "GET", "options/1", ""), &option)
			shoptest.SameJSON(s, string(option.Variants[variant].Pair), want)
		}
		s.Call(201, "POST", "options", `product_id=1&option_name=Glaze&option_type=S&variants[r][variant_name]=Red&variants[b][variant_name]=Blue`+
			`&main_pair[icon][image_path][r]=/red.png&main_pair[icon][alt][r]=Red`)
		shown("1", icon("1", "2", "/red.png", "Red"))
		shown("2", `[]`)
		told := len(s.Events())
		s.Call(200, "PUT", "options/1", s.Call(200, "GET", "options/1", ""))
		s.Call(200, "PUT", "options/1", `{"variants": {"1": {}, "2": {}}, "main_pair": {"icon": {"image_path": {"1": "/red.png"}, "alt": {"1": "Red"}}}}`)
		equal(s, "changes told", len(s.Events())-told, 0)
		shown("1", icon("1", "2", "/red.png", "Red"))

		s.Call(200, "PUT", "options/1", `{"variants": {"1": {"image_pair": []}, "2": {"image_pair": {"icon": {"image_path": "/blue.png"}}}}}`)
		shown("1", `[]`)
		shown("2", icon("2", "4", "/blue.png", ""))
		s.Call(200, "PUT", "options/1", `{"variants": [{"variant_id": 2}, {"variant_name": "Ash"}], "main_pair": {"icon": {"image_path": ["", "/ash.png"]}}}`)
		shown("2", `[]`)
		shown("3", icon("3", "6", "/ash.png", ""))
		for body, want := range map[string]string{
			`{"variants": {"2": {"image_pair": {"icon": {"image_path": "file:///a"}}}}}`:                       "variants: [2]: image_pair icon: image_path must be the URL",
			`{"variants": {"2": {}}, "main_pair": {"icon": {"image_path": {"2": "javascript:alert(1)"}}}}`:     "main_pair: [2]: icon: image_path must be the URL",
			`{"variants": {"2": {}}, "main_pair": {"icon": {"image_path": "/a.png"}}}`:                         "main_pair: must be the icons of variants",
			`{"variants": {"2": {}}, "main_pair": {"icon": {"image_path": {"2": {"a": 1}}}}}`:                  "main_pair: must be the icons of variants",
			`{"variants": {"2": {}}, "main_pair": {"icon": {"image_path": {"2": "/a"}, "alt": {"2": ["a"]}}}}`: "main_pair: must be the icons of variants",
			`{"variants": {"2": {}, "3": {}}, "main_pair": {"icon": {"alt": {"3": "Ash"}}}}`:                   "main_pair: [3]: must have an image_path beside alt",
			`{"variants": {"2": {}, "3": {}}, "main_pair": {"icon": {"image_path": {"4": "/a.png"}}}}`:         "main_pair: [4]: must be for a variant that is sent",
			`{"variants": {"2": {}, "3": {}}, "main_pair": {"icon": {"image_path": ["/a.png"]}}}`:              "main_pair: [0]: must be for a variant that is sent",
			`{"main_pair": {"icon": {"image_path": {"3": "/a.png"}}}}`:                                         "main_pair: [3]: must be for a variant that is sent",
		} {
			field, text, _ := strings.Cut(want, ": ")
			if said := s.Refuses("PUT", "options/1", body, field)[field]; !strings.Contains(said, text) {
				t.Errorf("%s is refused with %q, want %q", body, said, text)
			}
		}
		shown("3", icon("3", "6", "/ash.png", ""))
		s.Call(200, "PUT", "options/1", `{"variants": {"3": {}}, "main_pair": {"icon": {"image_path": {"2": "", "3": ""}, "alt": {"3": "Ash"}}}}`) // as clients send no icon
		shown("3", `[]`)
	})
}

// TestImages_OfCombinations: one pair, written as main_pair (§16).
func TestImages_OfCombinations(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		hash := s.combination(1, `{"1": 1, "2": 3}`, 5)
		at := "combinations/" + hash
		want := func(field string) {
			s.Helper()
			shoptest.SameJSON(s, s.Field(at, "image_pairs"), field)
		}
		pair := func(id, detailedID, path string) string {
			return `{"pair_id": "` + id + `", "image_id": "0", "detailed_id": "` + detailedID + `", "position": "0", "object_id": "` + hash + `", "object_type": "product_option",
				"detailed": {"object_id": "` + hash + `", "object_type": "product_option", "type": "M", "image_path": "` + path + `", "alt": "", "image_x": "0", "image_y": "0",
					"http_image_path": "", "https_image_path": "", "absolute_path": "` + path + `", "relative_path": "", "is_high_res": false}}`
		}
		want(`[]`)
		s.Call(200, "PUT", at, `main_pair[detailed][image_path]=/red.png`)
		want(pair("1", "1", "/red.png"))
		told := len(s.Events())
		s.Call(200, "PUT", at, s.Call(200, "GET", at, ""))
		s.Call(200, "PUT", at, `{"main_pair": {"detailed": {"image_path": "/red.png"}}}`)
		equal(s, "changes told", len(s.Events())-told, 0)
		s.Call(200, "PUT", at, `{"image_pairs": {"detailed": {"image_path": "/blue.png"}}}`)
		want(pair("2", "3", "/blue.png"))
		s.Refuses("PUT", at, `{"main_pair": {"icon": {"image_path": "javascript:alert(1)"}}}`, "main_pair")
		s.Refuses("PUT", at, `{"image_pairs": {"icon": {"image_path": "file:///a"}}}`, "image_pairs")
		s.Call(200, "PUT", at, `{"main_pair": []}`)
		want(`[]`)
		hash = idOf(s, s.Call(201, "POST", "combinations", `{"product_id": 1, "combination": {"1": 2, "2": 3}, "main_pair": {"detailed": {"image_path": "/new.png"}}}`), "combination_hash")
		at = "combinations/" + hash
		want(pair("3", "5", "/new.png"))
	})
}
