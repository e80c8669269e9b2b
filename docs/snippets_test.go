// Package docs_test compiles and runs the Go code of README.md, CONTRIBUTING.md and
// the pages beside it: each code block is a part of a Go file of the module,
// mostly of the tests of this folder.
package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// pages returns the pages, and the ones of the modules beside it, by their path from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	paths := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "mcp/README.md", "bench/README.md"}
	more, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range more {
		paths = append(paths, "docs/"+name)
	}
	texts := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	return texts
}

// goFiles returns the text of each Go file of the module, by path from its root.
func goFiles(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir // branches may have names such as main.go
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		texts[filepath.ToSlash(path)[len("../"):]] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// plainLines returns a text without the indentation of its lines, so that a block is found at
// any depth.
func plainLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, "\t")
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

func TestPages_QuoteCodeThatCompiles(t *testing.T) {
	var code []string
	for _, text := range goFiles(t) {
		code = append(code, plainLines(text))
	}
	blocks := 0
	for path, text := range pages(t) {
		for _, block := range goBlock.FindAllStringSubmatch(text, -1) {
			blocks++
			lines := plainLines(strings.TrimSuffix(block[1], "\n"))
			if !slices.ContainsFunc(code, func(file string) bool { return strings.Contains(file, lines) }) {
				t.Errorf("%s has a block that stands in no Go file of the module:\n%s", path, block[1])
			}
		}
	}
	if blocks == 0 {
		t.Error("no blocks of Go code were found")
	}
}

var (
	fenced      = regexp.MustCompile("(?ms)^```.*?^```$")
	link        = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	heading     = regexp.MustCompile(`(?m)^#+ (.*)$`)
	punctuation = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func TestPages_LinksHaveTargets(t *testing.T) {
	texts := pages(t)
	for path, text := range texts {
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			target := path
			if m[1] != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(path), m[1]))
			}
			if _, err := os.Stat(filepath.Join("..", target)); err != nil {
				t.Errorf("%s links to %s: %v", path, m[1], err)
			}
			if m[2] != "" && !slices.Contains(anchors(texts[target]), m[2]) {
				t.Errorf("%s links to %s#%s: there is no such heading", path, m[1], m[2])
			}
		}
	}
}

// anchors returns the anchors of the headings of a page.
func anchors(text string) []string {
	var list []string
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		words := punctuation.ReplaceAllString(strings.ToLower(m[1]), "")
		list = append(list, strings.ReplaceAll(words, " ", "-"))
	}
	return list
}

// The opening of README, before its first heading of a section, says which entities there
// are.
func TestREADME_NamesEveryEntity(t *testing.T) {
	opening, _, _ := strings.Cut(pages(t)["README.md"], "\n## ")
	words := regexp.MustCompile(`[a-z_]+`).FindAllString(opening, -1)
	for _, edition := range []shopapi.Edition{shopapi.SingleStore, shopapi.MultiStorefront, shopapi.MultiVendor} {
		s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: edition}})
		for _, d := range s.Descriptions() {
			if !slices.Contains(words, d.Name) {
				t.Errorf("the opening of README.md does not name %s", d.Name)
			}
		}
	}
}
