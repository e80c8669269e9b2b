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
	mostOfAll = 1_500_000
)

// pictures are the pages in docs/pages.md, by the name of their picture, each with a text that
// it shows. Each has a second picture, of a phone.
var pictures = []struct{ name, address, text string }{
	{"first-page", "#/", "Orders per day"},
	{"orders", "#/orders", "Orders"},
	{"order", "#/orders/2", "Order 2"},
	{"new-order", "#/orders/new", "New order"},
	{"products", "#/products", "Products"},
	{"product", "#/products/2", "Cobalt dinner plate"},
	{"categories", "#/categories", "Categories"},
	{"review", "#/discussions/1", "Ana"},
	{"staff", "#/users/1", "API keys"},
	{"settings", "#/settings", "Settings"},
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
	var names []string
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
	b.signIn(s.Email, s.Key)
	b.sees("figcaption", "Orders per day")
	for suffix, width := range map[string]int64{"": 1100, "-phone": 390} {
		b.do(chromedp.EmulateViewport(width, 780))
		b.visit("#/taxes") // so that the first page is loaded anew
		for _, p := range pictures {
			b.visit(p.address)
			b.sees("#page", p.text)
			b.picture("console-" + p.name + suffix + ".png")
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
