package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// A package that uses a type compiles the generic types in the signatures of its methods. The
// types here have so many methods that a method of an exported type must not name them.
func TestMethodsDoNotNameTables(t *testing.T) {
	large := []string{"resource.Definition", "store.Reader", "store.Table"}
	functions := 0
	for path, text := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "bench/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			named := slices.ContainsFunc(selectors(f.Type), func(name string) bool { return slices.Contains(large, name) })
			switch {
			case !named:
			case f.Recv == nil:
				functions++
			case ast.IsExported(receiver(f.Recv.List[0].Type)):
				t.Errorf("%s: make the method %s a function: each package that uses its type compiles a whole table", path, f.Name.Name)
			}
		}
	}
	if functions < 20 {
		t.Errorf("%d functions name a table or a definition; each entity has one", functions)
	}
}

// selectors are the names of other packages in a signature, such as store.Table.
func selectors(signature *ast.FuncType) (names []string) {
	ast.Inspect(signature, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := s.X.(*ast.Ident); ok {
				names = append(names, pkg.Name+"."+s.Sel.Name)
			}
		}
		return true
	})
	return names
}
