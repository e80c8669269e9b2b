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
		"an unknown function":           "file p.go\ntest ./p\nauto none\n",
		"an unknown equal one":          "file p.go\ntest ./p\n== x\n- a\n+ b\nequal y; it is\n",
		"an equal one without a reason": "file p.go\ntest ./p\n== x\n- a\n+ b\nequal x\n",
	} {
		root := t.TempDir()
		path := filepath.Join(root, "list.txt")
		for at, content := range map[string]string{path: text, filepath.Join(root, "p.go"): "package p\n\nfunc some() bool { return true }\n"} {
			if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := readList(root, path); err == nil {
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

// Mutants that are compiled at once behave as those that are compiled alone: the tests notice
// the ones of Checked, and none of Unchecked.
func TestTryAll(t *testing.T) {
	const functions = `package p

type flag bool

var calls int

func note() { calls++ }

func NAME(a, b int, texts ...string) (n int) {
	if a == b && a > 0 ||
		a < -b {
		note()
		n = a + b - 1
	}
	var even flag = a%2 == 0
	if even {
		n += len(texts)
	}
	if c := a - b; c >= 2 && c <= 3 {
		return -n
	}
	return n
}
`
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module example.com/p\n\ngo 1.26\n",
		"checked.go":   strings.ReplaceAll(functions, "NAME", "Checked"),
		"unchecked.go": strings.NewReplacer("NAME", "Unchecked", "flag", "flag2", "calls", "calls2", "note", "note2").Replace(functions),
		"p_test.go": `package p

import "testing"

func TestChecked(t *testing.T) {
	for _, c := range [][4]int{
		{1, 1, 1, 1}, {2, 2, 4, 1}, {0, 0, 1, 0}, {-1, -1, -3, 1}, {-1, 1, 0, 0}, {-3, 2, -2, 1}, {3, 2, 0, 0}, {4, 1, -1, 0},
		{4, 2, -1, 0}, {5, 2, 0, 0}, {6, 2, 1, 0}, {3, 1, 0, 0}, {3, 3, 5, 1}, {2, -4, -2, 1}, {-4, -6, 10, 1}, {-2, -4, 6, 1},
	} {
		calls = 0
		if n := Checked(c[0], c[1], "text"); n != c[2] || calls != c[3] {
			t.Errorf("%v: %d, %d", c, n, calls)
		}
	}
	_ = Unchecked(1, 2)
}
`,
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var all []mutant
	for _, list := range []string{"checked", "unchecked"} {
		mutants, err := generateFile(root, list+".go", "./.")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mutants {
			m.list = list
			all = append(all, m)
		}
	}
	var out strings.Builder
	r := &report{out: &out, lists: map[string]*count{}}
	tryAll(t.Context(), r, root, all, 2, 0)
	err := r.end()
	for _, list := range []string{"checked", "unchecked"} {
		if c := r.lists[list]; c == nil || c.invalid > 0 || c.killed+c.survived != len(all)/2 || (c.survived > 0) == (list == "checked") || (c.killed > 0) != (list == "checked") {
			t.Errorf("%s: %v of %d mutants", list, c, len(all)/2)
		}
	}
	if err == nil {
		t.Error("survivors are no error")
	}
	if t.Failed() {
		t.Logf("%v\n%s", err, out.String())
	}
}
