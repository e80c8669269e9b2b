package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Programs that use a package can name the type of each exported field of its exported
// structs, and so set the field.
func TestExportedFieldsHaveTypesThatCanBeNamed(t *testing.T) {
	packages := map[string][]*ast.File{}
	for path, text := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "bench/") || strings.Contains(path, "internal/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if file.Name.Name != "main" {
			packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], file)
		}
	}
	for path, files := range packages {
		own := map[string]bool{} // types that only the package can name
		eachType(files, func(s *ast.TypeSpec) { own[s.Name.Name] = !s.Name.IsExported() })
		eachType(files, func(s *ast.TypeSpec) {
			structure, ok := s.Type.(*ast.StructType)
			if !ok || !s.Name.IsExported() {
				return
			}
			for _, field := range structure.Fields.List {
				for _, name := range field.Names {
					if kind := unnamable(field.Type, own); name.IsExported() && kind != "" {
						t.Errorf("%s: the type %s of %s.%s is not exported", path, kind, s.Name.Name, name.Name)
					}
				}
			}
		})
	}
}

func eachType(files []*ast.File, fn func(*ast.TypeSpec)) {
	for _, file := range files {
		for _, declaration := range file.Decls {
			if d, ok := declaration.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, spec := range d.Specs {
					fn(spec.(*ast.TypeSpec))
				}
			}
		}
	}
}

// unnamable is the first of the types of own that a type is made of, "" for none.
func unnamable(kind ast.Expr, own map[string]bool) (name string) {
	ast.Inspect(kind, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // of another package
			return false
		case *ast.Field: // of a func or struct: its names are not types
			if inner := unnamable(n.Type, own); inner != "" && name == "" {
				name = inner
			}
			return false
		case *ast.Ident:
			if own[n.Name] && name == "" {
				name = n.Name
			}
		}
		return true
	})
	return name
}
