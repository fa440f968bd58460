package manual

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

// must gives back what a step of a test returned, and fails if it did not succeed.
func must[T any](t *testing.T, v T, err error) T {
	t.Helper()
	check.Must(t, err)
	return v
}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := Topic{Name: name}.Markdown()
	return must(t, text, err)
}

// source is a file of the tree.
func source(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", path))
	return must(t, text, err)
}

// under is what stands under a heading, up to the next one.
func under(t *testing.T, page, heading string) string {
	t.Helper()
	_, text, ok := strings.Cut(page, "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("there is no section %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// defined are the terms of the definition lists in a text; one line may hold several.
func defined(text string) []string {
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^(.+)\n: `).FindAllStringSubmatch(text, -1) {
		names = append(names, strings.Split(match[1], ", ")...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Every topic is set in lines that fit, without a mark of Markdown.
func TestText(t *testing.T) {
	for _, topic := range Topics() {
		text, err := topic.Text(72)
		must(t, text, err)
		code := map[string]bool{} // lines to copy
		for _, match := range regexp.MustCompile(`(?m)^ {4}(.*)$`).FindAllStringSubmatch(page(t, topic.Name), -1) {
			code[strings.TrimSpace(match[1])] = true
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if !code[strings.TrimSpace(line)] && cells.Width(line) > 72 {
				t.Errorf("%s: too wide: %q", topic.Name, line)
			}
			if strings.HasPrefix(line, "#") || strings.HasPrefix(line, ": ") || strings.Contains(line, "`") || strings.Contains(line, "…") {
				t.Errorf("%s: %q", topic.Name, line)
			}
		}
		if strings.Contains(text, "\n\n\n") || !strings.Contains(text, "\n====") {
			t.Errorf("%s has no title, or gaps:\n%s", topic.Name, text)
		}
	}
}

func TestPlain(t *testing.T) {
	const page = "# Title\n\nSome `words`\nand more.\n\n- one\n- two\n  lines\n\na\n: first\n  thing.\n\nbcd\n: second.\n\na term that is far too long\n: third.\n\n## Next\n\n    code\n"
	want := "Title\n=====\nSome words and more.\n\n  - one\n  - two lines\n\n  a               first thing.\n  bcd             second.\n  a term that is far too long\n                  third.\n\nNext\n----\n    code\n"
	check.Same(t, "as text", want, plain(page, 60))
}

// schemaKeys are the keys of all mappings of a schema.
func schemaKeys(t *testing.T, text []byte) []string {
	t.Helper()
	var schema any
	must(t, 0, json.Unmarshal(text, &schema))
	keys := map[string]bool{}
	var gather func(any)
	gather = func(part any) {
		switch part := part.(type) {
		case map[string]any:
			if properties, ok := part["properties"].(map[string]any); ok && part["type"] == "object" {
				for key := range properties {
					keys[key] = true
				}
			}
			for _, value := range part {
				gather(value)
			}
		case []any:
			for _, value := range part {
				gather(value)
			}
		}
	}
	gather(schema)
	return slices.Sorted(maps.Keys(keys))
}

// The keys of help model are those that a profile may have, and each says what it means.
func TestProfileKeys(t *testing.T) {
	schema, err := json.Marshal(hub.Schema())
	list, listErr := profileKeys()
	must(t, list, errors.Join(err, listErr))
	check.Same(t, "keys of the schema in help", schemaKeys(t, schema), defined(list))
	if strings.Contains(list, "\n: .") || strings.Contains(list, "\n:  (") {
		t.Errorf("a key says nothing:\n%s", list)
	}
}

// The keys of help scenario are those of the schema, and each says what it means.
func TestScenarioKeys(t *testing.T) {
	list, err := scenarioKeys()
	must(t, list, err)
	check.Same(t, "keys of the schema in help", schemaKeys(t, source(t, "configs/scenario.schema.json")), defined(list))
	if strings.Contains(list, "\n: .") {
		t.Error("a key says nothing")
	}
	for _, want := range []string{"## Keys of phases[].streams.DISK\n", "\ndepth\n: requests in flight (1 to 1,024; default 4).\n", "\nversion\n: the version of this format (required).\n"} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in\n%s", want, list)
		}
	}
	if strings.Count(list, "\ndepth\n") != 1 || strings.Count(list, "\norder\n") != 2 {
		t.Error("a key of the workload is listed again, or the order of a phase is not")
	}
}

// Every code that the analysis gives to findings and warnings is explained, and no other.
func TestCodes(t *testing.T) {
	want := map[string]map[string]bool{
		"Findings": {analysis.CauseHeat: true, analysis.CauseCacheFull: true},
		"Warnings": {"competitor_display": true, "competitor_network": true},
	}
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "pkg", "analysis", "*.go"))
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		must(t, source, err)
		made := regexp.MustCompile(`(?:(Finding|Warning)\{+\s*Code: +|(?:\bwarn|\.add|newWarning)\((?:[^",]*(?:"")?, )?)"([a-z_]+)"`)
		for _, match := range made.FindAllSubmatch(source, -1) {
			if code := string(match[2]); !strings.HasSuffix(code, "_") {
				want[cmp.Or(string(match[1]), "Warning")+"s"][code] = true
			}
		}
	}
	formats := page(t, "formats")
	for _, path := range files {
		source, err := os.ReadFile(path)
		must(t, source, err)
		for _, made := range regexp.MustCompile(`Code: +"(\w+)"[^}]*Values: +\w+Values\{`).FindAllStringSubmatch(string(source), -1) {
			if !strings.HasSuffix(path, "_test.go") && !regexp.MustCompile(`(?m)^## Values of .*\b`+made[1]+`\b`).MatchString(formats) {
				t.Errorf("help formats does not list the values of %s: name it in the comment of its type in pkg/analysis/values.go, "+
					"then go test ./internal/tell/manual -update", made[1])
			}
		}
	}
	for heading, codes := range want {
		told := defined(under(t, page(t, "report"), heading))
		check.Same(t, heading+" of the analysis in help", slices.Sorted(maps.Keys(codes)), told)
	}
}

// Every kind and cause of a change is explained, and every kind of rate to quote.
func TestChanges(t *testing.T) {
	got := defined(under(t, page(t, "formats"), "Changes"))
	want := []string{
		analysis.KindStart, analysis.KindEnd, analysis.KindRecovery, analysis.KindOwnFall, analysis.KindSharedFall, analysis.KindRedistribution,
		analysis.KindStall, analysis.KindWarmUp, analysis.KindSwing, analysis.KindDrift, analysis.KindUnknown,
		analysis.KindOwnRise, analysis.KindSharedRise,
		analysis.CauseCacheFull, analysis.CauseHeat, analysis.CauseLink, analysis.CauseHost, analysis.CauseNeighbour,
		analysis.QuoteOverlap, analysis.QuoteLater, analysis.QuoteSettled, analysis.QuoteMean,
	}
	slices.Sort(want)
	check.Same(t, "changes of the analysis in help", want, got)
}

// The lines of events.jsonl have the keys that the page gives, and its examples are such lines.
func TestEvents(t *testing.T) {
	text := under(t, page(t, "formats"), "events.jsonl")
	codec := source(t, "pkg/trace/codec.go")
	lines := regexp.MustCompile(`\{(\w+)Type,\s+\[\]string\{([^}]*)\}\}`).FindAllStringSubmatch(string(codec), -1)
	if len(lines) != len(defined(text)) {
		t.Errorf("%d types of line, of which help has %q", len(lines), defined(text))
	}
	for _, line := range lines {
		name := map[string]string{"PhaseEnd": "phase_end"}[line[1]]
		if name == "" {
			name = strings.ToLower(line[1])
		}
		want := "\n" + name + "\n: " + strings.ReplaceAll(strings.Join(strings.Fields(line[2]), " "), `"`, "`") + "."
		if !strings.Contains(text, want) {
			t.Errorf("help formats lacks %q", want)
		}
	}
	for _, match := range regexp.MustCompile(`(?m)^ {4}(\{.*)$`).FindAllStringSubmatch(text, -1) {
		run, err := trace.Load(strings.NewReader(match[1]+"\n"), "help")
		if err != nil || len(run.Phases) != 1 || strings.Contains(match[1], "work") &&
			!run.Phases[0].Work["A"].Declared() {
			t.Errorf("%s is no line of a run: %v", match[1], err)
		}
	}
}

// A page as a file: what roff or Markdown would take for its own marks is kept as it is written.
func TestPage(t *testing.T) {
	p := Page{"hubbench-x", 7, "does x", "Some `--code`\nwith a \\ and 5 ± 1.\n\n- one\n  and\n- two\n\n'a'.*\n: of `a.*` and *.\n\n    .line -x\n\n## Keys of A\n\nSee hubbench(1)."}
	want := `.TH HUBBENCH-X 7 "2026-11-20" "hubbench v1"
.SH NAME
hubbench\-x \- does x
.SH DESCRIPTION
Some \fB\-\-code\fR with a \e and 5 \[u00B1] 1.
.IP \(bu 2
one and
.IP \(bu 2
two
.TP
\fB\&'a'.*\fR
of \fBa.*\fR and *.
.PP
.RS 4
.EX
\&.line \-x
.EE
.RE
.SH Keys of A
See hubbench(1).
`
	check.Same(t, "as a man page", want, p.Roff("v1", "2026-11-20"))
	want = "# hubbench-x(7)\n\nDoes x.\n\nSome `--code`\nwith a \\ and 5 ± 1.\n\n- one\n  and\n- two\n\n- `'a'.*`: of `a.*` and *.\n\n" +
		"    .line -x\n\n## Keys of A\n\nSee [hubbench(1)](hubbench.1.md).\n"
	check.Same(t, "as Markdown", want, p.Markdown())
}

// The page counts the tests that are left out on a stand-in as its list does.
func TestPlatformsCountsWhatIsLeftOut(t *testing.T) {
	list := "\n" + string(source(t, "testdata/platforms/failing.txt"))
	want := fmt.Sprintf("%d for macOS and %d for Windows",
		strings.Count(list, "\nloader "), strings.Count(list, "\nwine "))
	if !strings.Contains(page(t, "platforms"), want) {
		t.Errorf("the page does not say %q", want)
	}
}
