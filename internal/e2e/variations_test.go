package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestE12_Variations makes the variations of a product, changes them, and takes the group apart,
// on the page of the product and on that of the group.
func TestE12_Variations(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	for _, f := range []string{
		`{"description": "Glaze", "feature_type": "S", "purpose": "group_catalog_item", "variants": [{"variant": "Ash"}, {"variant": "Cobalt"}]}`,
		`{"description": "Size", "feature_type": "S", "purpose": "group_variation_catalog_item", "variants": [{"variant": "Small"}, {"variant": "Large"}]}`,
	} {
		if a := s.Post("/api/2.0/features", f); a.Status != 201 {
			t.Fatal(a.Body)
		}
	}
	other := s.Post("/api/2.0/products", `{"product": "Large jar", "category_ids": [6], "product_features": {"1": 1, "2": 4}}`).Field("product_id")
	group := func() (products []struct {
		ID     int `json:"product_id"`
		Parent int `json:"parent_product_id"`
	}) {
		var list struct {
			Groups []struct{ Products json.RawMessage }
		}
		if err := json.Unmarshal([]byte(s.Get("/api/2.0/product_variations_groups").Body), &list); err != nil {
			t.Fatal(err)
		}
		if len(list.Groups) == 1 {
			if err := json.Unmarshal(list.Groups[0].Products, &products); err != nil {
				t.Fatal(err)
			}
		}
		return products
	}
	b := openSignedIn(t, s, "Products")
	b.visit("#/products/3")
	h := b.task(t)
	const section = "section[aria-labelledby=variations]"
	rows := func(n int) {
		t.Helper()
		h.waits(fmt.Sprintf(`document.querySelectorAll("%s tbody tr").length === %d`, section, n), fmt.Sprintf("%d variations", n))
	}
	done := func(words string) {
		t.Helper()
		h.sees("#status", words)
		h.clearStatus()
	}

	h.sees(section, "first choose one of these features")
	h.choose("#feature-1", "1")
	done("Saved.")
	h.choose("#feature-2", "3")
	done("Saved.")
	h.sees(section, "Tick the values")
	h.click(section+" label", "Cobalt")
	h.sees(section+" button", "Add 1 variation")
	h.click(section+" label", "Large")
	h.click(section+" button", "Add 3 variations")
	done("Created.")
	rows(4)
	h.sees(section, "are there")
	if got := group(); len(got) != 4 || got[0].ID != 3 {
		t.Errorf("the group has the products %v", got)
	}

	h.click(section+` quick-edit[data-field=product_code] button[aria-label*="Cobalt, Large"]`, "")
	h.types("CL" + kb.Enter)
	done("Saved.")
	h.click(section+` quick-edit[data-field=price] button[aria-label*="Cobalt, Large"]`, "")
	h.types("41.5" + kb.Enter)
	done("Saved.")
	h.click(section+` quick-edit[data-field=amount] button[aria-label*="Cobalt, Large"]`, "")
	h.types("7" + kb.Enter)
	done("Saved.")
	if a := s.Get("/api/2.0/products/" + fmt.Sprint(group()[3].ID)); a.Field("price") != "41.50" || a.Field("amount") != "7" || a.Field("product_code") != "CL" {
		t.Errorf("the variation is %s", a.Body)
	}

	large := group()[1].ID
	h.click(section+` button[aria-label*="Ash, Large the default"]`, "")
	done("Saved.")
	for _, p := range group() {
		if p.ID == large && p.Parent != 0 || p.ID == 3 && p.Parent != large {
			t.Errorf("product %d has the parent %d", p.ID, p.Parent)
		}
	}

	h.click(section+` button[aria-label^="Take"][aria-label*="Cobalt, Large"]`, "")
	done("of its own")
	rows(3)
	h.click(section+" button", "Add 1 variation") // which is missing again
	done("Created.")
	rows(4)
	h.click(section+" object-picker input", "")
	h.picks("CL", "CL")
	h.sees(section+" [role=alert]", "has the same values")

	h.click("nav a", "Variation groups")
	h.click("th.label a", "PV-")
	rows(4)
	for left := 3; left > 1; left-- {
		h.click(section+` button[aria-label^="Take"]`, "")
		done("of its own")
		rows(left)
	}
	h.click(section+` button[aria-label^="Take"]`, "")
	h.sees(".empty", "Nothing here yet")
	if got := group(); len(got) != 0 {
		t.Errorf("the group has the products %v", got)
	}

	h.visit("#/products/3")
	h.click(section+" object-picker input", "")
	h.picks("Large jar", "Large jar")
	done("Saved.")
	rows(2)
	if got := group(); len(got) != 2 || got[0].ID != 3 || fmt.Sprint(got[1].ID) != other {
		t.Errorf("the group has the products %v", got)
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", strings.Join(heard, "\n"))
	}
}
