package console

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// bundle joins the modules of the pages into few files, since each request takes a round
// trip: the module main with all that it imports, and a file for each module that it
// imports when it is needed, with the modules that the first file lacks. Modules below vendor/ stay
// files of their own.
//
// It knows the forms of import and export that the pages use, each at the beginning of a
// line, and refuses others.
func bundle(main string, source func(name string) (string, error)) (files map[string]string, err error) {
	first := &script{source: source, vendored: map[string]bool{}}
	if err := first.add(main); err != nil {
		return nil, err
	}
	files = map[string]string{main: first.imports() + first.text.String() + "export { " + strings.Join(variables(first.names), ", ") + " };\n"}
	for _, name := range first.later {
		s := &script{source: source, vendored: map[string]bool{}, main: first}
		if err := s.add(name); err != nil {
			return nil, err
		}
		if len(s.later) > 0 {
			return nil, fmt.Errorf("console: %s imports %s when it is needed, and is itself imported so", name, s.later[0])
		}
		names := strings.Join(s.exported, ", ")
		files[name] = s.imports() + fmt.Sprintf("import { %s } from \"./%s\";\n", strings.Join(variables(first.names), ", "), main) +
			s.text.String() + fmt.Sprintf("const { %s } = %s;\nexport { %[1]s };\n", names, variable(name))
	}
	return files, nil
}

// A script is a file of several modules. Each is a function that returns its exports, in
// an order in which it follows its imports.
type script struct {
	source   func(name string) (string, error)
	main     *script // the file that is loaded before, nil for the first one
	text     strings.Builder
	names    []string        // the modules that it has
	pending  []string        // the modules that are being added
	exported []string        // the exports of the module that was added last
	vendored map[string]bool // the modules of vendor/ that it imports
	later    []string        // the modules that it imports when they are needed
}

var (
	importForm  = regexp.MustCompile(`(?m)^(import|export) (?:\{\s*([^}]*?),?\s*\} from )?"(\.[^"]*)";\n`)
	exportForm  = regexp.MustCompile(`(?m)^export ((?:async )?function|const|class) (\w+)`)
	laterForm   = regexp.MustCompile(`\bimport\("\./([\w/]+\.js)"\)`)
	unknownForm = regexp.MustCompile(`(?m)^(?:import|export)\b.*|^.*\bawait import\("\..*`)
	unneeded    = regexp.MustCompile(`(?m)^[ \t]*//.*\n|^[ \t]+|^\n`)
)

// add adds a module, after its imports.
func (s *script) add(name string) error {
	if slices.Contains(s.names, name) || s.main != nil && slices.Contains(s.main.names, name) {
		return nil
	}
	if slices.Contains(s.pending, name) {
		return fmt.Errorf("console: %s imports itself: %s", name, strings.Join(s.pending, ", "))
	}
	text, err := s.source(name)
	if err != nil {
		return err
	}
	s.pending = append(s.pending, name)
	var exports []string
	for _, m := range importForm.FindAllStringSubmatch(text, -1) {
		from := path.Join(path.Dir(name), m[3])
		if strings.HasPrefix(from, "vendor/") {
			s.vendored[from] = true
		} else if err := s.add(from); err != nil {
			return err
		}
		if m[1] == "export" {
			exports = append(exports, listed(m[2])...)
		}
	}
	text = importForm.ReplaceAllStringFunc(text, func(form string) string {
		m := importForm.FindStringSubmatch(form)
		if m[2] == "" {
			return ""
		}
		return fmt.Sprintf("const { %s } = %s;\n", strings.ReplaceAll(m[2], " as ", ": "), variable(path.Join(path.Dir(name), m[3])))
	})
	for _, m := range exportForm.FindAllStringSubmatch(text, -1) {
		exports = append(exports, m[2])
	}
	text = exportForm.ReplaceAllString(text, "$1 $2")
	for _, m := range laterForm.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[1], "vendor/") && !slices.Contains(s.later, m[1]) {
			s.later = append(s.later, m[1])
		}
	}
	if form := unknownForm.FindString(laterForm.ReplaceAllString(text, "")); form != "" {
		return fmt.Errorf("console: %s has %q: pages import and export names, at the beginning of a line", name, form)
	}
	fmt.Fprintf(&s.text, "const %s = (() => {\n%sreturn { %s };\n})();\n", variable(name), unneeded.ReplaceAllString(text, ""), strings.Join(exports, ", "))
	s.names = append(s.names, name)
	s.pending = s.pending[:len(s.pending)-1]
	s.exported = exports
	return nil
}

// imports returns the imports of the modules of vendor/.
func (s *script) imports() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.vendored)) {
		fmt.Fprintf(&b, "import * as %s from \"./%s\";\n", variable(name), name)
	}
	return b.String()
}

// listed returns the names in the braces of an import or export.
func listed(names string) []string {
	return strings.FieldsFunc(names, func(c rune) bool { return c == ',' || c == ' ' || c == '\n' })
}

// variable is the variable that holds the exports of a module.
func variable(name string) string {
	return "$" + strings.NewReplacer("/", "_", "-", "_", ".", "_").Replace(strings.TrimSuffix(name, ".js"))
}

func variables(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = variable(name)
	}
	return list
}
