package e2e

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "write the pictures in docs/pictures")

// The most bytes of a picture and of all together.
const (
	mostBytes = 60_000
	mostOfAll = 1_800_000
)

// A shown page has a picture in docs/pages.md, and a second one of a phone.
type shown struct {
	name, address string
	text          string        // on the page
	open          func(h *hand) // opens a part of the page; nil for none
	at            string        // the part that is scrolled to the top; "" for the page's own
}

var pictures = []shown{
	{name: "first-page", address: "#/", text: "Orders per day"},
	{name: "orders", address: "#/orders", text: "Orders"},
	{name: "order", address: "#/orders/2", text: "Order 2"},
	{name: "ship", address: "#/orders/12", text: "Order 12", open: func(h *hand) { h.click("summary", "Ship") }, at: "section[aria-labelledby=shipping]"},
	{name: "papers", address: "#/orders/12", text: "Order 12", open: func(h *hand) { h.click("summary", "Issue a credit memo") }, at: "section[aria-labelledby=papers]"},
	{name: "new-order", address: "#/orders/new", text: "New order", open: opening("a new order with a line")},
	{name: "products", address: "#/products", text: "Products"},
	{name: "bulk", address: "#/products", text: "Products", open: opening("changing ticked rows")},
	{name: "product", address: "#/products/2", text: "Cobalt dinner plate"},
	{name: "new-product", address: "#/products/new", text: "New product"},
	{name: "tree", address: "#/products/2", text: "Cobalt dinner plate", open: opening("the tree of categories"), at: "object-picker[name=category_ids]"},
	{name: "texts", address: "#/products/2", text: "Cobalt dinner plate", open: opening("texts in two languages"), at: ".texts"},
	{name: "variations", address: "#/product_variations_groups/1", text: "PV-"},
	{name: "categories", address: "#/categories", text: "Categories"},
	{name: "page", address: "#/pages/1", text: "Delivery"},
	{name: "review", address: "#/discussions/1", text: "Ana"},
	{name: "staff", address: "#/users/1", text: "API keys"},
	{name: "search", address: "#/taxes", text: "Taxes", open: opening("the search")},
	{name: "commands", address: "#/products/2", text: "Cobalt dinner plate", open: opening("the commands")},
	{name: "keys", address: "#/orders", text: "Orders", open: opening("the keys")},
	{name: "settings", address: "#/settings", text: "Settings"},
}

// opening returns what opens a part of a page, by its name in opened.
func opening(name string) func(h *hand) {
	for _, o := range opened {
		if o.name == name {
			return o.open
		}
	}
	panic("nothing is opened by the name " + name)
}

// TestConsole_Pictures: docs/pages.md shows a picture of each kind of page, at a desk and on a
// phone. With -update it takes them:
//
//	go test . -run TestConsole_Pictures -update
func TestConsole_Pictures(t *testing.T) {
	if *update {
		takePictures(t)
	}
	text, err := os.ReadFile(filepath.Join("..", "docs", "pages.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	names := []string{"console-sign-in.png", "console-sign-in-phone.png"}
	for _, p := range pictures {
		names = append(names, "console-"+p.name+".png", "console-"+p.name+"-phone.png")
	}
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join("..", "docs", "pictures", name))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(text), "pictures/"+name) {
			t.Errorf("docs/pages.md does not show %s", name)
		}
		if len(content) > mostBytes {
			t.Errorf("%s has %d bytes, more than %d", name, len(content), mostBytes)
		}
		all += len(content)
	}
	if all > mostOfAll {
		t.Errorf("the pictures have %d bytes, more than %d", all, mostOfAll)
	}
}

func takePictures(t *testing.T) {
	s := newFullShop(t)
	s.Put("/api/2.0/orders/2", `{"details": "Rings before delivery."}`)
	b := open(t, s, desk, tall)
	widths := map[string]int64{"": 1100, "-phone": 390}
	b.goTo("")
	b.sees("label", "API key")
	for suffix, width := range widths {
		b.do(chromedp.EmulateViewport(width, 780))
		b.picture("console-sign-in" + suffix + ".png")
	}
	b.signIn(s.Email, s.Key)
	b.sees("figcaption", "Orders per day")
	for suffix, width := range widths {
		b.do(chromedp.EmulateViewport(width, 780))
		for _, p := range pictures {
			b.visit("#/statuses") // so that each page is loaded anew
			b.visit(p.address)
			b.sees("#page", p.text)
			if p.open != nil {
				p.open(b.task(t))
			}
			if p.at != "" {
				b.do(chromedp.Evaluate(`document.querySelector("`+p.at+`").scrollIntoView()`, nil))
			}
			b.picture("console-" + p.name + suffix + ".png")
			b.do(chromedp.Evaluate(`document.querySelectorAll("dialog").forEach(d => d.close()); document.querySelector("#view")?.form.reset()`, nil))
		}
	}
}

// picture writes a screenshot of the window with few colours.
func (b *browser) picture(name string) {
	b.t.Helper()
	var shot []byte
	b.do(chromedp.Sleep(300*time.Millisecond), chromedp.CaptureScreenshot(&shot)) // animations have ended
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		b.t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, reduced(full)); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("..", "docs", "pictures", name), out.Bytes(), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// reduced is a picture in its 64 commonest colours.
func reduced(full image.Image) *image.Paletted {
	counts := map[color.Color]int{}
	bounds := full.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[full.At(x, y)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(counts), func(a, b color.Color) int { return cmp.Compare(counts[b], counts[a]) })
	palette := color.Palette(colors[:min(len(colors), 64)])
	few, nearest := image.NewPaletted(bounds, palette), map[color.Color]uint8{}
	for c := range counts {
		nearest[c] = uint8(palette.Index(c))
	}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			few.SetColorIndex(x, y, nearest[full.At(x, y)])
		}
	}
	return few
}
