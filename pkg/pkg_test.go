package pkg

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

const module = "github.com/hubbench/hubbench/"

// Who reads traces does not link what reads YAML.
func TestLinks(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", `{{.ImportPath}}`, "./change",
		"./foreign", "./hardware", "./latency", "./ledger", "./overlap", "./quantile", "./size", "./stats", "./stream",
		"./trace", "./unit", "./work").Output()
	check.Must(t, err)
	list := strings.Fields(string(out))
	if !slices.Contains(list, module+"pkg/trace") {
		t.Fatalf("go list says %q", out)
	}
	for _, p := range list {
		if strings.Contains(p, "yaml") || strings.Contains(p, "go.uber.org") ||
			strings.Contains(p, "/internal/") && strings.HasPrefix(p, module) {
			t.Errorf("links %s", p)
		}
	}
}

// No field has the name of its type, and no function that of its package: who reads p.Phase.Phase
// learns nothing.
func TestStutter(t *testing.T) {
	files, err := filepath.Glob("*/*.go")
	check.Must(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		check.Must(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				s, ok := n.Type.(*ast.StructType)
				if !ok {
					return true
				}
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						if name.Name == n.Name.Name {
							t.Errorf("%s: %s.%s", file, name.Name, name.Name)
						}
					}
				}
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.IsExported() &&
					strings.Contains(strings.ToLower(n.Name.Name), parsed.Name.Name) {
					t.Errorf("%s: %s.%s", file, parsed.Name.Name, n.Name.Name)
				}
			}
			return true
		})
	}
}
