package manual

import (
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trend"
)

var update = flag.Bool("update", false,
	"write new keys into keys, with ? for what a person must say of them, and delete old ones")

// contract is a format whose keys are listed in the file keys/NAME.txt. What another one has listed
// is not listed again.
type contract struct {
	name string
	of   reflect.Type
}

func contracts() []contract {
	return []contract{
		{"events", reflect.TypeFor[trace.Event]()},
		{"analysis", reflect.TypeFor[analysis.Analysis]()},
		{"run", reflect.TypeFor[rundir.Info]()},
		{"compare", reflect.TypeFor[compare.Comparison]()},
		{"check", reflect.TypeFor[[]report.Checked]()},
		{"trend", reflect.TypeFor[[]trend.HostSeries]()},
		{"devices", reflect.TypeFor[hardware.Inventory]()},
		{"doctor", reflect.TypeFor[trace.Checkup]()},
	}
}

// The lists of keys are those of the structs: names, types and units by what the code has, and by
// hand since when each is there and what it means.
func TestKeys(t *testing.T) {
	w := walk{seen: map[reflect.Type]string{}}
	for _, c := range contracts() {
		path := filepath.Join("keys", c.name+".txt")
		text, _ := os.ReadFile(path)
		w.name, w.section, w.list, w.known = c.name, "", strings.Builder{}, known(string(text))
		w.fields("", c.of)
		if c.name == "analysis" {
			w.values()
		}
		want := w.list.String()
		if *update {
			must(t, 0, os.WriteFile(path, []byte(want), 0o600))
		} else if diff := gocmp.Diff(strings.Split(string(text), "\n"),
			strings.Split(want, "\n")); diff != "" {
			t.Errorf("%s is not what the code has; go test ./internal/tell/manual -run TestKeys -update writes it (-file +code):\n%s", path, diff)
		}
		for l := range strings.SplitSeq(want, "\n") {
			if part := keyLine.FindStringSubmatch(l); part != nil &&
				(!since.MatchString(part[4]) || part[3] == "?" || part[5] == "?") {
				t.Errorf("%s: say since which version (1.x) the key is there, its unit, and what it means: %s", path, l)
			}
		}
	}
	if analysis.Version != 1 || trace.FormatVersion != 1 || compare.Version != 1 {
		t.Error("a format has another version than 1, which is that of all keys here")
	}
}

// since is the version that a key is there from: 1, or 1.1 if it was added later.
var since = regexp.MustCompile(`^1(\.[1-9]\d*)?$`)

// Of columns, the list says only since when each is there: the rest is in their tags.
func TestColumns(t *testing.T) {
	path := filepath.Join("keys", "columns.txt")
	text, _ := os.ReadFile(path)
	var want strings.Builder
	for _, g := range table.Grains() {
		for _, c := range g.Columns() {
			name := g.Name + " " + c.Name + " v"
			from := "?"
			for l := range strings.Lines(string(text)) {
				if after, ok := strings.CutPrefix(l, name); ok {
					from = strings.TrimSpace(after)
				}
			}
			if n, err := strconv.Atoi(from); err != nil || n < 1 || n > table.Version {
				t.Errorf("%s: say since which version (1 to table.Version) there is %s %s", path,
					g.Name, c.Name)
			}
			want.WriteString(name + from + "\n")
		}
	}
	if !strings.Contains(want.String(), " v"+strconv.Itoa(table.Version)+"\n") {
		t.Errorf("no column is since version %d of the tables, which is the present one",
			table.Version)
	}
	if *update {
		must(t, 0, os.WriteFile(path, []byte(want.String()), 0o600))
	} else if diff := gocmp.Diff(string(text), want.String()); diff != "" {
		t.Errorf("%s is not what the code has; -update writes it (-file +code):\n%s", path, diff)
	}
	if text := page(t, "columns"); strings.Contains(text, "bytes/s]") ||
		strings.Count(text, "v1") < 50 {
		t.Error("a column lacks its version")
	}
}

// known are the lines of a list, by their section and key.
func known(text string) map[string][]string {
	lines, section := map[string][]string{}, ""
	for l := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(l, "## ") {
			section = l
		} else if part := keyLine.FindStringSubmatch(l); part != nil {
			lines[section+" "+strings.TrimSuffix(part[1], "?")] = part
		}
	}
	return lines
}

// walk lists the keys of a type and of what it holds, each type once.
type walk struct {
	name, section string
	list          strings.Builder
	seen          map[reflect.Type]string
	known         map[string][]string
}

func (w *walk) fields(path string, of reflect.Type) {
	type inner struct {
		at string
		of reflect.Type
	}
	if of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	w.seen[of] = w.name + "/" + path
	var later []inner
	for _, field := range keysOf(of) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		at, in := unwrap(name, field.Type)
		kind, unit := typeOf(in), ""
		if ours := strings.HasPrefix(in.PkgPath(), "github.com/hubbench/"); ours &&
			in.Kind() == reflect.Struct {
			place := strings.TrimPrefix(path+"."+at, ".")
			if before, ok := w.seen[in]; ok {
				kind = "object=" + strings.TrimPrefix(before, w.name+"/")
			} else {
				w.seen[in] = w.name + "/" + place
				later = append(later, inner{place, in})
			}
		}
		absent := strings.Contains(options, "omit")
		if absent {
			name = "?"
		} else if name = ""; field.Type.Kind() == reflect.Pointer {
			kind += "|null"
		}
		was := w.known[w.section+" "+at]
		if was == nil {
			was = []string{"", "", "", "", sinceNew, meaningOf(field)}
		}
		if in.Kind() != reflect.Bool && strings.HasPrefix(typeOf(in), "number") ||
			typeOf(in) == "integer" {
			// Names that leave no choice.
			if unit = unitOf(at); !slices.Contains([]string{"ns", "s", "B", "°C"}, unit) {
				unit = cmp.Or(was[3], unit, "?")
			}
			unit += " "
		}
		w.list.WriteString(at + name + " " + kind + " " + unit + "v" + was[4] + ": " + was[5] +
			"\n")
	}
	for _, in := range later {
		w.section = "## Keys of " + in.at
		w.list.WriteString("\n" + w.section + "\n\n")
		w.fields(in.at, in.of)
	}
}

// values lists the numbers of findings and warnings, which depend on their codes.
func (w *walk) values() {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "pkg", "analysis", "values.go"))
	if err != nil {
		panic(err)
	}
	for _, of := range regexp.MustCompile(`(?s)// \w+ are those of ([^.]+)\.\n\t\w+ struct \{\n(.*?)\n\t\}`).FindAllStringSubmatch(string(text), -1) {
		var fields []reflect.StructField
		for _, field := range regexp.MustCompile("(\\w+) +(\\*?)float64 +`(.*)`").FindAllStringSubmatch(of[2], -1) {
			kind := reflect.TypeFor[float64]()
			if field[2] != "" {
				kind = reflect.PointerTo(kind)
			}
			fields = append(fields, reflect.StructField{Name: field[1], Type: kind,
				Tag: reflect.StructTag(field[3])})
		}
		w.section = "## Values of " + of[1]
		w.list.WriteString("\n" + w.section + "\n\n")
		w.fields("values", reflect.StructOf(fields))
	}
}

// keysOf are the fields that stand in JSON, each under its key.
func keysOf(of reflect.Type) (list []reflect.StructField) {
	if of == reflect.TypeFor[trace.Event]() {
		return eventKeys()
	}
	for field := range of.Fields() {
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "-" || !field.IsExported() {
			continue
		}
		if in := field.Type; key == "" && field.Anonymous {
			if in.Kind() == reflect.Pointer {
				in = in.Elem()
			}
			list = append(list, keysOf(in)...)
			continue
		}
		field.Tag = reflect.StructTag(`json:"` + cmp.Or(key, field.Name) + "," + options +
			`" ` + string(field.Tag))
		list = append(list, field)
	}
	return list
}

// sinceNew is the version of new keys: 1 until the first release, then the next 1.x.
const sinceNew = "1"

// meaningOf is what a new key means if it is one of a workload: the work of a disk has its fields.
func meaningOf(field reflect.StructField) string {
	if key, ok := reflect.TypeFor[scenario.IO]().FieldByName(field.Name); ok {
		if doc := key.Tag.Get("doc"); doc != "" {
			return doc + "."
		}
	}
	return "?"
}

// eventKeys are the keys of lines: an event is written by tables of the code instead of by tags.
func eventKeys() (list []reflect.StructField) {
	codec, err := os.ReadFile(filepath.Join("..", "..", "..", "pkg", "trace", "codec.go"))
	if err != nil {
		panic(err)
	}
	lines, fields, _ := strings.Cut(string(codec), "var fields = ")
	fields, _, _ = strings.Cut(fields, "\n}")
	for i, match := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(fields, -1) {
		field := reflect.TypeFor[trace.Event]().Field(i)
		options := "omitempty" // in every type of line that has it
		if i == 0 || regexp.MustCompile(`"`+match[1]+`"[,}]`).MatchString(lines) {
			options = ""
		}
		field.Tag = reflect.StructTag(`json:"` + match[1] + "," + options + `"`)
		list = append(list, field)
	}
	return list
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

// typeOf is the type that a value has in JSON.
func typeOf(of reflect.Type) string {
	switch kind := of.Kind(); {
	case of == reflect.TypeFor[time.Time]():
		return "string"
	case of.Implements(reflect.TypeFor[json.Marshaler]()):
		panic(of.String() + " has a form of its own")
	case kind == reflect.Array:
		return typeOf(of.Elem()) + "," + typeOf(of.Elem())
	case kind == reflect.Bool:
		return "boolean"
	case kind == reflect.String:
		return "string"
	case slices.Contains([]reflect.Kind{reflect.Float32, reflect.Float64}, kind):
		return "number"
	case kind == reflect.Struct:
		return "object"
	case kind == reflect.Interface:
		return "any"
	default:
		return "integer"
	}
}

// unitOf is what a key's name says of its unit; nothing if it does not.
func unitOf(key string) string {
	key = regexp.MustCompile(`(\[\]|\.\*)+$`).ReplaceAllString(key, "")
	key = regexp.MustCompile(`_(ci95|ci|error|low|high)$`).ReplaceAllString(strings.Replace(key, "_ci95_ns", "_ns", 1), "")
	for _, u := range []struct{ name, unit string }{
		{`ns`, "ns"}, {`s`, "s"}, {`[rt]x_bps|max_bps|from_bps|to_bps`, "bit/s"}, {`c`, "°C"}, {`bytes|block|footprint`, "B"}, {`rate|rates|pace`, "B/s"}, {`percent`, "%"},
		{`share|retention|kept|cv|jain|times|reads`, "ratio"},
		{`version|requests|files|seq|streams|due|late|longest_run|n|events|cpus|lanes|port|step|steps|depth|working|runs|count|clean|strained|drops`, "count"},
	} {
		if regexp.MustCompile(`(^|_)(` + u.name + `)$`).MatchString(key) {
			return u.unit
		}
	}
	return ""
}
