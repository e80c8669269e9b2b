package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
)

// swapped are the operators that a generated mutant has in place of another.
var swapped = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD,
}

// generate makes the mutants of a file: each condition negated, each comparison, logical
// operator, sum and difference replaced, each true and false swapped, and each call and
// assignment that is a statement of its own left out. A mutant is named after its function
// and the text that it changes, so that its name outlives changes of other lines.
func generate(file, text, test string) ([]mutant, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, 0)
	if err != nil {
		return nil, err
	}
	var list []mutant
	offset := func(pos token.Pos) int { return set.Position(pos).Offset }
	source := func(n ast.Node) string { return text[offset(n.Pos()):offset(n.End())] }
	function, named := "package", map[string]int{}
	add := func(what string, from, to token.Pos, replacement string) {
		m := mutant{file: file, test: test, at: offset(from), old: text[offset(from):offset(to)], new: replacement}
		m.name = function + ": " + what
		if named[m.name]++; named[m.name] > 1 {
			m.name = fmt.Sprintf("%s (%d)", m.name, named[m.name])
		}
		list = append(list, m)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			function = n.Name.Name
		case *ast.IfStmt:
			add(fmt.Sprintf("%q negated", source(n.Cond)), n.Cond.Pos(), n.Cond.End(), "!("+source(n.Cond)+")")
		case *ast.BinaryExpr:
			if op, ok := swapped[n.Op]; ok {
				add(fmt.Sprintf("%s in place of %s in %q", op, n.Op, source(n)), n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), op.String())
			}
		case *ast.Ident:
			if other, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
				add(other+" in place of "+n.Name, n.Pos(), n.End(), other)
			}
		case *ast.ExprStmt:
			add(fmt.Sprintf("without %q", source(n)), n.Pos(), n.End(), "")
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				add(fmt.Sprintf("without %q", source(n)), n.Pos(), n.End(), "")
			}
		}
		return true
	})
	return list, nil
}

// generateFile is generate for a file of the module.
func generateFile(root, file, test string) ([]mutant, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	return generate(file, string(text), test)
}
