package docs_test

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	testCommand  = regexp.MustCompile("(?:cd ([\\w/]+) && )?(?:[A-Z_]+=\\S+ )*go test ([^`#\n]*)")
	chosenTests  = regexp.MustCompile(`-(run|bench)[ =]('[^']*'|\S+)`)
	packageNamed = regexp.MustCompile(`(?:^|\s)(\.(?:/[\w/]+)?)(?:\s|$)`)
	quotedTest   = regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z]\\w*)")
	testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w*)\(`)
)

// testsByFolder returns the names of the tests and benchmarks of the module and of the modules in it, by
// folder.
func testsByFolder(t *testing.T) map[string][]string {
	t.Helper()
	names := map[string][]string{}
	for file, text := range goFiles(t) {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range testFunction.FindAllStringSubmatch(text, -1) {
			names[path.Dir(file)] = append(names[path.Dir(file)], m[1])
		}
	}
	return names
}

// A command that chooses tests of a package chooses one at least: go test succeeds where it runs none.
func TestPages_CommandsRunTests(t *testing.T) {
	tests, found := testsByFolder(t), 0
	for page, text := range pages(t) {
		for _, command := range testCommand.FindAllStringSubmatch(text, -1) {
			folders := packageNamed.FindAllStringSubmatch(command[2], -1)
			for _, chosen := range chosenTests.FindAllStringSubmatch(command[2], -1) {
				pattern := strings.ReplaceAll(strings.Trim(chosen[2], "'"), `\|`, "|") // as a table escapes it
				pattern, _, _ = strings.Cut(pattern, "/")
				if pattern == "^$" {
					continue
				}
				for _, folder := range folders {
					found++
					if !slices.ContainsFunc(testsIn(tests, command[1], folder[1], page), regexp.MustCompile(pattern).MatchString) {
						t.Errorf("%s has a command that runs nothing: go test %s", page, command[2])
					}
				}
			}
		}
	}
	if found == 0 {
		t.Error("no commands were found")
	}
}

// testsIn returns the tests of a folder that a command names: from the folder that it changes to, from
// the root, or from a module that the page names in the words beside.
func testsIn(tests map[string][]string, from, folder, page string) []string {
	var names []string
	for _, base := range []string{from, "internal/e2e", "bench", filepath.Dir(page)} {
		names = append(names, tests[path.Join(base, folder)]...)
	}
	return names
}

// A page that names a test as its proof names one that there is; a name that ends in _ is the beginning of several.
func TestPages_TestsExist(t *testing.T) {
	var all []string
	for _, names := range testsByFolder(t) {
		all = append(all, names...)
	}
	for page, text := range pages(t) {
		if page == "CHANGELOG.md" {
			continue // it names removed tests
		}
		for _, m := range quotedTest.FindAllStringSubmatch(text, -1) {
			isIt := func(name string) bool {
				return name == m[1] || strings.HasSuffix(m[1], "_") && strings.HasPrefix(name, m[1])
			}
			if !slices.ContainsFunc(all, isIt) {
				t.Errorf("%s names %s, which there is not", page, m[1])
			}
		}
	}
}
