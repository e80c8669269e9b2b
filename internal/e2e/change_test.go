package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi/apitest"
)

// TestConsole_Languages: texts are read and written in each language of the shop; with a
// single language there is no choice.
func TestConsole_Languages(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, nil)
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	s.Post("/api/2.0/products", `{"product": "Clay mug", "category_ids": [1], "price": "9.50"}`)
	b := openSignedIn(t, s, "Products")
	b.goTo("#/products/1")
	b.sees("h1", "Clay mug")
	if n := evaluate[int](b, `document.querySelectorAll(".languages, [name=lang_code]").length`); n != 0 {
		t.Error("a shop of one language has one to choose")
	}

	s.Post("/api/2.0/languages", `{"lang_code": "de", "name": "Deutsch"}`)
	s.Put("/api/2.0/categories/1?sl=de", `{"category": "Becher"}`)
	b.goTo("#/categories")
	b.sees(".tree", "Cups")
	b.click(".languages a", "Deutsch")
	b.sees(".tree", "Becher")
	b.click(".tree a", "Becher")
	b.sees("h1", "Becher")
	b.sees(".languages [aria-current]", "Deutsch")
	b.sees("label .mark", "Deutsch")
	b.click("nav a", "Products")
	b.click("th.label a", "Clay mug")
	b.sees("h1", "Clay mug") // no German text exists yet
	b.do(chromedp.SetValue("#field-product", "Tonbecher", chromedp.ByQuery), chromedp.SetValue("#field-price", "11", chromedp.ByQuery))
	b.click("button", "Save")
	b.sees("#status", "Saved")
	b.sees("h1", "Tonbecher")
	b.click(".languages a", "English")
	b.sees("h1", "Clay mug")
	for address, want := range map[string]string{"/api/2.0/products/1": "Clay mug", "/api/2.0/products/1?sl=de": "Tonbecher"} {
		if a := s.Get(address); a.Field("product") != want || a.Field("price") != "11.00" {
			t.Errorf("%s is %s at %s, want %s at 11.00", address, a.Field("product"), a.Field("price"), want)
		}
	}

	b.click(".languages a", "Deutsch")
	b.sees("h1", "Tonbecher")
	b.goTo("#/products/new?sl=de")
	b.sees("h1", "New product")
	b.sees(".languages [aria-current]", "Deutsch")
	b.do(chromedp.SetValue("#field-product", "Teller", chromedp.ByQuery), chromedp.SetValue("#field-category_ids", "1", chromedp.ByQuery))
	b.click("button", "Create")
	b.sees("h1", "Teller")
	if got := s.Get("/api/2.0/products/2?sl=de").Field("product"); got != "Teller" {
		t.Errorf("the new product is called %q in German", got)
	}
	b.visit("#/products/2?sl=en")
	b.sees("h1", "Teller")
	b.click("summary", "Texts in all languages")
	b.sees("th", "Deutsch")
	b.do(chromedp.SetValue(`[name="en/product"]`, "Plate", chromedp.ByQuery), chromedp.SetValue(`[name="de/full_description"]`, "<p>Flach.</p>", chromedp.ByQuery))
	b.click("button", "Save all languages")
	b.sees("h1", "Plate")
	if got := b.value("#field-product"); got != "Plate" {
		t.Errorf("after saving all languages the form has the name %q", got)
	}
	for code, want := range map[string][2]string{"en": {"Plate", ""}, "de": {"Teller", "<p>Flach.</p>"}} {
		a := s.Get("/api/2.0/products/2?sl=" + code)
		if a.Field("product") != want[0] || code == "de" && a.Field("full_description") != want[1] {
			t.Errorf("%s: the product is %q, described by %q", code, a.Field("product"), a.Field("full_description"))
		}
	}
	b.goTo("#/users?sl=de")
	b.sees("h1", "Users")
	if n := evaluate[int](b, `document.querySelectorAll(".languages").length`); n != 0 {
		t.Error("users, who have no translated texts, have a language to choose")
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}

// TestConsole_Actions: actions have a form of their payload, with only the privilege to
// manage the entity.
func TestConsole_Actions(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, nil)
	for _, post := range [][2]string{
		{"categories", `{"category": "Cups"}`},
		{"features", `{"description": "Glaze", "feature_type": "S", "purpose": "group_catalog_item", "variants": [{"variant": "Ash"}, {"variant": "Cobalt"}, {"variant": "Shino"}]}`},
		{"products", `{"product": "Ash mug", "category_ids": [1], "product_features": {"1": 1}}`},
		{"products", `{"product": "Cobalt mug", "category_ids": [1], "product_features": {"1": 2}}`},
		{"product_variations_groups", `{"product_ids": [1, 2], "features": [{"feature_id": 1, "purpose": "group_catalog_item"}]}`},
	} {
		if a := s.Post("/api/2.0/"+post[0], post[1]); a.Status != 201 {
			t.Fatalf("%s answers %d %s", post[0], a.Status, a.Body)
		}
	}
	reader := s.User("view_catalog")
	b := open(t, s, desk, tall)
	b.signIn(reader.Email, reader.Key)
	b.sees("nav a", "Variations")
	b.goTo("#/product_variations/1")
	b.sees("h1", "Ash mug")
	if text := b.text(); strings.Contains(text, "Actions") || strings.Contains(text, "Detach") {
		t.Errorf("who may read alone is shown actions: %q", text)
	}
	b.click("button", "Sign out")

	b.signIn(s.Email, s.Key)
	b.sees("nav a", "Variations")
	b.goTo("#/product_variations/1")
	b.sees("h1", "Ash mug")
	b.click("summary", "Generate product variations")
	b.sees("#action-generate_product_variations .hint", "Maps of ids of features")
	const field = "#generate_product_variations-combinations"
	b.do(chromedp.SetValue(field, "all", chromedp.ByQuery))
	b.click("#action-generate_product_variations button", "Carry out")
	b.sees(field+"-error", "must be an array")
	if described := evaluate[string](b, `document.activeElement.getAttribute("aria-describedby")`); !strings.Contains(described, "combinations-error") {
		t.Errorf("the focus is on a field that is described by %q", described)
	}
	b.do(chromedp.SetValue(field, `[{"1": 3}]`, chromedp.ByQuery))
	b.click("#action-generate_product_variations button", "Carry out")
	b.sees("#status", "done")
	b.sees(".answer", "Products status")
	if made := s.Get("/api/2.0/products/3"); made.Status != 200 {
		t.Errorf("the variation answers %d %s", made.Status, made.Body)
	}

	b.goTo("#/product_variations/2")
	b.sees("h1", "Cobalt mug")
	b.clearStatus()
	b.click("button", "Set default product variation")
	b.sees("#status", "done")
	if parent := s.Get("/api/2.0/product_variations/2").Field("parent_product_id"); parent != "0" {
		t.Errorf("the parent of the default product is %s", parent)
	}
	b.click("button", "Detach product variation")
	b.sees("#status", "Detach product variation: done")
	if left := s.Get("/api/2.0/product_variations").Body; strings.Contains(left, "Cobalt mug") {
		t.Errorf("the product is still in the group: %s", left)
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
