package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestE12_WrongFilter: if the API refuses a filter, the list shows the form of the filters and the
// problem. With another filter it works again.
func TestE12_WrongFilter(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	b := openSignedIn(t, s, "Orders")
	b.visit("#/orders?period=C&time_from=yesterday")
	b.sees("#page .problem", "time_from")
	if got := b.value(`.filters [name="time_from"]`); got != "yesterday" {
		t.Errorf("the form has the filter %q", got)
	}
	b.do(chromedp.Evaluate(`document.querySelector(".filters [name=time_from]").value = ""`, nil))
	b.click(".filters button", "Apply")
	b.sees(".pager", "1–20 of")
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}

// TestE12_GermanMessages: the German console shows the refusals of the API in German: a wrong key, a
// wrong field, a missing object, a missing privilege.
func TestE12_GermanMessages(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	b := open(t, s, desk, tall)
	b.goTo("")
	b.do(chromedp.Evaluate(`localStorage.setItem("console.language", "de")`, nil), chromedp.Reload())
	b.signIn(s.Email, "wrong-key-of-some-length")
	b.sees(".problem", "ist falsch")
	b.signIn(s.Email, s.Key)
	b.sees("nav a", "Produkte")
	b.visit("#/products/1")
	b.do(chromedp.SetValue("#field-price", "viel", chromedp.ByQuery))
	b.click("button", "Speichern")
	b.sees("#field-price-error", "muss eine Zahl")
	b.do(chromedp.SetValue("#field-price", "12", chromedp.ByQuery), chromedp.Evaluate(`document.querySelector("#field-product").value = ""`, nil))
	b.click("button", "Speichern")
	b.sees("#field-product-error", "fehlt noch")
	b.do(chromedp.Evaluate(`document.querySelector("#change").formState.isDone = true`, nil))
	b.visit("#/products/999999")
	b.sees("#page .problem", "Es gibt kein Objekt")
	b.visit("#/settings")
	b.sees("th.label", "Zeitzone")

	clerk := s.User("view_orders")
	c := open(t, s, desk, tall)
	c.goTo("")
	c.do(chromedp.Evaluate(`localStorage.setItem("console.language", "de")`, nil), chromedp.Reload())
	c.signIn(clerk.Email, clerk.Key)
	c.sees("nav a", "Bestellungen")
	c.visit("#/users")
	c.sees("#page .problem", "fehlt das Recht")
	if heard := append(b.heard(), c.heard()...); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}

// TestE12_RefusedChoice: where the API refuses a field that chooses objects, the field has the focus and
// screen readers read the problem. A code that a new object needs has no default among its choices.
func TestE12_RefusedChoice(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	b := openSignedIn(t, s, "Products")
	b.visit("#/products/new")
	b.set("#field-product", "Jug")
	b.click("button", "Create")
	b.sees("#field-category_ids-error", "is required")
	for what, held := range map[string]string{
		"the focus":       `document.activeElement.closest("#field-category_ids") !== null`,
		"the problem":     `document.activeElement.getAttribute("aria-describedby").split(" ").includes("field-category_ids-error")`,
		"the mark":        `document.activeElement.getAttribute("aria-invalid") === "true"`,
		"that it must be": `document.activeElement.getAttribute("aria-required") === "true"`,
	} {
		if !evaluate[bool](b, held) {
			t.Errorf("the control does not have %s: %s", what, evaluate[string](b, "document.activeElement.outerHTML"))
		}
	}
	b.do(chromedp.Evaluate(`document.querySelector("#change").formState.isDone = true`, nil))
	b.visit("#/products/1")
	b.sees("h1", "Celadon mug")
	b.do(chromedp.Evaluate(`document.querySelector("#field-full_description").value = "<p>" + "x".repeat(300000) + "</p>"`, nil))
	b.click("button", "Save")
	b.sees("#field-full_description-error", "at most")
	if editor := `document.querySelector("[aria-describedby~=field-full_description-error].rich-text[aria-invalid=true]")`; !evaluate[bool](b, editor+" !== null && "+editor+".contains(document.activeElement)") {
		t.Errorf("the editor of the description has no problem: %s", evaluate[string](b, `document.querySelector(".rich-text").outerHTML.slice(0, 300)`))
	}
	b.do(chromedp.Evaluate(`document.querySelector("#change").formState.isDone = true`, nil))
	b.visit("#/pages/new")
	b.sees("h1", "New")
	if got := evaluate[string](b, `document.querySelector("#field-page_type").innerText`); strings.Contains(got, "Default") {
		t.Errorf("the types of a new page are %q", got)
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
