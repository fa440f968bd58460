package html

import (
	"bytes"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// pageOf is a document's page, with the events of its run, if any, and a chart library; nil for a page without.
func pageOf(t *testing.T, doc *report.Document, events, charts []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	check.Must(t, write(&out, doc, bytes.NewReader(events), charts))
	return out.Bytes()
}

func render(t *testing.T, run *trace.Run, charts []byte) string {
	t.Helper()
	return string(pageOf(t, reportOf(run), nil, charts))
}

func reportOf(run *trace.Run) *report.Document {
	return report.OfRun(report.Run{
		Trace: run, Analysis: say.Analyze(run, analysis.Options{}),
		About: report.About{Tool: "v0.1.0", Host: "bench", OS: "Linux 6.12", Seed: "42", Scenario: "triple.yaml"},
	})
}

var standIn = []byte("globalThis.echarts = null;")

// Whatever a name holds, the page has the same elements: the name stays text.
func TestHostileNamesAddNoMarkup(t *testing.T) {
	t.Parallel()
	tame := fixture.Hostile()
	rename(tame)
	tag := regexp.MustCompile(`<(/?[a-zA-Z]+)`)
	count := func(text string) map[string]int {
		tags := map[string]int{}
		for _, match := range tag.FindAllStringSubmatch(text, -1) {
			tags[match[1]]++
		}
		return tags
	}
	want, got := count(render(t, tame, standIn)), count(render(t, fixture.Hostile(), standIn))
	check.Same(t, "elements, as under plain names", want, got)
}

// rename gives the run's disks and phases plain names.
func rename(run *trace.Run) {
	plain := map[string]string{}
	for i := range run.Disks {
		plain[run.Disks[i].Name] = "disk" + string(rune('a'+i))
		run.Disks[i].Name = plain[run.Disks[i].Name]
	}
	run.Name = "plain"
	for i, phase := range run.Phases {
		phase.Name = "phase" + string(rune('a'+i))
		for j := range phase.Disks {
			phase.Disks[j].Name = plain[phase.Disks[j].Name]
		}
		for name, role := range phase.Roles {
			delete(phase.Roles, name)
			defer func() { phase.Roles[plain[name]] = role }()
		}
	}
}

func TestPolicyAllowsThePartsAndNothingElse(t *testing.T) {
	text := render(t, fixture.Triple(), standIn)
	style, script := between(t, text, "<style>", "</style>"), text[strings.LastIndex(text, "<script>")+len("<script>"):]
	script, _, _ = strings.Cut(script, "</script>")
	policy := between(t, text, `http-equiv="Content-Security-Policy" content="`, `"`)
	for _, want := range []string{"default-src &#39;none&#39;", hash([]byte(style)), hash([]byte(script)), hash(standIn)} {
		if !strings.Contains(strings.ReplaceAll(policy, "&#43;", "+"), want) {
			t.Errorf("policy lacks %s: %s", want, policy)
		}
	}
	for _, bad := range []string{"unsafe", "http:", "https:", "*"} {
		if strings.Contains(policy, bad) {
			t.Errorf("policy allows %s: %s", bad, policy)
		}
	}
}

func TestScriptThatWouldEndItselfIsRefused(t *testing.T) {
	err := write(&bytes.Buffer{}, reportOf(fixture.Triple()), nil, []byte(`"</SCRIPT>"`))
	check.Refused(t, "a script that ends itself", err, "make build")
}

func TestOddRuns(t *testing.T) {
	t.Parallel()
	empty := &trace.Run{Name: "empty"}
	idle := fixture.Run("idle", []string{"A"}, nil, "nothing")
	alone := fixture.Run("alone", []string{"A"}, map[string][]fixture.Part{"W": {{Disk: "A", Op: "write", Files: 1, Pace: []fixture.Pace{{Rate: 1e9}}}}}, "W")
	for _, run := range []*trace.Run{empty, idle, alone} {
		t.Run(run.Name, func(t *testing.T) {
			text := render(t, run, standIn)
			if !strings.Contains(text, "</html>") {
				t.Error("the page has no end")
			}
			for _, bad := range []string{"NaN", "Inf", ">%!", "<nil>"} {
				if strings.Contains(strings.ReplaceAll(text, "Infinity", ""), bad) {
					t.Errorf("the page holds %s", bad)
				}
			}
		})
	}
}

func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, after, found := strings.Cut(text, from)
	if !found {
		t.Fatalf("no %s in the page", from)
	}
	part, _, _ := strings.Cut(after, to)
	return part
}

// A page without live charts says where to get them, and no other page does.
func TestSaysHowToGetCharts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		charts []byte
		says   bool
	}{"without": {nil, true}, "with": {standIn, false}} {
		page := render(t, fixture.Triple(), test.charts)
		for _, part := range []string{"in place of live charts", `href="https://github.com/hubbench/hubbench/releases"`, "<code>make build</code>"} {
			if strings.Contains(page, part) != test.says {
				t.Errorf("%s charts: says %q: %v, want %v", name, part, !test.says, test.says)
			}
		}
	}
}

// Templates of all files share one set of names: a second one of a name would replace the first.
func TestTemplateNamesDiffer(t *testing.T) {
	files, err := fs.Glob(parts, "*.tmpl")
	check.Must(t, err)
	seen := map[string]string{}
	for _, file := range files {
		text, err := parts.ReadFile(file)
		check.Must(t, err)
		for _, found := range regexp.MustCompile(`define "(\w+)"`).FindAllSubmatch(text, -1) {
			name := string(found[1])
			if seen[name] != "" {
				t.Errorf("%s and %s both define %q", seen[name], file, name)
			}
			seen[name] = file
		}
	}
}
