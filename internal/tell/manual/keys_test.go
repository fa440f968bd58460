package manual

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// The lists of keys are kept by hand. Their keys are those of the structs, and each says what it means.
func TestKeys(t *testing.T) {
	for name, of := range map[string]reflect.Type{
		"analysis": reflect.TypeFor[analysis.Analysis](), "run": reflect.TypeFor[rundir.Info](),
	} {
		w := walk{seen: map[reflect.Type]bool{}}
		w.fields("", of)
		path := filepath.Join("keys", name+".txt")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		listed := regexp.MustCompile(`(?m): .+$`).ReplaceAllString(string(text), "") // without what they mean
		if diff := gocmp.Diff(strings.Split(listed, "\n"), strings.Split(w.list.String(), "\n")); diff != "" {
			t.Errorf("%s has other keys than the structs: write or delete their lines (-file +structs):\n%s", path, diff)
		}
	}
}

// walk lists the keys of a type and of what it holds, each type once.
type walk struct {
	list strings.Builder
	seen map[reflect.Type]bool
}

func (w *walk) fields(path string, of reflect.Type) {
	type inner struct {
		at string
		of reflect.Type
	}
	w.seen[of] = true
	var later []inner
	for field := range of.Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "-" || !field.IsExported() {
			continue
		}
		if key == "" && field.Anonymous {
			in := field.Type
			if in.Kind() == reflect.Pointer {
				in = in.Elem()
			}
			w.fields(path, in)
			continue
		}
		at, in := unwrap(cmp.Or(key, field.Name), field.Type)
		w.list.WriteString(at + "\n")
		if ours := strings.HasPrefix(in.PkgPath(), "github.com/hubbench/"); ours && in.Kind() == reflect.Struct && !w.seen[in] {
			w.seen[in] = true
			later = append(later, inner{strings.TrimPrefix(path+"."+at, "."), in})
		}
	}
	for _, in := range later {
		w.list.WriteString("\n## Keys of " + in.at + "\n\n")
		w.fields(in.at, in.of)
	}
}

// unwrap is what a list or a map is of, and the key with a mark for each.
func unwrap(key string, of reflect.Type) (string, reflect.Type) {
	switch of.Kind() {
	case reflect.Pointer:
		return unwrap(key, of.Elem())
	case reflect.Slice:
		return unwrap(key+"[]", of.Elem())
	case reflect.Interface: // a struct that depends on a code
		return key + ".*", of
	case reflect.Map:
		return unwrap(key+".*", of.Elem())
	default:
		return key, of
	}
}
