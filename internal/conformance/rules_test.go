package conformance

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write SPECIFICATION.md anew")

// prefix begins the names of this package's tests of the published specification;
// the rest is the name of the rule.
const prefix = "TestInterface_"

// A rule of rules.txt. Rules of the published specification have names, rules of the
// decisions have numbers, such as 7.3.
type rule struct {
	part, section string
	name, text    string
	rows          []string // of a table; the test has a case for each
	tests         []string // in other packages, as categories.TestCategories_Filters
}

var ruleLine = regexp.MustCompile(`^([A-Z][A-Za-z0-9]*_[A-Za-z0-9]+|\d+\.\d+): (.+)$`)

// parseRules reads rules.txt: parts after #, sections after ##, rules as
// "name: text", and below a rule, indented, its rows and its tests elsewhere.
func parseRules(text string) ([]rule, error) {
	var rules []rule
	var part, section string
	for i, line := range strings.Split(text, "\n") {
		fail := func(problem string) error { return fmt.Errorf("rules.txt:%d: %s: %s", i+1, problem, line) }
		match := ruleLine.FindStringSubmatch(line)
		switch key, value, indented := strings.Cut(strings.TrimPrefix(line, "\t"), ": "); {
		case strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "## "):
			section = line[3:]
		case strings.HasPrefix(line, "# "):
			part, section = line[2:], ""
		case match != nil:
			if slices.ContainsFunc(rules, func(r rule) bool { return r.name == match[1] }) {
				return nil, fail("the rule is repeated")
			}
			rules = append(rules, rule{part: part, section: section, name: match[1], text: match[2]})
		case !strings.HasPrefix(line, "\t") || !indented || len(rules) == 0:
			return nil, fail("neither a rule nor something about one")
		case key == "rows":
			last := &rules[len(rules)-1]
			last.rows = append(last.rows, strings.Fields(value)...)
		case key == "tests":
			last := &rules[len(rules)-1]
			last.tests = append(last.tests, strings.Fields(value)...)
		default:
			return nil, fail("rows or tests are expected")
		}
	}
	return rules, nil
}

var readRules = sync.OnceValues(func() ([]rule, error) {
	text, err := os.ReadFile("rules.txt")
	if err != nil {
		return nil, err
	}
	return parseRules(string(text))
})

func allRules(t *testing.T) []rule {
	t.Helper()
	rules, err := readRules()
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// rows runs a case for each row of the rule that the test is named after. A row without
// a case, or a case without a row, fails.
func rows[T any](t *testing.T, cases map[string]T, test func(t *testing.T, name string, c T)) {
	t.Helper()
	for _, r := range allRules(t) {
		if prefix+r.name != t.Name() {
			continue
		}
		want := slices.Sorted(slices.Values(r.rows))
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(cases))); diff != "" {
			t.Errorf("the cases are not the rows of the rule (-rules.txt +cases):\n%s", diff)
		}
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			t.Run(name, func(t *testing.T) { test(t, name, cases[name]) })
		}
		return
	}
	t.Fatalf("%s is not named after a rule", t.Name())
}

// testNames returns the test functions of a folder of the module, or of this package.
func testNames(t *testing.T, dir string) map[string]bool {
	t.Helper()
	if dir == "conformance" {
		dir = "internal/conformance"
	}
	files, err := filepath.Glob(filepath.Join("..", "..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				names[fn.Name.Name] = true
			}
		}
	}
	return names
}

// TestRules: each rule has a test, and each test of a rule has its rule.
func TestRules(t *testing.T) {
	here := testNames(t, "conformance")
	elsewhere := map[string]map[string]bool{}
	ruled := map[string]bool{}
	for _, r := range allRules(t) {
		own := prefix + r.name
		ruled[own] = true
		if !here[own] && len(r.tests) == 0 {
			t.Errorf("%s has no test: %s", r.name, r.text)
		}
		if len(r.rows) > 0 && !here[own] {
			t.Errorf("%s has rows but no test %s", r.name, own)
		}
		for _, name := range r.tests {
			folder, test, ok := cutTest(name)
			if !ok {
				t.Errorf("%s: %s is not of the form folder.Test", r.name, name)
				continue
			}
			if elsewhere[folder] == nil {
				elsewhere[folder] = testNames(t, folder)
			}
			if !elsewhere[folder][test] {
				t.Errorf("%s names the test %s, which does not exist", r.name, name)
			}
			if folder == "conformance" {
				ruled[test] = true
			}
		}
	}
	for _, own := range []string{
		"TestRules", "TestSpecification", "TestParseRulesRefuses",
		"TestGrammar_RandomRequests", "TestGrammar_EachFieldAndValue", "TestGrammar_Notices", // about all rules
	} {
		ruled[own] = true
	}
	for name := range here {
		if !ruled[name] {
			t.Errorf("%s is the test of no rule in rules.txt", name)
		}
	}
}

// cutTest splits "discussions.TestX" into folder and test. The root package is
// called shopapi.
func cutTest(name string) (folder, test string, ok bool) {
	folder, test, ok = strings.Cut(name, ".")
	if folder == "shopapi" {
		folder = ""
	}
	return folder, test, ok && strings.HasPrefix(test, "Test")
}

// TestSpecification compares SPECIFICATION.md with the rules and tests.
func TestSpecification(t *testing.T) {
	want := specification(allRules(t), testNames(t, "conformance"))
	if *update {
		if err := os.WriteFile("SPECIFICATION.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("SPECIFICATION.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("SPECIFICATION.md is out of date; go test ./internal/conformance -update writes it (-want +got):\n%s", diff)
	}
}

// specification returns the document that lists the tests of each rule.
func specification(rules []rule, here map[string]bool) string {
	var b strings.Builder
	b.WriteString("# Rules and their tests\n\n" +
		"Generated from rules.txt and the tests by `go test ./internal/conformance -update`; a test fails when it is out of date.\n")
	var part, section string
	for _, r := range rules {
		if r.part != part {
			part, section = r.part, ""
			fmt.Fprintf(&b, "\n## %s\n", part)
		}
		if r.section != section {
			section = r.section
			fmt.Fprintf(&b, "\n### %s\n\n| Rule | Tests |\n|---|---|\n", section)
		}
		text := r.text
		if _, _, isDecision := strings.Cut(r.name, "."); isDecision {
			text = r.name + " " + text
		}
		if len(r.rows) > 0 {
			text += " Each of: " + strings.Join(r.rows, ", ") + "."
		}
		tests := r.tests
		if own := prefix + r.name; here[own] {
			tests = append([]string{own}, tests...)
		}
		fmt.Fprintf(&b, "| %s | `%s` |\n", strings.ReplaceAll(text, "|", `\|`), strings.Join(tests, "`, `"))
	}
	return b.String()
}

func TestParseRulesRefuses(t *testing.T) {
	for _, text := range []string{
		"Section_Rule without a colon",
		"\trows: a b",
		"1.1: one\n\tfields: a",
		"1.1: one\n1.1: one again",
	} {
		if rules, err := parseRules(text); err == nil {
			t.Errorf("%q was read as %v", text, rules)
		}
	}
}
