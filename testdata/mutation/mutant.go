package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// mutant is a small error in a file.
type mutant struct {
	file          string
	line, col     int
	source        string // the whole line
	before, after string // what is changed, with what stands around it
	written       []byte // the file with the error in it
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d:%d: %s -> %s", m.file, m.line, m.col, m.before, m.after)
}

// key finds a mutant again wherever its line stands.
func (m mutant) key() string {
	return fmt.Sprintf("%s\n%s\n%s -> %s", m.file, m.source, m.before, m.after)
}

// mutantsOf are all of a package's, of the files that are compiled here.
func mutantsOf(dir string) (all []mutant, err error) {
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	for _, name := range pkg.GoFiles {
		code, err := os.ReadFile(path.Join(dir, name))
		if err != nil {
			return nil, err
		}
		list, err := mutantsIn(path.Join(dir, name), string(code))
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// maker finds the places of a file.
type maker struct {
	file string
	code string
	set  *token.FileSet
	made []mutant
}

// mutantsIn are those of a file, in its order.
func mutantsIn(file, code string) ([]mutant, error) {
	m := &maker{file: file, code: code, set: token.NewFileSet()}
	tree, err := parser.ParseFile(m.set, file, code, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.PreorderStack(tree, nil, func(n ast.Node, within []ast.Node) bool {
		m.visit(n, within)
		return true
	})
	slices.SortStableFunc(m.made, func(a, b mutant) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col))
	})
	return m.made, nil
}

// instead lists what an operator, or a called function by its name, is changed to.
func instead(what string) []string {
	return strings.Fields(map[string]string{
		"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<": "<= >=", "<=": "< >", ">": ">= <=", ">=": "> <",
		"==": "!=", "!=": "==", "&&": "||", "||": "&&", "&": "|", "|": "&", "<<": ">>", ">>": "<<",
		"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "++": "--", "--": "++",
		"break": "continue", "continue": "break",
		"min": "max", "max": "min", "Min": "Max", "Max": "Min", "Floor": "Ceil", "Ceil": "Floor",
	}[what])
}

// visit makes the mutants of a node, which lies within others, the outermost first.
func (m *maker) visit(n ast.Node, within []ast.Node) {
	change := func(at token.Pos, what string) {
		for _, other := range instead(what) {
			m.replace(n, at, at+token.Pos(len(what)), other)
		}
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		change(n.OpPos, n.Op.String())
	case *ast.AssignStmt:
		change(n.TokPos, n.Tok.String())
	case *ast.IncDecStmt:
		change(n.TokPos, n.Tok.String())
	case *ast.BranchStmt:
		change(n.TokPos, n.Tok.String())
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			m.replace(n, n.OpPos, n.OpPos+1, "")
		}
	case *ast.BasicLit:
		// It is shown in what it stands in, for people to see what it is for.
		var shown ast.Node = n
		if outer, ok := within[len(within)-1].(ast.Expr); ok && len(m.of(outer)) < 60 {
			shown = outer
		}
		if text := another(n); text != "" {
			m.replace(shown, n.Pos(), n.End(), text)
		}
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok {
			change(name.Pos(), name.Name)
		} else if in, ok := n.Fun.(*ast.SelectorExpr); ok {
			change(in.Sel.Pos(), in.Sel.Name)
		}
	case *ast.IfStmt:
		// The opposite of a comparison is among its operator's changes.
		if b, ok := n.Cond.(*ast.BinaryExpr); !ok || b.Op == token.LAND || b.Op == token.LOR {
			m.replace(n.Cond, n.Cond.Pos(), n.Cond.End(), "!("+m.of(n.Cond)+")")
		}
	case *ast.BlockStmt:
		m.without(n.List)
	case *ast.CaseClause:
		m.without(n.Body)
	case *ast.CommClause:
		m.without(n.Body)
	}
}

// another is one more for a whole number, and twice as much for a fraction.
func another(n *ast.BasicLit) string {
	text := strings.ReplaceAll(n.Value, "_", "")
	switch n.Kind {
	case token.INT:
		if v, err := strconv.ParseInt(text, 0, 64); err == nil {
			return strconv.FormatInt(v+1, 10)
		}
	case token.FLOAT:
		if v, err := strconv.ParseFloat(text, 64); err == nil && v != 0 {
			return strconv.FormatFloat(2*v, 'e', -1, 64)
		}
		return "1.0"
	}
	return ""
}

// without leaves out each statement that can be.
func (m *maker) without(list []ast.Stmt) {
	for _, n := range list {
		can := false
		switch n := n.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
			can = true
		case *ast.AssignStmt:
			can = n.Tok != token.DEFINE
		case *ast.IfStmt:
			can = n.Else == nil
		case *ast.ReturnStmt:
			can = n.Results == nil
		}
		if can { // the lines stay where they are
			m.replace(n, n.Pos(), n.End(), "{"+strings.Repeat("\n", strings.Count(m.of(n), "\n"))+"}")
		}
	}
}

func (m *maker) of(n ast.Node) string {
	return m.code[m.set.Position(n.Pos()).Offset:m.set.Position(n.End()).Offset]
}

// replace adds a mutant, to be shown by what becomes of shown.
func (m *maker) replace(shown ast.Node, from, to token.Pos, text string) {
	at, end, outer := m.set.Position(from), m.set.Position(to), m.set.Position(shown.Pos()).Offset
	before := m.of(shown)
	after := before[:at.Offset-outer] + text + before[end.Offset-outer:]
	if first, _, more := strings.Cut(before, "\n"); more && from == shown.Pos() && to == shown.End() {
		before = first + " ..."
	}
	oneLine := func(code string) string { return strings.Join(strings.Fields(code), " ") }
	source, _, _ := strings.Cut(m.code[at.Offset-at.Column+1:], "\n")
	m.made = append(m.made, mutant{
		file: m.file, line: at.Line, col: at.Column, source: strings.TrimSpace(source),
		before: oneLine(before), after: oneLine(after),
		written: []byte(m.code[:at.Offset] + text + m.code[end.Offset:]),
	})
}
