package pkg

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

const module = "github.com/hubbench/hubbench/"

// source is what a package of pkg declares and says of itself.
type source struct {
	name   string
	doc    string
	stable []string           // the names that are; nil if all are
	none   bool               // nothing is
	uses   map[string][]named // by exported name, what a program meets that uses it
}

// named is an exported name of a package of pkg.
type named struct{ pkg, name string }

// sources reads every package of pkg, by name.
func sources(t *testing.T) map[string]*source {
	all := map[string]*source{}
	files, err := filepath.Glob("*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		check.Must(t, err)
		dir := filepath.Dir(file)
		if all[dir] == nil {
			all[dir] = &source{name: dir, uses: map[string][]named{}}
		}
		if parsed.Doc != nil {
			all[dir].doc += parsed.Doc.Text()
		}
		all[dir].read(parsed)
	}
	promise := regexp.MustCompile(`(?m)^Stability: (?:v1 only adds to (?:it|(.+); any version may change the rest)|(any) version may change it)\.$`)
	for name, s := range all {
		m := promise.FindStringSubmatch(s.doc)
		if m == nil {
			t.Errorf("package %s: its comment has no line like those of trace, level and fit that says what is stable", name)
			s.none = true
			continue
		}
		s.none = m[2] != ""
		if m[1] != "" {
			s.stable = regexp.MustCompile(`, | and `).Split(m[1], -1)
		}
	}
	return all
}

// read adds a file's exported names.
func (s *source) read(f *ast.File) {
	imports := map[string]string{}
	for _, i := range f.Imports {
		if p := strings.Trim(i.Path.Value, `"`); strings.HasPrefix(p, module+"pkg/") {
			name := path.Base(p)
			if i.Name != nil {
				name = i.Name.Name
			}
			imports[name] = path.Base(p)
		}
	}
	add := func(of string, node ast.Node) {
		s.uses[of] = append(s.uses[of], named{})
		if node == nil {
			return
		}
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && imports[x.Name] != "" {
					s.uses[of] = append(s.uses[of], named{imports[x.Name], n.Sel.Name})
				}
				return false
			case *ast.Ident:
				if n.IsExported() {
					s.uses[of] = append(s.uses[of], named{s.name, n.Name})
				}
			}
			return true
		})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !d.Name.IsExported() {
				continue
			}
			of := d.Name.Name
			if d.Recv != nil {
				r := d.Recv.List[0].Type
				if star, ok := r.(*ast.StarExpr); ok {
					r = star.X
				}
				if index, ok := r.(*ast.IndexExpr); ok {
					r = index.X
				}
				of = r.(*ast.Ident).Name
			}
			add(of, d.Type)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name.Name, met(spec.Type))
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if spec.Type != nil {
							add(name.Name, spec.Type)
						} else {
							add(name.Name, nil)
						}
					}
				}
			}
		}
	}
}

// met is a type without the fields that are not exported.
func met(e ast.Expr) ast.Node {
	s, ok := e.(*ast.StructType)
	if !ok {
		return e
	}
	list := &ast.FieldList{}
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
			list.List = append(list.List, &ast.Field{Type: f.Type})
		}
	}
	return list
}

func (s *source) promises(name string) bool {
	return !s.none && (s.stable == nil || slices.Contains(s.stable, name))
}

// Each package says what of it is stable, and whoever uses what is stable meets nothing that is not.
func TestStability(t *testing.T) {
	all := sources(t)
	var todo []named
	for _, s := range all {
		for _, name := range s.stable {
			if s.uses[name] == nil {
				t.Errorf("package %s: %s is said to be stable and does not exist", s.name, name)
			}
		}
		for name := range s.uses {
			if ast.IsExported(name) && s.promises(name) {
				todo = append(todo, named{s.name, name})
			}
		}
	}
	told := map[named]bool{}
	for _, from := range todo {
		for _, to := range all[from.pkg].uses[from.name] {
			if to.pkg == "" || told[to] || all[to.pkg].uses[to.name] == nil || all[to.pkg].promises(to.name) {
				continue
			}
			told[to] = true
			t.Errorf("%s.%s is stable and has %s.%s, which is not", from.pkg, from.name, to.pkg, to.name)
		}
	}
}

// The page lists every package, under what it says of itself.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("doc.go")
	check.Must(t, err)
	var got []string
	for _, list := range regexp.MustCompile(`(?m)^// (Stable|Stable in part|Not stable)(?:, .+)?: (.+)\.$`).FindAllStringSubmatch(string(page), -1) {
		for name := range strings.SplitSeq(list[2], ", ") {
			got = append(got, name+": "+list[1])
		}
	}
	var want []string
	for name, s := range sources(t) {
		under := "Stable"
		switch {
		case s.none:
			under = "Not stable"
		case s.stable != nil:
			under = "Stable in part"
		}
		want = append(want, name+": "+under)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("doc.go lists\n%s\nand the packages say\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Who reads traces does not link what reads YAML.
func TestLinks(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", `{{.ImportPath}}`, "./foreign", "./hardware",
		"./latency", "./level", "./overlap", "./quantile", "./size", "./stats", "./stream", "./trace", "./trend", "./unit", "./work").Output()
	check.Must(t, err)
	list := strings.Fields(string(out))
	if !slices.Contains(list, module+"pkg/trace") {
		t.Fatalf("go list says %q", out)
	}
	for _, p := range list {
		if strings.Contains(p, "yaml") || strings.Contains(p, "go.uber.org") || strings.Contains(p, "/internal/") && strings.HasPrefix(p, module) {
			t.Errorf("links %s", p)
		}
	}
}

// No field has the name of its type, and no function that of its package: who reads p.Phase.Phase learns nothing.
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
				if n.Recv == nil && n.Name.IsExported() && strings.Contains(strings.ToLower(n.Name.Name), parsed.Name.Name) {
					t.Errorf("%s: %s.%s", file, parsed.Name.Name, n.Name.Name)
				}
			}
			return true
		})
	}
}
