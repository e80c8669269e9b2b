package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi/apitest"
)

const (
	desk  = 1280
	phone = 360
	tall  = 800
)

// TestConsole_Administrator signs in, opens pages, makes changes, meets a rule, deletes,
// and opens the orders.
func TestConsole_Administrator(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := open(t, s, desk, tall)
	b.signIn(s.Email, "wrong-key-of-some-length")
	b.sees(".problem", "wrong")
	b.signIn(s.Email, s.Key)
	b.sees("figcaption", "Orders per day")
	if days := evaluate[int](b, `[...document.querySelectorAll(".bars .day")].filter(r => r.height.baseVal.value > 1).length`); days < 25 {
		t.Errorf("%d days have a bar, want nearly 30", days)
	}
	b.sees(".statuses", "Complete")

	b.click("nav a", "Products")
	b.sees("th.label", "Ash")
	if focused := evaluate[string](b, "document.activeElement.tagName"); focused != "H1" {
		t.Errorf("the focus is on %s, where a reader would not hear of the new page", focused)
	}
	if broken := evaluate[int](b, `[...document.images].filter(i => i.complete && !i.naturalWidth).length`); broken > 0 {
		t.Errorf("%d images are not shown", broken)
	}
	b.sees(".pager", "of 24")
	b.click("th a", "Price")
	b.sees("th[aria-sort=ascending]", "Price")
	b.click(".pager a", "Next")
	b.sees(".pager", "21–24 of 24")
	b.goTo("#/products?product=mug&status=A")
	b.sees(".filters .count", "2")
	b.sees("th.label", "Celadon mug")

	b.click("nav a", "Categories")
	b.sees(".tree", "Tableware")
	b.sees(".tree ul", "Cups")
	b.goTo("#/products/1")
	b.click(".tabs a", "Reviews")
	b.sees("td", "Keeps tea warm")

	b.goTo("#/products/1")
	b.sees("h1", "Celadon mug")
	b.do(chromedp.SetValue("#field-price", "many", chromedp.ByQuery))
	b.click("button", "Save")
	b.sees("#field-price-error", "must be a number")
	if described := evaluate[string](b, `document.querySelector("#field-price").getAttribute("aria-describedby")`); !strings.Contains(described, "field-price-error") {
		t.Errorf("the field at fault is described by %q", described)
	}
	b.do(chromedp.SetValue("#field-price", "19.90", chromedp.ByQuery))
	b.click("button", "Save")
	b.sees("#status", "Saved")
	if price := s.Get("/api/2.0/products/1").Field("price"); price != "19.90" {
		t.Errorf("the price is %s", price)
	}

	b.goTo("#/taxes/new")
	b.sees("label", "Tax")
	b.do(chromedp.SetValue("#field-tax", "VAT", chromedp.ByQuery))
	b.click("button", "Create")
	b.sees("h1", "VAT")
	b.click("button", "Delete")
	b.click("dialog button", "Keep it")
	b.click("button", "Delete")
	b.sees("dialog", "cannot be undone")
	b.click("dialog button.danger", "Delete")
	b.sees("h1", "Taxes")
	b.sees(".empty", "Nothing here")
	if left := s.Get("/api/2.0/taxes").Body; !strings.Contains(left, `"taxes":[]`) {
		t.Errorf("the tax is still there: %s", left)
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
	if kept := evaluate[string](b, `location.href + document.cookie + JSON.stringify(localStorage)`); strings.Contains(kept, s.Key) {
		t.Error("the key is in the address, a cookie or localStorage")
	}
	b.click("button", "Sign out")
	b.sees("label", "API key")
}

// TestConsole_Privileges: operations without a privilege are not shown.
func TestConsole_Privileges(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, nil)
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	s.Post("/api/2.0/products", `{"product": "Clay mug", "category_ids": [1]}`)
	reader := s.User("view_catalog")
	b := open(t, s, desk, tall)
	b.signIn(reader.Email, reader.Key)
	b.sees("nav a", "Products")
	if links := evaluate[string](b, `document.querySelector("nav").innerText`); strings.Contains(links, "Users") || strings.Contains(links, "Taxes") {
		t.Errorf("a reader of the catalogue is shown %q", links)
	}
	b.goTo("#/products")
	b.sees("th.label", "Clay mug")
	b.goTo("#/products/1")
	b.sees("h1", "Clay mug")
	b.sees(".facts", "Price")
	if buttons := evaluate[string](b, `[...document.querySelectorAll("main button, main .primary")].map(e => e.innerText).join()`); buttons != "" {
		t.Errorf("a reader of the catalogue is shown %q", buttons)
	}
	b.goTo("#/users")
	b.sees(".problem", "privilege view_users")
}

// contrast is the contrast between the text of an element and the page, by WCAG 2.
const contrast = `(() => {
	const light = (color) => {
		const c = document.createElement("canvas").getContext("2d");
		c.fillStyle = color;
		c.fillRect(0, 0, 1, 1);
		const [r, g, b] = [...c.getImageData(0, 0, 1, 1).data].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
		return .2126 * r + .7152 * g + .0722 * b;
	};
	const body = getComputedStyle(document.body);
	const [a, b] = [light(body.color), light(body.backgroundColor)];
	return (b > a ? 1 : -1) * (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
})()`

// TestConsole_Scheme: the pages are light or dark as the system prefers, and text is
// readable in both.
func TestConsole_Scheme(t *testing.T) {
	t.Parallel()
	b := open(t, apitest.New(t, nil), desk, tall)
	b.goTo("")
	b.sees("label", "API key")
	for scheme, sign := range map[string]float64{"light": 1, "dark": -1} {
		b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		if ratio := sign * evaluate[float64](b, contrast); ratio < 7 {
			t.Errorf("%s: the contrast is %.1f", scheme, ratio)
		}
	}
}

// unnamed are the controls of a page without an accessible name.
const unnamed = `[...document.querySelectorAll("main input, main select, main textarea, button, a, summary, dialog, nav")].filter(e => e.type !== "hidden" &&
	!(e.labels?.length || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.innerText?.trim() || e.textContent.trim() || e.querySelector("img[alt]"))).map(e => e.outerHTML.slice(0, 120)).join("\n")`

// TestConsole_Keyboard signs in and moves through the pages with only the keyboard;
// every control has an accessible name, and errors are announced.
func TestConsole_Keyboard(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := open(t, s, desk, tall)
	b.goTo("")
	b.do(chromedp.WaitVisible("#email"), chromedp.Focus("#email", chromedp.ByQuery))
	b.do(chromedp.KeyEvent(s.Email+"\t"), chromedp.KeyEvent("wrong-key-of-some-length\r"))
	b.sees("[role=alert]", "wrong")
	b.do(chromedp.SetValue("#key", s.Key, chromedp.ByQuery), chromedp.Focus("#key", chromedp.ByQuery), chromedp.KeyEvent("\r"))
	b.sees("nav a", "Products")
	if live := evaluate[string](b, `document.querySelector("#status").ariaLive`); live != "polite" {
		t.Errorf("what is done is told %q", live)
	}
	for address, want := range map[string][2]string{
		"#/products": {"th.label", "mug"}, "#/products/1": {"label", "Price"}, "#/categories": {".tree", "Cups"}, "#/taxes/new": {"label", "Tax"},
	} {
		b.goTo(address)
		b.sees(want[0], want[1])
		if nameless := evaluate[string](b, unnamed); nameless != "" {
			t.Errorf("%s has controls without a name:\n%s", address, nameless)
		}
	}
	b.goTo("#/products/1")
	b.sees("h1", "Celadon mug")
	b.do(chromedp.Evaluate(`document.querySelector("main form input").focus()`, nil))
	var order []string
	for range 5 {
		order = append(order, evaluate[string](b, "document.activeElement.id || document.activeElement.tagName"))
		b.do(chromedp.KeyEvent("\t"))
	}
	want := evaluate[[]string](b, `[...document.querySelectorAll("main form input, main form button, main form select, main form textarea, main form summary")].filter(e => e.checkVisibility()).map(e => e.id || e.tagName).slice(0, 5)`)
	if !slices.Equal(order, want) {
		t.Errorf("the keyboard meets %q, and the page has %q", order, want)
	}
}

// TestConsole_Messages: each change is confirmed for some seconds, and the focus does
// not move. An error gets the focus.
func TestConsole_Messages(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := openSignedIn(t, s, "Products")
	b.visit("#/products/1")
	for _, price := range []string{"20", "21"} {
		b.do(chromedp.SetValue("#field-price", price, chromedp.ByQuery), chromedp.Focus("#change button.primary", chromedp.ByQuery), chromedp.KeyEvent("\r"))
		b.sees("#status p", "Saved.")
		if shown := evaluate[bool](b, `document.querySelector("#status p").checkVisibility({opacityProperty: true, visibilityProperty: true})`); !shown {
			t.Errorf("nobody sees that %s was saved", price)
		}
		if focused := evaluate[string](b, "document.activeElement.innerText"); focused != "Save" {
			t.Errorf("after saving the focus is on %q", focused)
		}
		b.do(chromedp.Evaluate(`document.getAnimations().forEach(a => a.finish())`, nil), chromedp.WaitNotPresent("#status p"))
	}
	b.do(chromedp.SetValue("#field-weight", "heavy", chromedp.ByQuery), chromedp.Focus("#change button.primary", chromedp.ByQuery), chromedp.KeyEvent("\r"))
	b.sees("#field-weight-error", "must be a number") // in a collapsed section
	if focused := evaluate[string](b, "document.activeElement.id"); focused != "field-weight" {
		t.Errorf("the focus is on %q, not on the field at fault", focused)
	}
	b.click("nav a", "Products")
	b.click("dialog button.danger", "Leave")
	b.sees("h1", "Products")
	if rows := evaluate[int](b, `[...document.querySelectorAll("tbody tr")].filter(r => r.querySelectorAll("th[scope=row]").length === 1).length`); rows != 20 {
		t.Errorf("%d rows have a header, want 20", rows)
	}
	if loose := evaluate[int](b, `document.querySelectorAll("thead th:not([scope=col])").length`); loose > 0 {
		t.Errorf("%d columns have headers without a scope", loose)
	}
}

// TestConsole_Scripts: the name of a product is text, not markup.
func TestConsole_Scripts(t *testing.T) {
	t.Parallel()
	const script = `<script>window.ran = 1</script><img src=x onerror=\"window.ran = 1\">`
	s := apitest.New(t, nil)
	s.Post("/api/2.0/categories", `{"category": "`+script+`"}`)
	s.Post("/api/2.0/products", `{"product": "`+script+`", "category_ids": [1], "full_description": "`+script+`",
		"main_pair": {"detailed": {"image_path": "/none.png", "alt": "`+script+`"}}}`)
	b := openSignedIn(t, s, "Products")
	for address, selector := range map[string]string{"#/products": "th.label", "#/products/1": "h1", "#/categories": ".tree"} {
		b.goTo(address)
		b.sees(selector, "<script>window.ran")
	}
	if ran := evaluate[bool](b, `"ran" in window`); ran {
		t.Error("a script in a product's name ran")
	}
	if images := evaluate[int](b, `document.querySelectorAll("img[src=x]").length`); images > 0 {
		t.Error("a name became an element")
	}
}

// unseen are the controls without a size.
const unseen = `[...document.querySelectorAll("a, button, input, select, textarea, summary")].filter(e => e.checkVisibility({visibilityProperty: true}) && !e.matches(".skip")).filter(e => {
	for (let p = e; p; p = p.parentElement) {
		const {width, height} = p.getBoundingClientRect();
		if ((width <= 1 || height <= 1) && getComputedStyle(p).display !== "contents") return true;
	}
	return false;
}).map(e => e.outerHTML.slice(0, 120)).join("\n")`

// TestConsole_Phone: a narrow window scrolls only vertically, also in the dark scheme.
func TestConsole_Phone(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := open(t, s, phone, tall)
	b.do(chromedp.EmulateViewport(phone, tall))
	b.signIn(s.Email, s.Key)
	b.sees("figcaption", "Orders per day")
	for _, address := range []string{
		"#/", "#/products", "#/products/1", "#/products/new", "#/products/1/discussions", "#/categories", "#/orders", "#/orders/1",
		"#/users", "#/users/1", "#/settings", "#/statuses/1", "#/langvars", "#/nothing",
	} {
		b.visit(address)
		if over := evaluate[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s is %d pixels wider than the window", address, over)
		}
		if hidden := evaluate[string](b, unseen); hidden != "" {
			t.Errorf("%s has controls that the keyboard reaches and nobody sees:\n%s", address, hidden)
		}
	}
	b.visit("#/products/1")
	b.click("button", "Delete")
	b.sees("dialog", "cannot be undone")
	if over := evaluate[float64](b, `document.querySelector("dialog").getBoundingClientRect().right - innerWidth`); over > 0 {
		t.Errorf("the question is %.0f pixels beyond the window", over)
	}
	b.click("dialog button", "Keep it")
	b.do(chromedp.EmulateViewport(desk, tall))
	b.sees("nav a", "Products") // the menu opens as the window gets wide
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}

// TestConsole_NoDialog: a wrong key opens no password dialog of the browser.
func TestConsole_NoDialog(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, nil)
	b := open(t, s, desk, tall)
	dialogs := b.passwords()
	b.signIn(s.Email, "wrong-key-of-some-length")
	b.sees(".problem", "wrong")
	if n := dialogs(); n > 0 {
		t.Errorf("the browser asked %d times for a password", n)
	}
	b.do(chromedp.ActionFunc(func(ctx context.Context) error {
		return chromedp.Evaluate(`void (location.href = "/api/2.0/products")`, nil).Do(ctx) // a document is asked for
	}))
	for end := time.Now().Add(10 * time.Second); dialogs() == 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if dialogs() == 0 {
		t.Error("the browser never asks: this test could not fail")
	}
}

// TestReference: the reference shows the operations, and a request can be tried.
func TestReference(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := open(t, s, desk, tall)
	b.do(chromedp.Navigate(b.url + "/docs/"))
	b.sees(".info .title", "Store administration")
	b.sees(".opblock-tag", "products")
	b.do(chromedp.Click(`[data-tag="products"] button`, chromedp.ByQuery))
	b.sees(".opblock-summary-path", "/products")
	if *update {
		b.picture("reference.png")
	}
	b.do(chromedp.Click("#operations-products-products_list button.opblock-summary-control", chromedp.ByQuery))
	b.do(chromedp.Click("#operations-products-products_list button.execute", chromedp.ByQuery))
	b.sees("#operations-products-products_list .live-responses-table .response-col_status", "401")
	b.do(
		chromedp.Click(".btn.authorize", chromedp.ByQuery),
		chromedp.SendKeys(`.auth-container input[type="text"]`, s.Email, chromedp.ByQuery),
		chromedp.SendKeys(`.auth-container input[type="password"]`, s.Key, chromedp.ByQuery),
		chromedp.Click(".auth-btn-wrapper .authorize", chromedp.ByQuery),
		chromedp.Click(".auth-btn-wrapper .btn-done", chromedp.ByQuery),
		chromedp.Click("#operations-products-products_list button.execute", chromedp.ByQuery),
	)
	b.sees("#operations-products-products_list .live-responses-table", "Celadon mug")
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
