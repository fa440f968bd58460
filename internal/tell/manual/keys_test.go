package manual

import (
	"cmp"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
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

var update = flag.Bool("update", false, "write the lists of keys afresh")

const module = "github.com/hubbench/hubbench/"

// The keys of analysis.json and run.json are those of the structs. What stands beside them are the structs'
// comments, as they were when -update was last given.
func TestKeys(t *testing.T) {
	for name, of := range map[string]reflect.Type{"analysis": reflect.TypeFor[analysis.Analysis](), "run": reflect.TypeFor[rundir.Info]()} {
		w := walk{comments: map[string]map[string]string{}, seen: map[reflect.Type]string{}}
		w.fields(t, "", of)
		path := filepath.Join("keys", name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(w.list.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(terms(string(got)), terms(w.list.String())); diff != "" {
			t.Errorf("%s has other keys than the structs; go test ./internal/tell/manual -update writes it (-file +structs):\n%s", path, diff)
		}
	}
}

// terms are the headings and the keys of a list.
func terms(list string) []string {
	return strings.Split(regexp.MustCompile(`(?m): .*$`).ReplaceAllString(list, ""), "\n")
}

// walk lists the keys of a type and of what it holds, each type once.
type walk struct {
	list     strings.Builder
	comments map[string]map[string]string // by package, and by type and field
	seen     map[reflect.Type]string      // where a type was listed
}

// usual is what keys mean that no comment explains, wherever they stand.
var usual = map[string]string{
	"rate": "bytes per second", "bytes": "bytes moved", "start_s": "when it began", "end_s": "when it ended", "duration_s": "how long it lasted",
	"at_s": "when it happened", "from_rate": "the rate before", "to_rate": "the rate after", "read_rate": "of reads", "write_rate": "of writes",
	"ci95": "95 % confidence interval of rate: low, high", "disk": "the disk's name", "disks": "names of disks", "op": "read or write", "phase": "the phase's name",
	"due": "frames that were due", "late": "late frames", "late_share": "late frames over those due", "text": "the same in words", "code": "see hubbench help report",
	"kind": "see Changes", "cause": "see Changes", "bytes_low": "bounds of bytes, if they are not known exactly", "bytes_high": "the upper bound of bytes",
	"values": "the numbers that text has", "version": "of the format", "started": "when it began, RFC 3339", "status": "complete or partial", "name": "its name",
	"files": "how many files", "mean": "of the rates of single files", "median": "of the same", "trimmed20": "of the same, without a fifth at each end",
	"cv": "their coefficient of variation", "p05": "their 5th percentile", "p95": "their 95th percentile", "active": "the disks that are active",
	"roles": "what each disk does: read or write", "steps": "their number", "n": "how many there are", "step_s": "the length of a step",
	"step": "alone, burst or together", "ended_s": "when the one disk ended", "began_s": "when the other began", "fio_read_rate": "the same, of reads",
	"fio_write_rate": "the same, of writes", "reference_rate": "the rate without the others", "retention_ci95": "95 % confidence interval of retention",
	"steals[].from": "the disk that lost", "steals[].by": "the disk that took it", "without_rate": "what it moved", "added": "the disks that it lacks",
	"alone_rate": "what its disks reach one by one", "segment": "which link of the path", "frame_s": "from one frame to the next",
	"buffer_s": "how much is held ahead", "buffer_ns": "how much is held ahead", "longest_stall_s": "the longest time without a frame", "lowest_buffer_s": "the lowest buffer",
	"streams": "how many streams", "strained": "how many were strained", "drops": "how many had late frames", "late_while": "the other disks at work whenever frames were late",
	"late_only_while": "of these, those without which no frame was late", "footprint": "most bytes of test files at a time", "list": "the sizes", "min": "the smallest size",
	"max": "the largest size", "ols_rate": "by least squares", "ols_latency_s": "the fixed time for each file, by least squares", "theilsen_rate": "by Theil and Sen",
	"theilsen_latency_s": "the fixed time for each file, by Theil and Sen", "bimodal": "the files fall into two groups", "pause_s": "the length of the pause",
	"at_bytes": "bytes moved when it happened", "start_c": "degrees Celsius at the start", "window_s": "the length of a window", "size_knee.at_bytes": "the size",
	"below_rate": "of smaller files", "above_rate": "of larger files", "up_to_bytes": "the largest size", "median_s": "the median", "requests": "how many requests",
	"p50_ns": "the median", "p99_ns": "99 of 100 requests took no longer", "p999_ns": "999 of 1,000 took no longer", "max_ns": "the longest request",
	"p99_ci95_ns": "95 % confidence interval of p99_ns", "p999_ci95_ns": "95 % confidence interval of p999_ns", "to_ns": "what it was beside the others",
	"times_ci95": "95 % confidence interval of times", "write_bytes": "bytes that the run wrote", "counted_read_bytes": "what the device counted as read",
	"counted_write_bytes": "what the device counted as written", "from_s": "its beginning", "to_s": "its end", "first_c": "the first reading, in degrees Celsius",
	"median_c": "the median reading", "max_c": "the highest reading", "last_c": "the last reading", "from_bps": "bits per second before", "to_bps": "bits per second after",
	"total": "of all disks together", "value": "streams, or bytes per second", "alone": "without the other disks", "rest_s": "the rest before it", "gain": "the new rate over the old one",
	"phases": "the phases that show it", "kept_ci95": "95 % confidence interval of what it kept", "gain_error": "half the 95 % confidence interval of gain",
	"repeated": "whether phases were repeated", "run_id": "names the test folders", "allow_system_disk": "tests on the system's disk were allowed", "os": "the operating system",
	"arch": "the processor's architecture", "cpus": "how many processors", "cpu": "the processor", "power": "mains or battery", "rx_bps": "bits per second towards the computer",
	"tx_bps": "bits per second away from it", "size_bytes": "its size", "hold_ns": "how long a try lasts", "date": "when that was", "verdict": "pass, warn, fail or skip",
	"measured": "what was measured", "role": "read or write", "block": "bytes per request", "depth": "requests in flight", "flush": "none, fsync or full", "id": "names it",
	"removals[].cases[].disks.*.from": "its rate before", "removals[].cases[].disks.*.to": "its rate after", "temperature_c": "degrees Celsius",
}

// about is what usual has for a key, by the end of its path if it is there too.
func about(path, key string) string {
	for end, meaning := range usual {
		if strings.Contains(end, ".") && strings.HasSuffix(path+"."+key, end) {
			return meaning
		}
	}
	return cmp.Or(usual[key], strings.ReplaceAll(strings.TrimSuffix(key, "_s"), "_", " "))
}

func (w *walk) fields(t *testing.T, path string, of reflect.Type) {
	type inner struct {
		at string
		of reflect.Type
	}
	w.seen[of] = path
	var later []inner
	for field := range of.Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "-" || !field.IsExported() {
			continue
		}
		if key == "" && field.Anonymous {
			w.fields(t, path, field.Type)
			continue
		}
		key = cmp.Or(key, field.Name)
		at, in := unwrap(key, field.Type)
		text := w.comment(t, of, field.Name)
		if in.Kind() == reflect.Struct && strings.HasPrefix(in.PkgPath(), module) {
			what := w.comment(t, in, "")
			if text != "" && what != "" {
				what = strings.TrimSuffix(what, ".") + "; "
			}
			text = what + text
			full := strings.TrimPrefix(path+"."+at, ".")
			if before, again := w.seen[in]; again {
				text += " Its keys are those of " + before + "."
			} else {
				w.seen[in] = full
				later = append(later, inner{full, in})
			}
		}
		if text == "" {
			text = about(path, key) + "."
		}
		w.list.WriteString(at + ": " + strings.TrimSpace(text) + "\n")
	}
	for _, in := range later {
		w.list.WriteString("\n## Keys of " + in.at + "\n\n")
		w.fields(t, in.at, in.of)
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

// comment is what stands beside a field of a type, or above the type if the field is empty, as a sentence.
func (w *walk) comment(t *testing.T, of reflect.Type, field string) string {
	t.Helper()
	dir := strings.TrimPrefix(of.PkgPath(), module)
	if w.comments[dir] == nil {
		w.comments[dir] = comments(t, filepath.Join("..", "..", "..", dir))
	}
	text := strings.Join(strings.Fields(w.comments[dir][strings.TrimSuffix(of.Name()+"."+field, ".")]), " ")
	if field == "" { // "Phase is the analysis of one phase. It ..."
		text, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(text, of.Name()+" "), "is "), ". ")
	}
	text = strings.TrimSuffix(text, "; filled in by say")
	if text != "" && !strings.HasSuffix(text, ".") {
		text += "."
	}
	for _, word := range []string{"A ", "How ", "Of ", "That ", "The ", "What ", "Where ", "Which ", "If "} {
		if strings.HasPrefix(text, word) {
			text = strings.ToLower(text[:1]) + text[1:]
		}
	}
	return text
}

func comments(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			types, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range types.Specs {
				of, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				found[of.Name.Name] = types.Doc.Text()
				fields, ok := of.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range fields.Fields.List {
					for _, name := range f.Names {
						found[of.Name.Name+"."+name.Name] = f.Doc.Text() + f.Comment.Text()
					}
				}
			}
		}
	}
	return found
}
