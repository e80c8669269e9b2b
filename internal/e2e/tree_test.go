package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestE12_CategoryTree: categories of a product are picked from the tree by the mouse and by the
// keyboard alone, and only levels that are opened are read.
func TestE12_CategoryTree(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	deep := s.Post("/api/2.0/categories", `{"category": "Espresso cups", "parent_id": 2}`).Field("category_id")
	b := openSignedIn(t, s, "Products")
	b.visit("#/products/1")
	loaded := b.traffic()
	h := b.task(t)
	const picker = "object-picker[name=category_ids]"
	active := func(name string, level int) {
		t.Helper()
		h.waits(fmt.Sprintf(`document.activeElement.matches("%s [role=treeitem][aria-level='%d']") && document.activeElement.firstElementChild.innerText.trim() === %q`, picker, level, name), "the focus on "+name)
	}

	h.click(picker+" .tree-button", "Tree")
	active("Cups", 2) // the category of the product
	h.types(kb.ArrowRight)
	h.sees(picker+" [role=treeitem]", "Espresso cups")
	h.types(kb.ArrowDown)
	active("Espresso cups", 3)
	h.types(kb.Enter)
	h.sees(picker+" .pick", "Espresso cups")
	active("Espresso cups", 3)
	h.types(kb.ArrowLeft)
	active("Cups", 2)
	h.presses(" ") // gives it back
	h.waits(fmt.Sprintf(`document.querySelectorAll("%s .pick").length === 1`, picker), "one category")
	h.presses("g")
	active("Garden", 1)
	h.click(picker+" [role=treeitem]:focus > .branch .twist", "")
	h.click(picker+" .branch", "Pots")
	h.sees(picker+" .pick", "Pots")
	h.types(kb.Escape)
	h.waits(fmt.Sprintf(`!document.querySelector("tree-picker") && document.activeElement.matches("%s .tree-button")`, picker), "the button of the tree")
	h.click("button", "Save")
	h.sees("#status", "Saved")
	if got := s.Get("/api/2.0/products/1").Body; !strings.Contains(got, `"category_ids":[`+deep+`,8]`) {
		t.Errorf("the product is %s", got)
	}
	requests, _, _ := loaded.read()
	var levels []string
	for _, r := range requests {
		if _, rest, found := strings.Cut(r, "/categories?parent_id="); found {
			levels = append(levels, rest[:strings.Index(rest, "&")])
		} else if strings.Contains(r, "/categories?") {
			t.Errorf("the tree asked %s", r)
		}
	}
	if got := strings.Join(levels, " "); got != "0 1 2 7" {
		t.Errorf("the tree read what is below %s", got)
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
