package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/resource"
)

// go doc lists no methods of an embedded interface, so a comment of the field names them.
func TestComments_NameEmbeddedMethods(t *testing.T) {
	methods := map[string]reflect.Type{
		"Objects": reflect.TypeFor[resource.Objects[int]](),
		"Lists":   reflect.TypeFor[resource.Lists[int, int]](),
		"Hooks":   reflect.TypeFor[resource.Hooks[int]](),
	}
	found := map[string]int{}
	for path, text := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for name, field := range embeddedInterfaces(file) {
			found[name]++
			var want []string
			for m := range methods[name].Methods() {
				want = append(want, m.Name)
			}
			got := strings.Split(strings.TrimSpace(field.Comment.Text()), ", ")
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: the comment of resource.%s names %q, want %q", path, name, got, want)
			}
		}
	}
	if found["Objects"] < 15 || found["Lists"] < 10 || found["Hooks"] == 0 {
		t.Errorf("the embedded interfaces found are %v", found)
	}
}

// embeddedInterfaces iterates over the interfaces of package resource that exported structs of a
// file embed.
func embeddedInterfaces(file *ast.File) iter.Seq2[string, *ast.Field] {
	return func(yield func(string, *ast.Field) bool) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() {
				return true
			}
			structure, ok := spec.Type.(*ast.StructType)
			if !ok {
				return false
			}
			for _, field := range structure.Fields.List {
				of := field.Type
				switch generic := of.(type) {
				case *ast.IndexExpr:
					of = generic.X
				case *ast.IndexListExpr:
					of = generic.X
				}
				selector, ok := of.(*ast.SelectorExpr)
				if !ok || len(field.Names) > 0 || !slices.Contains([]string{"Objects", "Lists", "Hooks"}, selector.Sel.Name) {
					continue
				}
				if pkg, ok := selector.X.(*ast.Ident); ok && pkg.Name == "resource" && !yield(selector.Sel.Name, field) {
					return false
				}
			}
			return false
		})
	}
}
