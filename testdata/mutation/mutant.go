package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutant is a small error: the bytes of a file from one offset to another are replaced.
type mutant struct {
	file      string
	line, col int
	from, to  int
	text      string
	before    string // what is changed, with what stands around it
	after     string
	source    string // the whole line
	outside   bool   // of functions
	run       [2]int // line and column that show whether a test runs it
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d:%d: %s -> %s", m.file, m.line, m.col, m.before, m.after)
}

// written is the file with the error in it.
func (m mutant) written() ([]byte, error) {
	code, err := os.ReadFile(m.file)
	if err != nil {
		return nil, err
	}
	return slices.Concat(code[:m.from], []byte(m.text), code[m.to:]), nil
}

// mutantsOf are all of a package's, of the files that are compiled here.
func mutantsOf(dir string) ([]mutant, error) {
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, name := range pkg.GoFiles {
		file := filepath.ToSlash(filepath.Join(dir, name))
		code, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		list, err := mutantsIn(file, code)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// maker finds the places of a file.
type maker struct {
	file  string
	code  []byte
	set   *token.FileSet
	stack []ast.Node // what the node lies in, outermost first
	made  []mutant
}

func mutantsIn(file string, code []byte) ([]mutant, error) {
	m := &maker{file: file, code: code, set: token.NewFileSet()}
	tree, err := parser.ParseFile(m.set, file, code, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			m.stack = m.stack[:len(m.stack)-1]
			return true
		}
		m.visit(n)
		m.stack = append(m.stack, n)
		return true
	})
	slices.SortStableFunc(m.made, func(a, b mutant) int { return cmp.Compare(a.from, b.from) })
	return m.made, nil
}

// instead maps each operator to what it is changed to.
func instead(op token.Token) []token.Token {
	return map[token.Token][]token.Token{
		token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
		token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
		token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
		token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
		token.AND: {token.OR}, token.OR: {token.AND}, token.SHL: {token.SHR}, token.SHR: {token.SHL},
		token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
		token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
		token.INC: {token.DEC}, token.DEC: {token.INC},
		token.BREAK: {token.CONTINUE}, token.CONTINUE: {token.BREAK},
	}[op]
}

// names maps a called function to the ones it is replaced by.
func names() map[string]string {
	return map[string]string{"min": "max", "max": "min", "Min": "Max", "Max": "Min", "Floor": "Ceil", "Ceil": "Floor"}
}

func (m *maker) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		m.operator(n, n.OpPos, n.Op)
	case *ast.AssignStmt:
		m.operator(n, n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		m.operator(n, n.TokPos, n.Tok)
	case *ast.BranchStmt:
		m.operator(n, n.TokPos, n.Tok)
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			m.replace(n, n.OpPos, n.OpPos+1, "")
		}
	case *ast.BasicLit:
		if text := another(n); text != "" {
			m.replace(m.around(n), n.Pos(), n.End(), text)
		}
	case *ast.CallExpr:
		name, _ := n.Fun.(*ast.Ident)
		if in, ok := n.Fun.(*ast.SelectorExpr); ok {
			name = in.Sel
		}
		if name != nil && names()[name.Name] != "" {
			m.replace(n, name.Pos(), name.End(), names()[name.Name])
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

func (m *maker) operator(n ast.Node, at token.Pos, op token.Token) {
	for _, other := range instead(op) {
		m.replace(n, at, at+token.Pos(len(op.String())), other.String())
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
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			if v == 0 {
				return "1.0"
			}
			return strconv.FormatFloat(2*v, 'e', -1, 64)
		}
	}
	return ""
}

// around is the expression that a number stands in, for people to see what it is for.
func (m *maker) around(n ast.Expr) ast.Node {
	if outer, ok := m.stack[len(m.stack)-1].(ast.Expr); ok && len(m.of(outer)) < 60 {
		return outer
	}
	return n
}

// without leaves out each statement that can be.
func (m *maker) without(list []ast.Stmt) {
	for _, n := range list {
		switch n := n.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				continue
			}
		case *ast.IfStmt:
			if n.Else != nil {
				continue
			}
		case *ast.ReturnStmt:
			if n.Results != nil {
				continue
			}
		default:
			continue
		}
		// The lines stay where they are.
		m.replace(n, n.Pos(), n.End(), "{"+strings.Repeat("\n", strings.Count(m.of(n), "\n"))+"}")
	}
}

func (m *maker) of(n ast.Node) string {
	return string(m.code[m.set.Position(n.Pos()).Offset:m.set.Position(n.End()).Offset])
}

// replace adds a mutant, to be shown by what becomes of shown.
func (m *maker) replace(shown ast.Node, from, to token.Pos, text string) {
	at, end := m.set.Position(from), m.set.Position(to)
	outer := m.set.Position(shown.Pos()).Offset
	before := m.of(shown)
	after := before[:at.Offset-outer] + text + before[end.Offset-outer:]
	if first, _, more := strings.Cut(before, "\n"); more && from == shown.Pos() && to == shown.End() {
		before = first + " ..."
	}
	start := at.Offset - at.Column + 1
	source, _, _ := strings.Cut(string(m.code[start:]), "\n")
	m.made = append(m.made, mutant{
		file: m.file, line: at.Line, col: at.Column, from: at.Offset, to: end.Offset, text: text,
		before: oneLine(before), after: oneLine(after), source: strings.TrimSpace(source),
		run: m.runWith(shown), outside: !slices.ContainsFunc(m.stack, func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok }),
	})
}

// runWith is where the statement begins that the node belongs to: coverage knows no more of what a case asks, and of what
// follows a function within it.
func (m *maker) runWith(n ast.Node) [2]int {
	at := n.Pos()
	if _, ok := n.(ast.Stmt); !ok {
		for i, outer := range slices.Backward(m.stack) {
			if listed(outer) && i > 0 && holds(m.stack[i-1]) {
				at = outer.Pos()
				break
			}
		}
	}
	place := m.set.Position(at)
	return [2]int{place.Line, place.Column}
}

// listed reports whether a node is a statement of its own.
func listed(n ast.Node) bool {
	_, ok := n.(ast.Stmt)
	return ok && !holds(n)
}

// holds reports whether a node is a list of statements.
func holds(n ast.Node) bool {
	switch n.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// oneLine is code with its breaks and indents as single spaces.
func oneLine(code string) string { return strings.Join(strings.Fields(code), " ") }
