package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A hand uses a page as a person does, by the mouse and the keyboard, and counts. A choice
// in a browser's select counts as two clicks.
type hand struct {
	*browser
	clicks, keys int
}

// at is the middle of the first visible element that matches the selector and shows the
// text, scrolled into view; null if there is none.
const at = `(selector, text) => {
	const e = [...document.querySelectorAll(selector)].find(e => e.checkVisibility() && (e.innerText || e.value || e.getAttribute("aria-label") || e.placeholder || "").includes(text));
	if (!e) return null;
	e.scrollIntoView({block: "center"});
	const {left, top, width, height} = e.getBoundingClientRect();
	return [left + width / 2, top + height / 2];
}`

// click presses the mouse on an element, once the page shows it.
func (h *hand) click(selector, text string) {
	h.t.Helper()
	h.waits(fmt.Sprintf(`(%s)(%q, %q) !== null`, at, selector, text), selector+" with "+text)
	point := evaluate[[]float64](h.browser, fmt.Sprintf(`(%s)(%q, %q)`, at, selector, text))
	h.do(chromedp.MouseClickXY(point[0], point[1]))
	h.clicks++
}

// choose chooses an option of a select.
func (h *hand) choose(selector, value string) {
	h.t.Helper()
	h.waits(fmt.Sprintf(`document.querySelector(%q)?.checkVisibility() === true`, selector), selector)
	h.do(chromedp.Evaluate(fmt.Sprintf(`(() => { const s = document.querySelector(%q); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, selector, value), nil))
	h.clicks += 2
}

// types presses keys.
func (h *hand) types(text string) {
	h.t.Helper()
	h.do(chromedp.KeyEvent(text))
	h.keys += len([]rune(text))
}

// presses presses a key that the page takes, so that its character is not typed.
func (h *hand) presses(key string) {
	h.t.Helper()
	h.do(input.DispatchKeyEvent(input.KeyRawDown).WithKey(key), input.DispatchKeyEvent(input.KeyUp).WithKey(key))
	h.keys++
}

// picks types into a picker that has the focus, and takes the first object that it shows.
func (h *hand) picks(text, want string) {
	h.t.Helper()
	h.types(text)
	h.sees("object-picker [role=option][aria-selected=true]", want)
	h.types(kb.Enter)
}

func (h *hand) waits(condition, what string) {
	h.t.Helper()
	if err := chromedp.Run(h.ctx, chromedp.Poll(condition, nil, chromedp.WithPollingTimeout(pollTime))); err != nil {
		h.t.Fatalf("there is never %s (%v); the page shows %q; the browser says %q", what, err, h.text(), h.heard())
	}
}

// within fails the test if the task took more than the clicks and keys.
func (h *hand) within(clicks, keys int) {
	h.t.Helper()
	h.t.Logf("%s: %d clicks, %d keys", h.t.Name(), h.clicks, h.keys)
	if h.clicks > clicks || h.keys > keys {
		h.t.Errorf("took %d clicks and %d keys, want at most %d and %d", h.clicks, h.keys, clicks, keys)
	}
}

// task starts a count on the page that is open.
func (b *browser) task(t *testing.T) *hand { return &hand{browser: b.in(t)} }
