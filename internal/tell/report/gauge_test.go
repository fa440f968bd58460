package report

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// The disks' own meters are drawn where there are any, right under the time chart, and nowhere else.
func TestGaugeFigure(t *testing.T) {
	run := fixture.Triple()
	figures := func() map[string]*Figure {
		doc := OfRun(Run{Trace: run, Analysis: say.Analyze(run, analysis.Options{})})
		out := map[string]*Figure{}
		for i, f := range Collect[*Figure](doc.Phases()[0].Blocks) {
			out[f.ID] = f
			if (f.ID == "gauges") != (i == 1 && out["gauges"] != nil) {
				t.Errorf("figure %d is %s", i, f.ID)
			}
		}
		return out
	}
	if f := figures()["gauges"]; f != nil {
		t.Errorf("a run without gauges has %+v", f)
	}
	phase := run.Phases[0]
	a := phase.Disk("A")
	endS := float64(a.Files[len(a.Files)-1].EndNS) / 1e9
	phase.Gauges = tracetest.Warmth{EveryS: 10, At: func(s float64) float64 { return 40 + s/4 }}.Play(rand.New(rand.NewPCG(1, 1)), "B", endS)
	f := figures()["gauges"]
	if f == nil || len(f.Panels) != 1 || len(f.Panels[0].Marks) != 1 || f.Keys[f.Panels[0].Marks[0].Key].Name != "B" {
		t.Fatalf("got %+v, want a panel with B's temperature", f)
	}
	if y := f.Panels[0].Y; y.Min != 38 || y.Max < 55 || y.Max > 70 {
		t.Errorf("the axis goes from %g to %g °C", y.Min, y.Max)
	}
	phase.Gauges = append(phase.Gauges, tracetest.Counters(a, endS, 0, tracetest.Traffic{ToS: endS, Rate: 0.1e9})...)
	if f = figures()["gauges"]; len(f.Panels) != 2 {
		t.Fatalf("got %d panels, want temperature and counters", len(f.Panels))
	}
	// A writes 0.7 GB/s, then twice as much, and the device 0.1 GB/s more than that.
	line := f.Panels[1].Marks[0]
	if line.Shape != Segment || f.Keys[line.Key].Name != "A" {
		t.Errorf("a %s of %q: steps are drawn in ink, and nobody can tell whose they are", line.Shape, f.Keys[line.Key].Name)
	}
	rows := line.Rows
	if first := rows[3][3]; first < 0.75 || first > 0.85 {
		t.Errorf("the device moves %g GB/s at first, want 0.8", first)
	}
	for i, row := range rows[1:] {
		if row[0] != rows[i][1] || row[2] != rows[i][3] {
			t.Errorf("row %v does not go on from %v", row, rows[i])
		}
	}
	if last := rows[len(rows)-1]; last[3] < 1.4 || last[3] > 1.6 || last[1] > endS {
		t.Errorf("in the end %v, want 1.5 GB/s", last)
	}
	if !strings.Contains(f.Text, "Temperature") || !strings.Contains(f.Text, "counters") {
		t.Errorf("text %q", f.Text)
	}
	phase.Gauges = []trace.Gauge{{Name: trace.CPU, Value: 50}}
	if f := figures()["gauges"]; f != nil {
		t.Errorf("the host's gauges alone are drawn: %+v", f)
	}
}
