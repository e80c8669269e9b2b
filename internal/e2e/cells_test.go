package e2e

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/shopapi/shopapi/store/memory"
)

// TestConsole_E12_EnterLeavesACell: Enter saves a cell of a table and leaves it, also if the API
// answers before the browser has handled the whole key.
func TestConsole_E12_EnterLeavesACell(t *testing.T) {
	t.Parallel()
	s := newMug(t, memory.New())
	b := openSignedIn(t, s, "Products")
	b.visit("#/products")
	h := b.task(t)
	h.click("quick-edit[data-field=amount] button", "")
	h.types("44")
	keyDown, rest := kb.Encode('\r')[0], kb.Encode('\r')[1:]
	h.do(keyDown)
	time.Sleep(300 * time.Millisecond) // in which a value would be saved
	for _, event := range rest {
		h.do(event)
	}
	h.sees("#status", "Saved")
	h.sees("quick-edit[data-field=amount] button", "44")
	if n := evaluate[int](b, `document.querySelectorAll("quick-edit input").length`); n != 0 {
		t.Errorf("%d cells are open", n)
	}
}
