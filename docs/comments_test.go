package docs_test

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

const module = "github.com/shopapi/shopapi"

// A package comment or that of a declaration links by [Options.Identify],
// [store.AfterCommit] or [github.com/shopapi/shopapi/store.Store.View].
func TestComments_LinksHaveTargets(t *testing.T) {
	found, packages := exportedNames(t, true)
	for path, text := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "bench/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p := comment.Parser{
			LookupSym: func(string, string) bool { return true },
			LookupPackage: func(name string) (string, bool) {
				if packages[name] && !importsOther(file, name) {
					return module + "/" + name, true
				}
				return comment.DefaultLookupPackage(name)
			},
		}
		for _, group := range file.Comments {
			for _, name := range linkedNames(p.Parse(group.Text())) {
				if !strings.Contains(name, ".") {
					name = file.Name.Name + "." + name
				}
				if !found[name] && !found[file.Name.Name+"."+name] && !packages[name] {
					t.Errorf("%s links to [%s], which there is not", path, name)
				}
			}
		}
	}
}

// importsOther reports whether a package of another module has the name in a file.
func importsOther(file *ast.File, name string) bool {
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		local := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			local = spec.Name.Name
		}
		if local == name && !strings.HasPrefix(path, module) {
			return true
		}
	}
	return false
}

// linkedNames returns what the links of a comment name within the module, each with
// its package where the link has one.
func linkedNames(doc *comment.Doc) []string {
	var list []string
	for _, block := range doc.Content {
		switch b := block.(type) {
		case *comment.Paragraph:
			list = append(list, namesIn(b.Text)...)
		case *comment.Heading:
			list = append(list, namesIn(b.Text)...)
		case *comment.List:
			for _, item := range b.Items {
				list = append(list, linkedNames(&comment.Doc{Content: item.Content})...)
			}
		}
	}
	return list
}

func namesIn(text []comment.Text) []string {
	var list []string
	for _, t := range text {
		l, ok := t.(*comment.DocLink)
		if !ok || l.Name == "" || l.ImportPath != "" && !strings.HasPrefix(l.ImportPath, module) {
			continue
		}
		name := l.Name
		if l.Recv != "" {
			name = l.Recv + "." + name
		}
		if l.ImportPath != "" {
			name = l.ImportPath[strings.LastIndexByte(l.ImportPath, '/')+1:] + "." + name
		}
		list = append(list, name)
	}
	return list
}
