package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestE12_Duplicate: a new product begins as a copy of another one, without its code, stock and
// images, and can be changed before it is made.
func TestE12_Duplicate(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	if a := s.Post("/api/2.0/features", `{"description": "Glaze", "feature_type": "S", "purpose": "find_products", "variants": [{"variant": "Ash"}, {"variant": "Cobalt"}]}`); a.Status != 201 {
		t.Fatal(a.Body)
	}
	s.Put("/api/2.0/products/1", `{"product_features": {"1": 2}, "full_description": "<p>Thrown by hand.</p>", "weight": "0.400"}`)
	b := openSignedIn(t, s, "Products")
	b.visit("#/products/1")
	h := b.task(t)
	h.click("header a", "Duplicate")
	h.sees("h1", "New product")
	h.sees("object-picker[name=category_ids] .pick", "Cups")
	if name, price, code := b.value("#field-product"), b.value("#field-price"), b.value("#field-product_code"); name != "Celadon mug (copy)" || price != "12.00" || code != "" {
		t.Errorf("the form has the name %q, the price %s and the code %s", name, price, code)
	}
	h.click("#field-product", "")
	h.do(chromedp.Evaluate(`document.querySelector("#field-product").select()`, nil))
	h.types("Celadon jug")
	h.click("button", "Create")
	h.sees("h1", "Celadon jug")
	h.waits(`document.querySelector("#feature-1")?.value === "2"`, "the feature of the copy")
	id := evaluate[string](b, `location.hash.split("/")[2]`)
	made := s.Get("/api/2.0/products/" + id)
	for field, want := range map[string]string{"product": "Celadon jug", "price": "12.00", "product_code": "", "amount": "0", "weight": "0.400", "full_description": "<p>Thrown by hand.</p>"} {
		if got := made.Field(field); got != want {
			t.Errorf("the copy has the %s %q, want %q", field, got, want)
		}
	}
	if !strings.Contains(made.Body, `"category_ids":[2]`) || strings.Contains(made.Body, "drawing.svg") {
		t.Errorf("the copy is %s", made.Body)
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
