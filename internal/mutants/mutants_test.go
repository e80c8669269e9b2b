package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The lists match the code: a mutant whose text no longer exists would test nothing.
func TestLists_FitTheCode(t *testing.T) {
	root := filepath.Join("..", "..")
	mutants, err := readLists(root, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.file)))
		if err != nil {
			t.Fatal(err)
		}
		changed, err := m.apply(string(text))
		if err != nil {
			t.Error(err)
		} else if changed == string(text) {
			t.Errorf("%s: %s changes nothing", m.file, m.name)
		}
	}
}

func TestGenerate(t *testing.T) {
	const text = `package p

func less(a, b int) bool {
	if a < b && a > 0 {
		print(a)
		return true
	}
	a = b
	return a+b == 0
}
`
	list, err := generate("p.go", text, "./p")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		changed, err := m.apply(text)
		if err != nil {
			t.Fatal(err)
		}
		before, after := strings.Split(text, "\n"), strings.Split(changed, "\n")
		for i := range after {
			if after[i] != before[i] {
				got = append(got, strings.TrimSpace(after[i]))
			}
		}
	}
	slices.Sort(got)
	want := []string{
		"", "", "if !(a < b && a > 0) {", "if a < b && a >= 0 {", "if a < b || a > 0 {", "if a <= b && a > 0 {",
		"return a+b != 0", "return a-b == 0", "return false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadList_RefusesUnknownLines(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown line":               "mutant x\n",
		"a mutant without a file":       "test ./p\n== x\n- a\n+ b\n",
		"a mutant without text":         "file p.go\ntest ./p\n== x\n+ b\n",
		"an unknown equal one":          "file p.go\ntest ./p\n== x\n- a\n+ b\nequal y; it is\n",
		"an equal one without a reason": "file p.go\ntest ./p\n== x\n- a\n+ b\nequal x\n",
	} {
		path := filepath.Join(t.TempDir(), "list.txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readList(".", path); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// A mutant that the tests kill, a survivor, and a mutant that does not compile.
func TestTry(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.com/p\n\ngo 1.26\n",
		"p.go":      "package p\n\nfunc One() int { return 1 }\n\nfunc Two() int { return 2 }\n",
		"p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fail()\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		old, new string
		want     verdict
	}{
		{"return 1", "return 3", killed},
		{"return 2", "return 3", survived},
		{"return 2", "return none", invalid},
	} {
		m := mutant{name: c.new, file: "p.go", test: ".", old: c.old, new: c.new, at: -1}
		if got, err := try(t.Context(), root, m, 0); err != nil || got != c.want {
			t.Errorf("%s in place of %s: %s, %v, want %s", c.new, c.old, got, err, c.want)
		}
	}
}
