package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// pageOf is a document's page, with the events of its run, if any, and a chart library; nil for a
// page without.
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
	return report.OfRun(report.RunData{
		Trace: run, Analysis: analysis.Analyze(run, analysis.Options{}),
		About: report.About{Tool: "v0.1.0", Host: "bench", OS: "Linux 6.12", Seed: "42",
			Scenario: "triple.yaml"},
	})
}

var standIn = []byte("globalThis.echarts = null;")

// Whatever a name holds, the page has the same elements, and so has what its script puts into it:
// the name stays text.
func TestHostileNamesAddNoMarkup(t *testing.T) {
	t.Parallel()
	tag := regexp.MustCompile(`<(/?[a-zA-Z]+)`)
	count := func(text string) map[string]int {
		tags := map[string]int{}
		for _, match := range tag.FindAllStringSubmatch(text, -1) {
			tags[match[1]]++
		}
		return tags
	}
	for name, run := range map[string]func() *trace.Run{
		"list": fixture.Hostile, "study": hostile, "race": func() *trace.Run {
			race := hostile()
			race.Phases = race.Phases[2:3]
			return race
		},
	} {
		tame := run()
		rename(tame)
		want, got := render(t, tame, standIn), render(t, run(), standIn)
		check.Same(t, name+": elements, as under plain names", count(want), count(got))
		check.Same(t, name+": elements of its loads", count(loadsOf(t, want)),
			count(loadsOf(t, got)))
	}
}

// loadsOf is the markup of the loads that a page's script shows.
func loadsOf(t *testing.T, page string) string {
	t.Helper()
	var zipped []byte
	check.Must(t, json.Unmarshal([]byte(between(t, page, `id="loads">`, "</script>")), &zipped))
	text, err := inflate(zipped)
	check.Must(t, err)
	var state struct {
		Loads map[string]loadState
	}
	check.Must(t, json.Unmarshal(text, &state))
	markup := ""
	for _, l := range state.Loads {
		markup += l.Hub + l.Plot
	}
	return markup
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
	style, script := between(t, text, "<style>", "</style>"),
		text[strings.LastIndex(text, "<script>")+len("<script>"):]
	script, _, _ = strings.Cut(script, "</script>")
	policy := between(t, text, `http-equiv="Content-Security-Policy" content="`, `"`)
	for _, want := range []string{"default-src &#39;none&#39;", hash([]byte(style)),
		hash([]byte(script)), hash(standIn)} {
		if !strings.Contains(strings.ReplaceAll(policy, "&#43;", "+"), want) {
			t.Errorf("policy lacks %s: %s", want, policy)
		}
	}
	// Places and sizes stand in attributes, which hold no script.
	policy = strings.Replace(policy, "style-src-attr &#39;unsafe-inline&#39;", "", 1)
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
	var alone fixture.Study
	alone.Add("W", "A", trace.Write, 1, 1e9)
	for _, run := range []*trace.Run{empty, idle, alone.Run("alone", "A")} {
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

// A page loads at once, however long the run: of a million files it stays under 4 MB, past a
// hundred a phase takes 16 kB at most, and latencies of three disks in thirty phases take 1 MB.
func TestPagesStaySmall(t *testing.T) {
	t.Parallel()
	const phases = 110
	var long fixture.Study
	for i := range phases {
		long.Add(fmt.Sprintf("WW-%d", i+1), "A", trace.Write, 20, 0.7e9)
		long.Add(fmt.Sprintf("WW-%d", i+1), "C", trace.Write, 20, 2e9)
	}
	timed := &trace.Run{Name: "latencies", Disks: fixture.Streams().Disks}
	for i := range 30 {
		p := fixture.Streams().Phases[2]
		p.Name = fmt.Sprintf("phase %d", i+1)
		timed.Phases = append(timed.Phases, p)
	}
	withLatencies := len(render(t, timed, standIn))
	for _, p := range timed.Phases {
		for _, d := range p.Disks {
			d.Latencies = nil
		}
	}
	for name, size := range map[string][2]int{
		"files":     {len(render(t, fixture.Many(200_000), standIn)), 1_400_000},
		"phases":    {len(render(t, long.Run("study", "A", "C"), standIn)), phases * 16_000},
		"latencies": {withLatencies - len(render(t, timed, standIn)), 1_000_000},
	} {
		if size[0] <= 0 || size[0] > size[1] {
			t.Errorf("many %s take %d bytes, want at most %d", name, size[0], size[1])
		}
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

// A number and its unit stay on one line, whatever follows.
func TestQuantities(t *testing.T) {
	for text, want := range map[string]string{
		"0.68 instead of 1.46 GB/s, 12 GB": "0.68 instead of 1.46~GB/s, 12~GB",
		"in those 10 s: 3":                 "in those 10~s: 3", "3 small files": "3 small files",
		"10 saves": "10 saves", "A B": "A B",
	} {
		if got := strings.ReplaceAll(quantity.ReplaceAllString(text, "$1\u00a0$2"), "\u00a0",
			"~"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
