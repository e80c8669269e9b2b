package e2e

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	update   = flag.Bool("update", false, "write the pictures")
	folder   = flag.String("pictures", filepath.Join("..", "..", "docs", "pictures"), "the folder of the pictures")
	scheme   = flag.String("scheme", "light", "the colours of the pictures: light or dark")
	language = flag.String("language", "en", "the language of the console in the pictures")
)

// The most bytes of a picture and of all together.
const (
	mostBytes = 60_000
	mostOfAll = 1_500_000
)

// TestConsole_Pictures: docs/pages.md shows a picture of each page and state, at a desk and on a
// phone. With -update it takes them; -pictures DIR writes them elsewhere, in the dark or in a
// language of the console, to look at them:
//
//	go test . -run TestConsole_Pictures -update
//	go test . -run TestConsole_Pictures -update -pictures /tmp/looks -scheme dark -language de
func TestConsole_Pictures(t *testing.T) {
	t.Parallel()
	if *update {
		takePictures(t)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "pages.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "pictures", "console-*.png"))
	if err != nil || len(files) < 40 {
		t.Fatalf("there are %d pictures (%v)", len(files), err)
	}
	all := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(text), "(pictures/"+filepath.Base(file)+")") {
			t.Errorf("docs/pages.md does not show %s", file)
		}
		if len(content) > mostBytes {
			t.Errorf("%s has %d bytes, more than %d", file, len(content), mostBytes)
		}
		all += len(content)
	}
	if all > mostOfAll {
		t.Errorf("the pictures have %d bytes, more than %d", all, mostOfAll)
	}
}

func takePictures(t *testing.T) {
	s := newStaffShop(t)
	all := states(s)
	for suffix, width := range map[string]int64{"": 1100, "-phone": 390} {
		b := open(t, s, desk, tall)
		b.scheme = *scheme
		b.emulates("")
		b.do(chromedp.EmulateViewport(width, 780))
		b.goTo("")
		b.do(chromedp.Evaluate(fmt.Sprintf(`localStorage.setItem("console.language", %q)`, *language), nil), chromedp.Reload(), chromedp.WaitVisible("#email"))
		b.picture("console-sign-in" + suffix + ".png")
		b.signIn(s.Email, s.Key)
		b.do(chromedp.WaitVisible(".bars", chromedp.ByQuery))
		for _, st := range all {
			if st.is == both || st.is == paper && suffix == "" {
				b.opens(st)
				b.picture("console-" + st.name + suffix + ".png")
			}
		}
	}
	if flag.Lookup("pictures").DefValue == *folder {
		writeTable(t, all)
	}
}

// writeTable writes the table of the pictures at the end of docs/pages.md.
func writeTable(t *testing.T, all []state) {
	name := filepath.Join("..", "..", "docs", "pages.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(text), "## Pictures\n")
	var b strings.Builder
	fmt.Fprintf(&b, "%s## Pictures\n\n| | At a desk | On a phone |\n|---|---|---|\n", before)
	for _, st := range append([]state{{name: "sign-in", caption: "Sign in"}}, all...) {
		file := "pictures/console-" + st.name
		switch st.is {
		case both:
			fmt.Fprintf(&b, "| %s | ![%[1]s](%s.png) | ![%[1]s, on a phone](%[2]s-phone.png) |\n", st.caption, file)
		case paper:
			fmt.Fprintf(&b, "| %s | ![%[1]s](%s.png) | |\n", st.caption, file)
		}
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// picture writes a screenshot of the window with few colours.
func (b *browser) picture(name string) {
	b.t.Helper()
	var shot []byte
	b.do(chromedp.Evaluate(`document.getAnimations().forEach(a => a.finish())`, nil), chromedp.Poll(`[...document.images].every(i => i.complete)`, nil), chromedp.CaptureScreenshot(&shot))
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		b.t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, reduced(full)); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*folder, name), out.Bytes(), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// reduced is a picture in its 32 commonest colours.
func reduced(full image.Image) *image.Paletted {
	counts := map[color.Color]int{}
	bounds := full.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[full.At(x, y)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(counts), func(a, b color.Color) int { return cmp.Compare(counts[b], counts[a]) })
	palette := color.Palette(colors[:min(len(colors), 32)])
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
