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

// A generator makes the mutants of a file.
type generator struct {
	set        *token.FileSet
	file, test string
	text       string
	pkg        string
	function   string // that contains the syntax
	named      map[string]int
	list       []mutant
}

// generate makes the mutants of a file: each condition negated, each comparison, logical
// operator, sum and difference replaced, each true and false swapped, and each call and
// assignment that is a statement of its own left out. A mutant is named after its function
// and the text that it changes, so that its name outlives changes of other lines.
func generate(file, text, test string) ([]mutant, error) {
	g := &generator{set: token.NewFileSet(), file: file, test: test, text: text, function: "package", named: map[string]int{}}
	parsed, err := parser.ParseFile(g.set, file, text, 0)
	if err != nil {
		return nil, err
	}
	g.pkg = parsed.Name.Name
	ast.Inspect(parsed, func(n ast.Node) bool {
		g.add(n)
		return true
	})
	return g.list, nil
}

// add makes the mutants of one piece of syntax.
func (g *generator) add(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		g.function = n.Name.Name
	case *ast.IfStmt:
		if b, ok := n.Cond.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
			return // the replaced comparison is the same mutant
		}
		cond := g.source(n.Cond)
		g.replace(n.Cond, fmt.Sprintf("%q negated", cond), "!("+cond+")", "mutantOn(%d) != bool(", ")")
	case *ast.BinaryExpr:
		if op, ok := swapped[n.Op]; ok && !(n.Op == token.ADD && hasText(n)) {
			g.operator(n, op)
		}
	case *ast.Ident:
		if other, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
			g.replace(n, other+" in place of "+n.Name, other, "(mutantOn(%d) != ", ")")
		}
	case *ast.ExprStmt:
		g.replace(n, fmt.Sprintf("without %q", g.source(n)), "", "if !mutantOn(%d) { ", " }")
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			g.replace(n, fmt.Sprintf("without %q", g.source(n)), "", "if !mutantOn(%d) { ", " }")
		}
	}
}

// operator makes the mutant with another operator.
func (g *generator) operator(n *ast.BinaryExpr, other token.Token) {
	from, at, to := g.offset(n.Pos()), g.offset(n.OpPos), g.offset(n.End())
	after := at + len(n.Op.String())
	function := map[token.Token]string{
		token.LAND: "mutantAnd", token.LOR: "mutantOr", token.ADD: "mutantSum", token.SUB: "mutantDifference",
		token.LSS: "mutantLess", token.LEQ: "mutantAtMost", token.GTR: "!mutantAtMost", token.GEQ: "!mutantLess",
	}[n.Op]
	edits := around(from, to, function+"(%d, ", ")")
	switch n.Op {
	case token.EQL, token.NEQ:
		edits = around(from, to, "(mutantOn(%d) != (", "))")
	case token.LAND, token.LOR:
		edits = append(around(from, to, function+"(%d, ", ") })"), edit{from: at, to: after, text: ", func() bool { return ("})
	default:
		edits = append(edits, edit{from: at, to: after, text: ","})
	}
	g.append(mutant{at: at, old: n.Op.String(), new: other.String(), edits: edits},
		fmt.Sprintf("%s in place of %s in %q", other, n.Op, g.source(n)))
}

// replace makes the mutant in which a text is in place of syntax. Before and after put the
// syntax behind a switch.
func (g *generator) replace(n ast.Node, what, replacement, before, after string) {
	from, to := g.offset(n.Pos()), g.offset(n.End())
	g.append(mutant{at: from, old: g.source(n), new: replacement, edits: around(from, to, before, after)}, what)
}

func (g *generator) append(m mutant, what string) {
	m.file, m.test, m.pkg = g.file, g.test, g.pkg
	m.name = g.function + ": " + what
	if g.named[m.name]++; g.named[m.name] > 1 {
		m.name = fmt.Sprintf("%s (%d)", m.name, g.named[m.name])
	}
	m.number = len(g.list) + 1
	g.list = append(g.list, m)
}

func (g *generator) offset(pos token.Pos) int { return g.set.Position(pos).Offset }

func (g *generator) source(n ast.Node) string { return g.text[g.offset(n.Pos()):g.offset(n.End())] }

// hasText reports whether an operand of a sum is a text, which has no difference.
func hasText(n ast.Expr) bool {
	switch n := n.(type) {
	case *ast.BasicLit:
		return n.Kind == token.STRING
	case *ast.BinaryExpr:
		return hasText(n.X) || hasText(n.Y)
	case *ast.ParenExpr:
		return hasText(n.X)
	}
	return false
}

// generateFile is generate for a file of the module.
func generateFile(root, file, test string) ([]mutant, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	return generate(file, string(text), test)
}
