package say

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/unit"
)

func TestSaturation(t *testing.T) {
	rest, within := 150.0, 160.0
	one := level.Step{AtBytes: 24e9, FromRate: 2.3e9, ToRate: 0.65e9}
	fall := &analysis.Fall{AtBytes: 24e9, CI95: analysis.Interval{23.7e9, 24.3e9}, FromRate: 2.3e9, ToRate: 0.65e9, Steps: []level.Step{one}}
	twice := &analysis.Fall{AtBytes: 40e9, FromRate: 2.3e9, ToRate: 0.2e9, Steps: []level.Step{one, {AtBytes: 40e9, FromRate: 0.65e9, ToRate: 0.2e9}}}
	hot := &analysis.Fall{AtBytes: 24e9, FromRate: 2.3e9, ToRate: 0.65e9, Steps: []level.Step{one}, Cause: "heat"}
	gain := func(disk string, by float64) analysis.Gain {
		return analysis.Gain{Disk: disk, Gain: by, CI95: analysis.Interval{by - 0.05e9, by + 0.05e9}}
	}
	together := func(gains ...analysis.Gain) *analysis.FallTogether {
		return &analysis.FallTogether{Told: true, Gains: gains}
	}
	known := &analysis.Back{RestS: &rest, CI95: &analysis.Interval{144, 161}, AfterS: 80, WithinS: &within, Whole: true, Bytes: 24e9}
	const (
		fell     = "A's fast cache holds 24.0 ± 0.3 GB: 2.30 GB/s falls to 0.650 GB/s"
		fellSure = "A's fast cache holds 24.0 ± 0.3 GB (95 % confidence): 2.30 GB/s falls to 0.650 GB/s"
	)
	for _, tt := range []struct {
		name   string
		found  analysis.Saturation
		surely bool
		want   string
	}{
		{"all of it", analysis.Saturation{Fall: fall, Together: together(gain("B", 0.5e9), gain("C", 0.48e9)), Back: known}, false,
			fell + "; back after 2 min 30 s of rest; B and C gained 0.490 GB/s each"},
		{"how surely", analysis.Saturation{Fall: fall, Together: together(gain("B", 0.5e9)), Back: known}, true,
			fellSure + "; back after 2 min 30 s of rest (95 % confidence: 2 min 24 s to 2 min 41 s); B gained 0.500 GB/s (95 % confidence: 0.450 GB/s to 0.550 GB/s)"},
		{"one gained more", analysis.Saturation{Fall: fall, Together: together(gain("B", 0.5e9), gain("C", 0.2e9))}, false,
			fell + "; B gained 0.500 GB/s, C gained 0.200 GB/s"},
		{"nobody gained", analysis.Saturation{Fall: fall, Together: together()}, false, fell + "; no other disk clearly gained from the fall"},
		{"something else happened then", analysis.Saturation{Fall: fall, Together: &analysis.FallTogether{}}, false, fell},
		{"between two rests", analysis.Saturation{Fall: fall, Back: &analysis.Back{AfterS: 80, WithinS: &within, Whole: true}}, true,
			fellSure + "; back after 2 min 40 s of rest but not after 1 min 20 s"},
		{"at once", analysis.Saturation{Fall: fall, Back: &analysis.Back{WithinS: &within, Whole: true}}, true,
			fellSure + "; back after 2 min 40 s of rest or less"},
		{"the burst was too short", analysis.Saturation{Fall: fall, Back: &analysis.Back{AfterS: 80, WithinS: &within, Bytes: 46e9}}, true,
			fellSure + "; back after 2 min 40 s of rest but not after 1 min 20 s, at least for 46 GB"},
		{"never", analysis.Saturation{Fall: fall, Back: &analysis.Back{AfterS: 320, Regained: 0.12}}, true,
			fellSure + "; after 5 min 20 s of rest 12 % of the cache was back"},
		{"the last burst was too short", analysis.Saturation{Fall: fall, Back: &analysis.Back{AfterS: 320, Regained: 0.12, AtLeast: true}}, true,
			fellSure + "; after 5 min 20 s of rest at least 12 % of the cache was back"},
		{"two falls", analysis.Saturation{Fall: twice}, false, "A's fast cache holds 40.0 GB: 2.30 GB/s falls to 0.650 GB/s after 24 GB and to 0.200 GB/s after 40 GB"},
		{"no fall", analysis.Saturation{WroteBytes: 450e9}, true, "A wrote 450 GB without slowing down"},
		{"by heat", analysis.Saturation{Fall: hot}, false, "A slows down as it heats up after 24.0 GB: 2.30 GB/s falls to 0.650 GB/s"},
	} {
		tt.found.Disk = "A"
		if got := (english{Scale: unit.ScaleFor(2e9)}).saturation(tt.found, tt.surely); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// What the preset found opens the report, and is told once more as a finding, with how surely.
func TestSaturationOpens(t *testing.T) {
	a := &analysis.Analysis{
		Saturations: []analysis.Saturation{{Of: "WR", Disk: "A", Alone: "WR A alone", Fall: &analysis.Fall{AtBytes: 24e9, FromRate: 2.3e9, ToRate: 0.65e9, Steps: []level.Step{{AtBytes: 24e9, FromRate: 2.3e9, ToRate: 0.65e9}}}}},
		Phases:      []analysis.Phase{{Phase: "WR A alone", Title: "WR A alone", Overlap: &analysis.Overlap{Rate: 2.3e9}}},
		Findings:    []analysis.Finding{{Code: "saturation", Phase: "WR A alone", Disk: "A"}},
	}
	Fill(a)
	headline := Opening(a)
	const fell = "A's fast cache holds 24.0 GB"
	const falls = ": 2.30 GB/s falls to 0.650 GB/s"
	const sure = fell + " (95 % confidence)" + falls
	if headline != fell+falls+"." || a.Findings[0].Text != "WR A alone: "+sure+"." {
		t.Errorf("headline %q, finding %q", headline, a.Findings[0].Text)
	}
}

// A phase that was to go on until its disks are steady says since when they were, or that they were not.
func TestSteady(t *testing.T) {
	p := tracetest.Phase("WW", disk("A", "write", pace{12, 2}, pace{60, 0.5}), disk("B", "write", pace{50, 1}, pace{60, 0.3}))
	p.Stop, p.SteadyNS = "time", 5e9
	a := Analyze(tracetest.Run(p), analysis.Options{})
	got := a.Phases[0].Verdict
	if want := "steady after SNIA PTS, in windows of 5 s: A 0.500 GB/s"; !strings.Contains(got, want) || !strings.HasSuffix(got, "from 15 s on.") {
		t.Errorf("verdict %q, want %q", got, want)
	}
	warned := false
	for _, w := range a.Phases[0].Warnings {
		warned = warned || w.Text == "disk B: its rate was not steady when the phase ended (after SNIA PTS, in windows of 5 s); no steady rate is given"
	}
	if !warned {
		t.Errorf("warnings %+v", a.Phases[0].Warnings)
	}
}
