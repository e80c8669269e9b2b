package features_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/shoptest"
)

// TestImages_OfVariants: a variant without an image shows null. Products show the images
// of their variants (§16).
func TestImages_OfVariants(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.feature("E", "Maker", "Kiln & Co", "Ash")
		variant := func(id string) string { return s.Field("features/1/variants/"+id, "image_pair") }
		if got := variant("1"); got != "null" {
			t.Errorf("without an image it is %s", got)
		}
		s.Call(200, "PUT", "features/1", `{"variants": {"1": {"image_pair": {"icon": {"image_path": "https://example.com/kiln.png", "alt": "Kiln"}}}, "2": {}}}`)
		const pair = `{"pair_id": "1", "image_id": "2", "detailed_id": "0", "position": "0", "icon": {"image_path": "https://example.com/kiln.png", "alt": "Kiln",
			"image_x": "0", "image_y": "0", "http_image_path": "http://example.com/kiln.png", "https_image_path": "https://example.com/kiln.png",
			"absolute_path": "", "relative_path": "", "is_high_res": false}}`
		shoptest.SameJSON(s, variant("1"), pair)

		told := len(s.Events())
		s.Call(200, "PUT", "features/1", s.Call(200, "GET", "features/1", ""))
		if len(s.Events()) > told {
			t.Errorf("PUT of what GET answers is a change: %v", s.Events()[told:])
		}
		s.Call(200, "PUT", "products/1", `{"product_features": {"1": 1}}`)
		if got := s.Call(200, "GET", "products/1", ""); !strings.Contains(got, `"image_pairs":{"pair_id":"1","image_id":"2"`) {
			t.Errorf("the product does not show the image of its variant: %s", got)
		}
		said := s.Refuses("PUT", "features/1", `{"variants": {"1": {"image_pair": {"icon": {"image_path": "javascript:alert(1)"}}}}}`, "variants")["variants"]
		if !strings.Contains(said, "image_pair icon: image_path must be the URL") {
			t.Errorf("refused with %q", said)
		}
		s.Call(200, "PUT", "features/1", `{"variants": {"1": {"image_pair": null}, "2": {}}}`)
		if got := variant("1"); got != "null" {
			t.Errorf("a removed image is %s", got)
		}
	})
}
