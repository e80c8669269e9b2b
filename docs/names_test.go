package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// names are the exported names of all packages: "store.AfterCommit", and of fields
// and methods "Options.Identify" and "shopapi.Options.Identify".
type names map[string]bool

func exportedNames(t *testing.T, internal bool) (found names, packages map[string]bool) {
	t.Helper()
	found, packages = names{}, map[string]bool{}
	for path, text := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "bench/") || !internal && strings.Contains(path, "internal/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		packages[file.Name.Name] = true
		found.addFile(file)
	}
	return found, packages
}

func (n names) addFile(file *ast.File) {
	pkg := file.Name.Name
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				n[pkg+"."+d.Name.Name] = true
			} else {
				n.addMember(pkg, receiver(d.Recv.List[0].Type), d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				n.addSpec(pkg, spec)
			}
		}
	}
}

func (n names) addMember(pkg, typeName, member string) {
	n[typeName+"."+member] = true
	n[pkg+"."+typeName+"."+member] = true
}

func (n names) addSpec(pkg string, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			n[pkg+"."+name.Name] = true
		}
	case *ast.TypeSpec:
		n[pkg+"."+s.Name.Name] = true
		var fields *ast.FieldList
		switch t := s.Type.(type) {
		case *ast.StructType:
			fields = t.Fields
		case *ast.InterfaceType:
			fields = t.Methods
		default:
			return
		}
		for _, field := range fields.List {
			for _, name := range field.Names {
				n.addMember(pkg, s.Name.Name, name.Name)
			}
		}
	}
}

// receiver is the name of the type of a method.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// A page says Options.Identify, store.AfterCommit or sqlite.Store.DB in backquotes.
var qualified = regexp.MustCompile("`[&*]?(([a-z]+)\\.)?([A-Z]\\w*)(\\.[A-Z]\\w*)?(\\(.*?\\))?`")

func TestPages_NamesExist(t *testing.T) {
	found, packages := exportedNames(t, false)
	for path, text := range pages(t) {
		if path == "CHANGELOG.md" {
			continue // it names removed declarations
		}
		for _, m := range qualified.FindAllStringSubmatch(text, -1) {
			pkg, name := m[2], m[3]+m[4]
			if pkg == "" && m[4] == "" || pkg != "" && !packages[pkg] {
				continue // one word, or a name of another module
			}
			if pkg != "" {
				name = pkg + "." + name
			}
			if !found[name] {
				t.Errorf("%s names %s, which no package has", path, name)
			}
		}
	}
}
