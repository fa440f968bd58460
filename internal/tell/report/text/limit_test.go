package text

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// An answer fits a screen, whatever was measured; two more lines say where the report is.
func TestAnswerFits(t *testing.T) {
	failed := fixture.Triple()
	failed.Status = trace.Partial
	failed.Phases[0].Disks[1].Errors = []trace.Failure{{TNS: 4e9, Seq: 7, Error: "write: input/output error"}}
	one := fixture.Streams()
	one.Phases = one.Phases[2:3]
	known := func(name string) (*hub.Profile, error) {
		data, _ := configs.Hub(name)
		return hub.Load(name, data)
	}
	runs := map[string]*trace.Run{
		"triple": fixture.Triple(), "failed": failed, "streams": fixture.Streams(), "streams of one phase": one, "search": fixture.Search(),
		"hostile": fixture.Hostile(), "twelve": many(12), "five": many(5), "long names": named("External SSD of the video department, "),
		"saturation": fixture.Simulated(t, "version: 1\nname: fill\nhub: {profile: goshen-ridge}\ndisks: [{name: X5, simulate: {profile: X5}}, {name: C, simulate: {profile: C}}]\nworkload: {preset: saturation}\nphases: [{pattern: WR}]\n", known),
		"race":       fixture.Simulated(t, "version: 1\nname: race\nhub: {profile: goshen-ridge}\ndisks: [{name: A, simulate: {profile: A}}, {name: B, simulate: {profile: B}}, {name: C, simulate: {profile: C}}]\nworkload: {files: 50}\nphases: [{pattern: WWW, files: {C: 90}}]\n", known),
	}
	for _, name := range configs.Scenarios() {
		data, _ := configs.Scenario(name)
		runs[name] = fixture.Simulated(t, string(data), known)
	}
	for name, run := range runs {
		if run == nil {
			continue
		}
		about := report.About{Tool: "hubbench 1.0", Hub: "hub goshen-ridge", Warnings: []string{strings.Repeat("a long warning ", 12), "one more", "and one more"}}
		if name == "failed" {
			about.Failures = []string{"disk B, phase WWW: write: input/output error"}
		}
		var out bytes.Buffer
		if err := Write(&out, report.OfRun(report.Run{Trace: run, Analysis: say.Analyze(run, analysis.Options{}), About: about}), Options{Width: Width}); err != nil {
			t.Fatal(err)
		}
		limit := 15
		if n := len(run.Disks); n > 3 {
			limit = min(25, 12+n)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines)+2 > limit {
			t.Errorf("%s: %d lines and two for the report, want %d at most:\n%s", name, len(lines), limit, out.String())
		}
		for _, line := range lines {
			if cells.Width(line) > Width {
				t.Errorf("%s: wider than %d: %s", name, Width, line)
			}
		}
		if testing.Verbose() {
			t.Logf("%s\n%s", name, out.String())
		}
	}
}

// many is a study of so many disks: alone, and all at once.
func many(disks int) *trace.Run { return study("disk", disks) }

// named is one of three disks with long names.
func named(prefix string) *trace.Run { return study(prefix, 3) }

func study(prefix string, disks int) *trace.Run {
	var names, order []string
	phases := map[string][]fixture.Part{}
	for i := range disks {
		name := fmt.Sprintf("%s%02d", prefix, i+1)
		names = append(names, name)
		for _, op := range []trace.Role{trace.Read, trace.Write} {
			phase := name + " " + string(op)
			phases[phase] = []fixture.Part{{Disk: name, Op: op, Files: 30, Pace: []fixture.Pace{{Rate: 1.5e9}}}}
			all := "all " + string(op)
			phases[all] = append(phases[all], fixture.Part{Disk: name, Op: op, Files: 20, Pace: []fixture.Pace{{Rate: (0.3 + 0.05*float64(i)) * 1e9}}})
			order = append(order, phase)
		}
	}
	return fixture.Run("study of "+prefix, names, phases, append(order, "all read", "all write")...)
}
