// Command mutation asks whether a package's tests would notice if its code were wrong: it makes one small error after
// another, a mutant each, and runs the package's own tests. make mutants starts it:
//
//	go run ./testdata/mutation [-seed N] [-n 150] [-within 2s] ./pkg/stats
//
// An error is an operator, a condition or a number changed, or a statement left out. It is compiled
// in place of the file, by an overlay: nothing in the tree is touched. The quickest tests run first; -within
// leaves out those that take longer. A mutant is killed by the first test that fails or takes ten times as long
// as usual and 10 s more.
//
// A survivor is a missing test, unneeded code, or an error that is none: those are listed with the reason in
// equivalent.txt and counted apart, like a change that compiles to the same instructions.
//
// The usual tool, gremlins (0.6), has no option for a sample drawn by a seed or for a list of equivalents, and changes
// operators only, neither numbers nor statements.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

func run() error {
	seed := flag.Uint64("seed", 0, "random seed for drawing mutants; 0 is a new one each time")
	n := flag.Int("n", 0, "number of mutants to draw; 0 takes all")
	within := flag.Duration("within", 0, "leave out tests that take longer; 0 takes all")
	flag.Parse()
	*seed = cmp.Or(*seed, rand.Uint64N(1e9)+1)
	if _, err := os.Stat("go.mod"); err != nil || flag.NArg() == 0 {
		return errors.New("name packages, such as ./pkg/stats, in the module's folder")
	}
	dir, err := os.MkdirTemp("", "hubbench-mutation-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	known, err := readEquivalents("testdata/mutation/equivalent.txt")
	if err != nil {
		return err
	}
	for _, pkg := range flag.Args() {
		s := &suite{pkg: filepath.ToSlash(filepath.Clean(pkg)), dir: dir, known: known}
		if err := s.try(*seed, *n, *within); err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
	}
	return nil
}

// suite is the tests of a package.
type suite struct {
	pkg, dir string
	known    map[string]bool   // the equivalents, by their keys
	code     [sha256.Size]byte // what the package compiles to
	tests    []test            // the quickest first
}

type test struct {
	name string
	took time.Duration
}

// What becomes of a mutant.
const (
	killed     = "killed"
	timedOut   = "timedout" // killed by time
	survived   = "survived"
	equivalent = "equivalent"
	invalid    = "invalid" // does not compile
)

// try makes mutants of the package, n of those that compile, and prints what became of them.
func (s *suite) try(seed uint64, n int, within time.Duration) error {
	mutants, err := mutantsOf(s.pkg)
	if err != nil {
		return err
	}
	if err := s.measure(within); err != nil {
		return err
	}
	var total time.Duration
	for _, t := range s.tests {
		total += t.took
	}
	fmt.Printf("%s: %d tests, of %s; %d possible mutants, seed %d\n", s.pkg, len(s.tests), total, len(mutants), seed)
	n = cmp.Or(n, len(mutants))
	rnd := rand.New(rand.NewPCG(seed, 0))
	rnd.Shuffle(len(mutants), func(i, k int) { mutants[i], mutants[k] = mutants[k], mutants[i] })
	got := map[string]int{}
	for i := 0; i < len(mutants) && i-got[invalid] < n; i++ {
		m := mutants[i]
		outcome, by, err := s.outcome(m)
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		got[outcome]++
		if outcome != invalid {
			fmt.Println(strings.TrimSpace(fmt.Sprintf("%-10s %s %s", outcome, m, by)))
		}
	}
	dead, lived, same := got[killed]+got[timedOut], got[survived], got[equivalent]
	share := func(of int) float64 { return 100 * float64(dead) / float64(max(1, of)) }
	fmt.Printf("%s: %d mutants: %d killed, %d of them by time; %d survived, %d equivalent: "+
		"%.1f %% of all, %.1f %% without the equivalent (%d more do not compile)\n",
		s.pkg, dead+lived+same, dead, got[timedOut], lived, same, share(dead+lived+same), share(dead+lived), got[invalid])
	return nil
}

// measure finds the tests and how long each takes.
func (s *suite) measure(within time.Duration) error {
	binary := filepath.Join(s.dir, "plain")
	code, err := s.build(binary)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, code)
	}
	s.code = sha256.Sum256(code)
	out, err := s.command(binary, "-test.v").CombinedOutput()
	if err != nil {
		return fmt.Errorf("the tests fail without any mutant: %w\n%s", err, out)
	}
	for _, m := range regexp.MustCompile(`(?m)^--- PASS: (\S+) \((\S+)\)$`).FindAllSubmatch(out, -1) {
		took, err := time.ParseDuration(string(m[2]))
		if err != nil {
			return err
		}
		if within == 0 || took <= within {
			s.tests = append(s.tests, test{string(m[1]), took})
		}
	}
	slices.SortStableFunc(s.tests, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	return nil
}

// build compiles the tests and returns the instructions of the package, or what is wrong with its code.
func (s *suite) build(to string, flags ...string) ([]byte, error) {
	args := append([]string{"test", "-c", "-vet=off", "-gcflags=-l -S", "-ldflags=-s -w", "-o", to}, flags...)
	return exec.Command("go", append(args, "./"+s.pkg)...).CombinedOutput()
}

// command runs a test binary where go test would. Where the shell can, its memory is bounded, for mutants that never
// stop appending.
func (s *suite) command(binary string, args ...string) *exec.Cmd {
	cmd := exec.Command("sh", append([]string{"-c", `ulimit -v 6000000 2>/dev/null; exec "$0" "$@"`, binary}, args...)...)
	cmd.Dir = s.pkg
	return cmd
}

// outcome tries a mutant, and names the test that killed it.
func (s *suite) outcome(m mutant) (outcome, by string, err error) {
	if s.known[m.key()] {
		return equivalent, "", nil
	}
	original, err := filepath.Abs(m.file)
	if err != nil {
		return "", "", err
	}
	file, list := filepath.Join(s.dir, "mutant.go"), filepath.Join(s.dir, "overlay.json")
	overlay := fmt.Appendf(nil, `{"Replace": {%q: %q}}`, original, file)
	if err := errors.Join(os.WriteFile(file, m.written, 0o600), os.WriteFile(list, overlay, 0o600)); err != nil {
		return "", "", err
	}
	binary := filepath.Join(s.dir, "mutant")
	code, err := s.build(binary, "-overlay="+list)
	switch {
	case err != nil && bytes.Contains(code, []byte(file+":")):
		return invalid, "", nil
	case err != nil:
		return "", "", fmt.Errorf("compile the tests: %w\n%s", err, code)
	case sha256.Sum256(bytes.ReplaceAll(code, []byte(file), []byte(original))) == s.code:
		return equivalent, "(the same instructions)", nil
	}
	for rest := s.tests; len(rest) > 0; { // a second's worth at once: to start a program for each would take longer
		names, usual := []string{rest[0].name}, rest[0].took
		for rest = rest[1:]; len(rest) > 0 && usual+rest[0].took < time.Second; rest = rest[1:] {
			names, usual = append(names, rest[0].name), usual+rest[0].took
		}
		out, err := s.command(binary, "-test.failfast", "-test.run=^("+strings.Join(names, "|")+")$",
			"-test.timeout="+(10*time.Second+10*usual).String()).CombinedOutput()
		switch failed := regexp.MustCompile(`(?m)^--- FAIL: \S+`).Find(out); {
		case err == nil:
		case bytes.Contains(out, []byte("panic: test timed out")):
			return timedOut, "", nil
		default:
			return killed, strings.TrimPrefix(string(failed), "--- FAIL: "), nil
		}
	}
	return survived, "", nil
}

// readEquivalents reads the mutants that are no errors, in paragraphs: the file, the line and the change, each
// on a line of its own, which are the mutant's key, then the reason.
func readEquivalents(name string) (map[string]bool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for i, paragraph := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		if strings.HasPrefix(lines[0], "#") {
			continue
		}
		if len(lines) < 4 || strings.Count(lines[2], " -> ") != 1 {
			return nil, fmt.Errorf("%s: paragraph %d: give the file, the line, the change and the reason", name, i+1)
		}
		known[strings.Join(lines[:3], "\n")] = true
	}
	return known, nil
}

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
