package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi/apitest"
)

// TestE12_RichText: a text in HTML is edited as it looks, and stays as it is until somebody
// edits it.
func TestE12_RichText(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, nil)
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	stored := func(description string) {
		t.Helper()
		if a := s.Get("/api/2.0/products/1"); a.Field("full_description") != description {
			t.Errorf("the description is %q, want %q", a.Field("full_description"), description)
		}
	}
	const text = `<p>Thick <b>clay</b></p>` + "\r\n" + `<p style="color: red" class="small">Fired twice</p>`
	s.Post("/api/2.0/products", fmt.Sprintf(`{"product": "Clay mug", "category_ids": [1], "price": "9.50", "full_description": %q}`, text))
	s.Post("/api/2.0/features", `{"description": "Maker", "feature_type": "T"}`)
	b := openSignedIn(t, s, "Products")
	b.goTo("#/products/1")
	b.sees(".rich-text b", "clay")
	if strings.Contains(b.text(), "<p>") {
		t.Error("the page shows tags")
	}
	b.click("button", "Save")
	b.sees("#status", "Nothing was changed.")

	const editor = `[aria-label="Full description"].rich-text`
	save := func(want string) {
		t.Helper()
		b.click("button", "Save")
		b.sees("#status", "Saved.")
		stored(want)
		b.clearStatus()
	}
	b.do(chromedp.SetValue("#field-price", "10", chromedp.ByQuery))
	save(text)

	typed := func(keys string) {
		t.Helper()
		b.do(chromedp.Focus(editor, chromedp.ByQuery), chromedp.KeyEvent(keys))
	}
	b.do(chromedp.Evaluate(fmt.Sprintf(`document.querySelector(%q).focus(); getSelection().setPosition(document.querySelector(".rich-text b").nextSibling ?? document.querySelector(".rich-text b"), 1)`, editor), nil))
	typed(" mug")
	save(`<p>Thick <b>clay mug</b></p><p style="color: red" class="small">Fired twice</p>`)

	selectBlock := func() {
		t.Helper()
		b.do(chromedp.Evaluate(fmt.Sprintf(`document.querySelector(%[1]q).focus(); getSelection().selectAllChildren(
			document.createTreeWalker(document.querySelector(%[1]q), NodeFilter.SHOW_TEXT, (n) => (n.data.trim() ? 1 : 2)).nextNode().parentNode)`, editor), nil))
	}
	const source = `[aria-label="Format of Full description"] button[aria-pressed]:last-of-type`
	b.click(source, "HTML")
	b.do(chromedp.SetValue("#field-full_description", "<p>One mug</p>", chromedp.ByQuery))
	b.click(source, "HTML")
	b.sees(editor, "One mug")
	for _, format := range []struct{ button, html string }{
		{"Bold", `<p><b>One mug</b></p>`},
		{"Remove formatting", `<p>One mug</p>`},
		{"Heading", `<h3>One mug</h3>`},
		{"Heading", `<p>One mug</p>`},
		{"Bulleted list", `<ul><li>One mug</li></ul>`},
		{"Bulleted list", `<p>One mug</p>`},
	} {
		selectBlock()
		b.do(chromedp.Evaluate(fmt.Sprintf(`document.querySelector('[aria-label="Format of Full description"] [aria-label=%q]').click()`, format.button), nil))
		if got := strings.ReplaceAll(b.value("#field-full_description"), "<br>", ""); got != format.html {
			t.Errorf("%s makes %s, want %s", format.button, got, format.html)
		}
	}
	for address, want := range map[string]string{"javascript:alert(1)": `<p>One mug</p>`, "https://example.com/mugs": `<p><a href="https://example.com/mugs">One mug</a></p>`} {
		selectBlock()
		b.do(chromedp.Evaluate(`document.querySelector('[aria-label="Format of Full description"] [aria-label="Link"]').click()`, nil),
			chromedp.SetValue("#asked", address, chromedp.ByQuery))
		b.click("dialog button", "Continue")
		b.do(chromedp.WaitNotPresent("dialog", chromedp.ByQuery))
		if got := strings.ReplaceAll(b.value("#field-full_description"), "<br>", ""); got != want {
			t.Errorf("a link to %s makes %s, want %s", address, got, want)
		}
		b.do(chromedp.Evaluate(`document.querySelector('[aria-label="Format of Full description"] [aria-label="Remove formatting"]').click()`, nil))
	}

	save(`<p>One mug</p>`)
	s.Put("/api/2.0/products/1", `{"full_description": "<p id='a'>Old <img src=x onerror='document.title = 1'></p><script>document.title = 2</script>"}`)
	b.do(chromedp.Reload())
	b.sees("h1", "Clay mug")
	b.do(chromedp.WaitVisible("#field-full_description", chromedp.ByQuery)) // with parts that are not safe, it is edited as HTML
	b.click(source, "HTML")
	b.sees("#status", "not safe to show")
	b.do(chromedp.SetValue("#field-full_description", "<p>New</p>", chromedp.ByQuery))
	b.click(source, "HTML")
	b.sees(editor, "New")
	save(`<p>New</p>`)
	s.Put("/api/2.0/products/1", `{"full_description": "<p>By somebody else</p>"}`)
	b.do(chromedp.Focus("#feature-1", chromedp.ByQuery), chromedp.KeyEvent("Kim\t")) // is saved, and the product read again
	b.sees(editor, "By somebody else")
	if got := b.value("#field-full_description"); got != "<p>By somebody else</p>" {
		t.Errorf("the form would send %s", got)
	}
	if title := evaluate[string](b, "document.title"); len(title) == 1 {
		t.Error("a script of the text ran")
	}
}
