// Command english counts the phrases that make comments and documents hard to read for
// readers whose first language is another one: "what of X", "is no Y", "those of",
// "stands", "tells", "one that", "what is". .ci/english runs it. Each phrase is correct in
// some sentences, so the command limits their rate, and not each use.
//
//	english                    the rate of each package, and of all
//	english -list ./orders     each phrase below a folder, with its line
//	english -max 40            fails if the rate of all is higher
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	limit := flag.Float64("max", 0, "fail above this many phrases in 10,000 words; 0 does not fail")
	list := flag.Bool("list", false, "print each phrase with its file and line")
	flag.Parse()
	roots := flag.Args()
	if len(roots) == 0 {
		roots = []string{"."}
	}
	if err := run(os.Stdout, roots, *list, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "english:", err)
		os.Exit(1)
	}
}

// count is the number of words and of phrases in some texts.
type count struct {
	words   int
	phrases map[string]int // by the name of the phrase
}

func (c *count) add(t text) {
	c.words += t.words()
	for _, f := range t.find() {
		if c.phrases == nil {
			c.phrases = map[string]int{}
		}
		c.phrases[f.name]++
	}
}

func (c *count) total() (n int) {
	for _, k := range c.phrases {
		n += k
	}
	return n
}

// rate is the number of phrases in 10,000 words.
func (c *count) rate() float64 {
	return float64(c.total()) * 1e4 / float64(max(c.words, 1))
}

func run(w io.Writer, roots []string, list bool, limit float64) error {
	var all count
	folders := map[string]*count{}
	for _, root := range roots {
		root = strings.TrimSuffix(filepath.ToSlash(root), "/...")
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != root && skipped(d.Name()):
				return filepath.SkipDir
			case d.IsDir():
				return nil
			}
			texts, err := read(path)
			if err != nil {
				return err
			}
			folder := filepath.Dir(path)
			if folders[folder] == nil {
				folders[folder] = &count{}
			}
			for _, t := range texts {
				folders[folder].add(t)
				all.add(t)
				if list {
					t.print(w, path)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if all.words == 0 {
		return fmt.Errorf("no comments below %s", strings.Join(roots, ", "))
	}
	printRates(w, folders, &all)
	if limit > 0 && all.rate() > limit {
		return fmt.Errorf("%.1f phrases in 10,000 words, at most %g are allowed; english -list prints them", all.rate(), limit)
	}
	return nil
}

// skipped reports whether a folder contains none of the module's own text.
func skipped(name string) bool {
	return name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".")
}

func printRates(w io.Writer, folders map[string]*count, all *count) {
	fmt.Fprintf(w, "%7s %8s %8s\n", "rate", "phrases", "words")
	byRate := slices.SortedFunc(maps.Keys(folders), func(a, b string) int {
		return cmp.Or(cmp.Compare(folders[b].rate(), folders[a].rate()), cmp.Compare(a, b))
	})
	for _, folder := range byRate {
		if c := folders[folder]; c.words > 0 {
			fmt.Fprintf(w, "%7.1f %8d %8d  %s\n", c.rate(), c.total(), c.words, folder)
		}
	}
	fmt.Fprintf(w, "%7.1f %8d %8d  all, in 10,000 words:", all.rate(), all.total(), all.words)
	for _, p := range phrases {
		fmt.Fprintf(w, " %s %.1f", p.name, float64(all.phrases[p.name])*1e4/float64(all.words))
	}
	fmt.Fprintln(w)
}
