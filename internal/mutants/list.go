package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A mutant is one mistake in one file.
type mutant struct {
	name  string // the mistake
	file  string // slash-separated, from the root of the module
	test  string // arguments of go test
	old   string // the text to replace, which the file has exactly once
	new   string
	equal string // why no test can notice it, "" where one must
	at    int    // the offset of old; -1 where apply looks for it

	list string // the name of the list

	// Of generated mutants.
	pkg    string
	number int    // in the file, from 1
	edits  []edit // that put the mistake behind a switch
}

// apply returns the file's text with the mistake.
func (m *mutant) apply(text string) (string, error) {
	at := m.at
	if at < 0 {
		at = strings.Index(text, m.old)
		if n := strings.Count(text, m.old); n != 1 {
			return "", fmt.Errorf("%q: the text to replace is %d times in %s, want once", m.name, n, m.file)
		}
	}
	return text[:at] + m.new + text[at+len(m.old):], nil
}

// readLists reads the lists of the module, or the one with the name.
func readLists(root, name string) ([]mutant, error) {
	folder := filepath.Join(root, "internal", "mutants", "lists")
	pattern := "*.txt"
	if name != "" {
		pattern = name + ".txt"
	}
	paths, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("there is no list %s in %s", pattern, folder)
	}
	var all []mutant
	for _, path := range paths {
		mutants, err := readList(root, path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for i := range mutants {
			mutants[i].list = strings.TrimSuffix(filepath.Base(path), ".txt")
		}
		all = append(all, mutants...)
	}
	return all, nil
}

// readList reads a list. A line "file PATH" and a line "test ARGUMENTS" count for the
// mutants after them. A mutant is
//
//	== what is wrong
//	- a line to replace
//	+ a line in its place
//
// with any number of lines of both kinds. A line "auto" adds the generated mutants of the
// file, and "auto NAME NAME" those of some functions. A line "equal NAME; REASON" declares that a mutant of the list, by its name, behaves
// as the file does. Other lines that are not empty begin with "#".
func readList(root, path string) ([]mutant, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var (
		list       []mutant
		file, test string
		in         *mutant
		equal      = map[string]string{}
	)
	for n, line := range strings.Split(string(text), "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || kind == "#":
		case kind == "file":
			file = rest
		case kind == "test":
			test = rest
		case kind == "auto":
			generated, err := generateFile(root, file, test)
			if err != nil {
				return nil, err
			}
			chosen, err := ofFunctions(generated, strings.Fields(rest))
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			list = append(list, chosen...)
		case kind == "equal":
			name, reason, _ := strings.Cut(rest, "; ")
			equal[name] = reason
		case kind == "==":
			list = append(list, mutant{name: rest, file: file, test: test, at: -1})
			in = &list[len(list)-1]
		case kind == "-" && in != nil:
			in.old = join(in.old, rest)
		case kind == "+" && in != nil:
			in.new = join(in.new, rest)
		default:
			return nil, fmt.Errorf("line %d: %q is not a line of a list", n+1, line)
		}
	}
	return list, finish(list, equal)
}

// ofFunctions returns the mutants in the functions, or all without names.
func ofFunctions(list []mutant, names []string) ([]mutant, error) {
	if len(names) == 0 {
		return list, nil
	}
	var chosen []mutant
	for _, name := range names {
		n := len(chosen)
		for _, m := range list {
			if strings.HasPrefix(m.name, name+": ") {
				chosen = append(chosen, m)
			}
		}
		if len(chosen) == n {
			return nil, fmt.Errorf("no mutants in a function %q", name)
		}
	}
	return chosen, nil
}

// finish notes which mutants are equal in behaviour, and finds mistakes in a list.
func finish(list []mutant, equal map[string]string) error {
	found := map[string]bool{}
	for i := range list {
		m := &list[i]
		if m.old == "" || m.file == "" || m.test == "" {
			return fmt.Errorf("the mutant %q needs a file, a test and text to replace", m.name)
		}
		m.equal, found[m.name] = equal[m.name], true
	}
	for name, reason := range equal {
		if !found[name] || reason == "" {
			return fmt.Errorf("the list has no mutant %q that is equal in behaviour, or no reason for it", name)
		}
	}
	return nil
}

func join(text, line string) string {
	if text == "" {
		return line
	}
	return text + "\n" + line
}
