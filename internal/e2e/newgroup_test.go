package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestE12_NewGroup: a new group of variations is given its products by name and its features by
// ticking.
func TestE12_NewGroup(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	for _, name := range []string{"Glaze", "Size"} {
		if a := s.Post("/api/2.0/features", fmt.Sprintf(`{"description": %q, "feature_type": "S", "purpose": "group_catalog_item", "variants": [{"variant": "A"}, {"variant": "B"}]}`, name)); a.Status != 201 {
			t.Fatal(a.Body)
		}
	}
	s.Put("/api/2.0/products/3", `{"product_features": {"1": 1, "2": 3}}`)
	s.Put("/api/2.0/products/4", `{"product_features": {"1": 2, "2": 3}}`)
	b := openSignedIn(t, s, "Variation groups")
	h := b.task(t)
	h.click("nav a", "Variation groups")
	h.click("a.button", "New")
	h.click("label.check", "Glaze")
	h.click("#field-product_ids input", "")
	h.picks("P-102", "Ash serving bowl")
	h.picks("P-103", "Tenmoku storage jar")
	h.click("button", "Create")
	h.sees("#status", "Created")
	if got := s.Get("/api/2.0/product_variations_groups").Body; !strings.Contains(got, `"features":[{"feature_id":1,`) || strings.Contains(got, `"feature_id":2`) {
		t.Errorf("the groups are %s", got)
	}
}
