package report

import (
	"math"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// A stage has the mean of its own time. Only if the disks are all busy once is that also what the
// answer quotes.
func TestRaceStages(t *testing.T) {
	paused := func(run *trace.Run) { // A, so that both are busy twice
		a := run.Phases[0].Disks[0]
		for i := range a.Files {
			if f := &a.Files[i]; f.StartNS > 3e9 {
				f.StartNS += 2e9
				f.EndNS += 2e9
				f.Progress = nil
			}
		}
	}
	for _, test := range []struct {
		name, disks string
		change      func(run *trace.Run)
		bands       []Band // the chart's own if none
	}{
		{name: "busy once", disks: "AB"},
		{name: "busy twice", disks: "AB", change: paused},
		{name: "one disk", disks: "A", bands: []Band{{To: 4, Text: "A speeds up"}}},
	} {
		var s fixture.Study
		for _, disk := range test.disks {
			s.Add("W", string(disk), trace.Write, 16, 1e9, fixture.Pace{FromS: 4, Rate: 2e9})
		}
		run := s.Run("race", strings.Split(test.disks, "")...)
		if test.change != nil {
			test.change(run)
		}
		r := newRunDoc(RunData{Trace: run, Analysis: analysis.Analyze(run, analysis.Options{})})
		r.answer()
		l := &r.loads[0]
		c := r.view(0).timeChart()
		if test.bands != nil {
			c.Bands = test.bands
		}
		stage := r.playback(l, c).Stages[0]
		for i, d := range l.disks {
			want := r.trackOf(c, d.Name).meanRate(stage.From, stage.To)
			if test.name == "busy once" {
				want = d.rate
			}
			check.Near(t, test.name+": "+d.Name, want, stage.Disks[i].Rate, 1)
			if test.name != "busy once" && math.Abs(d.rate-want) < 1e8 {
				t.Errorf("%s: %s's mean of all is the stage's", test.name, d.Name)
			}
		}
	}
}
