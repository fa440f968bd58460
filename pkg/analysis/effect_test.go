package analysis

import (
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// TestThrottleComesBack: after a pause the disk is fast again, which a full cache and heat do after
// different times.
func TestThrottleComesBack(t *testing.T) {
	s := script{
		name: "X", op: trace.Write, paces: []pace{{10, 2.3e9}, {30, 0.65e9}, {70, 2.2e9}},
		pauses: []pause{{30, 60}}, sizes: tracetest.Fixed(0.5e9),
	}
	got := Analyze(runOf(s.play(rand.New(rand.NewPCG(33, 34)), noise{fast: 0.05, samples: true})),
		Options{}).Phases[0].Disks["X"].Throttle
	if got == nil || got.Recovered == nil {
		t.Fatalf("throttle %+v, want one with a recovery", got)
	}
	check.Near(t, "onset", 10, got.AtS, 0.3)
	check.Near(t, "low rate", 0.65e9, got.ToRate, 0.03e9)
	check.Near(t, "back at", 60, got.Recovered.AtS, 0.1)
	check.Near(t, "pause", 30, got.Recovered.PauseS, 0.1)
	check.Near(t, "rate then", 2.2e9, got.Recovered.Rate, 0.05e9)
}

// TestNoThrottle lists drops that are no throttles.
func TestNoThrottle(t *testing.T) {
	tests := []struct {
		name  string
		disks []script
	}{
		{"another disk starts", []script{
			{name: "A", op: "write", paces: []pace{{10, 1.5e9}, {30, 0.75e9}},
				sizes: tracetest.Uniform},
			{name: "C", op: "write", startS: 10, paces: []pace{{30, 2.4e9}},
				sizes: tracetest.Uniform}}},
		{"another disk starts, and takes a second", []script{
			{name: "A", op: "write", paces: []pace{{11, 1.5e9}, {30, 0.75e9}},
				sizes: tracetest.Uniform},
			{name: "C", op: "write", startS: 10, paces: []pace{{30, 2.4e9}},
				sizes: tracetest.Uniform}}},
		{"another disk recovers", []script{
			{name: "A", op: "write", paces: []pace{{18, 2e9}, {40, 1e9}}, sizes: tracetest.Uniform},
			{name: "B", op: "write", paces: []pace{{18, 0.5e9}, {40, 1.5e9}},
				sizes: tracetest.Uniform},
			{name: "C", op: "write", paces: []pace{{10, 1e9}}, sizes: tracetest.Uniform}}},
		{
			"a slow spell",
			[]script{
				{name: "A", op: "write", paces: []pace{{10, 1.5e9}, {13, 0.75e9}, {30, 1.5e9}},
					sizes: tracetest.Uniform},
			},
		},
		{
			"a small drop",
			[]script{
				{name: "A", op: "write", paces: []pace{{10, 1.5e9}, {30, 1.3e9}},
					sizes: tracetest.Uniform},
			},
		},
		{
			"a rise",
			[]script{
				{name: "A", op: "write", paces: []pace{{10, 0.7e9}, {30, 1.5e9}},
					sizes: tracetest.Uniform},
			},
		},
	}
	for _, tt := range tests {
		rnd := rand.New(rand.NewPCG(35, 36))
		var disks []*trace.DiskRecord
		for _, s := range tt.disks {
			disks = append(disks, s.play(rnd, noise{fast: 0.05, samples: true}))
		}
		for name, d := range Analyze(runOf(disks...), Options{}).Phases[0].Disks {
			if d.Throttle != nil {
				t.Errorf("%s: disk %s: throttle %+v, want none", tt.name, name, *d.Throttle)
			}
		}
	}
}

// TestX5 is the published endurance case: 800 files, fast until the cache is full.
func TestX5(t *testing.T) {
	for _, sizes := range []struct {
		name string
		of   tracetest.Sizes
	}{
		{"many slow files", tracetest.Uniform},
		{"two fifths fast", func(rnd *rand.Rand, _ int) float64 {
			return 2e6 + rnd.Float64()*140e6
		}},
	} {
		t.Run(sizes.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(43, 44))
			s := script{
				name: "X", op: trace.Write, paces: []pace{{23.9 / 2.3, 2.3e9}, {1300, 0.65e9}},
				sizes: sizes.of,
			}
			d := s.play(rnd, noise{fast: 0.05, perFile: 0.03, samples: true})
			if len(d.Files) < 800 {
				t.Fatalf("only %d files made", len(d.Files))
			}
			d.Files = d.Files[:800]
			a := Analyze(runOf(d), Options{})
			got := a.Phases[0].Disks["X"]
			if got.Throttle == nil {
				t.Fatal("no throttle found")
			}
			check.Near(t, "onset", 23.9e9, got.Throttle.AtBytes, 2e9)
			if got.Bimodal == nil || *got.Bimodal {
				t.Errorf("bimodal %v, want false: two levels in time are no modes of files",
					got.Bimodal)
			}
			check.Near(t, "Theil-Sen", 0.65e9, *got.TheilSenRate, 0.1e9)
			if q := got.Quote; q == nil || q.Kind != QuoteLater {
				t.Fatalf("quote %+v, want the later level", q)
			}
			check.Near(t, "rate to quote", 0.65e9, got.Quote.Rate, 0.1e9)
			if len(a.Findings) == 0 || a.Findings[0].Code != "throttle" {
				t.Errorf("findings %v, want the throttle first", a.Findings)
			}
		})
	}
}
