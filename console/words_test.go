package console_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	shownText      = regexp.MustCompile(`\bt\("((?:[^"\\]|\\.)*)"`)
	translatedText = regexp.MustCompile(`(?m)^  "((?:[^"\\]|\\.)*)": "`)
	placeholder    = regexp.MustCompile(`\{\w+\}`)
)

// TestE12_Words: each text of the console that t shows has a German one, with the same
// values in it.
func TestE12_Words(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("assets", "words", "de.js"))
	if err != nil {
		t.Fatal(err)
	}
	german := map[string]string{}
	for line := range strings.Lines(string(source)) {
		if m := translatedText.FindStringSubmatch(line); m != nil {
			german[m[1]] = line
		}
	}
	scripts, err := filepath.Glob("assets/*.js")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("assets/staff/*.js")
	if err != nil {
		t.Fatal(err)
	}
	shown, all := map[string]bool{}, ""
	for _, name := range append(scripts, more...) {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all += string(content)
		for _, m := range shownText.FindAllStringSubmatch(string(content), -1) {
			shown[m[1]] = true
			if german[m[1]] == "" {
				t.Errorf("%s: %q has no German text", name, m[1])
			}
		}
	}
	if len(shown) < 150 {
		t.Errorf("found %d texts: the search for them is broken", len(shown))
	}
	for text, line := range german {
		if !strings.Contains(all, `"`+text+`"`) {
			t.Errorf("nothing shows %q", text)
		}
		_, translation, _ := strings.Cut(line, `": "`)
		want, got := placeholder.FindAllString(text, -1), placeholder.FindAllString(translation, -1)
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the German text of %q has other values:\n%s", text, diff)
		}
	}
}
