package analysis

import (
	"math"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/trace"
)

// near reports whether a quantile lies within 1 % of that of the sorted times.
func near(got *int64, times []float64, q float64) bool {
	want := times[int(math.Ceil(q*float64(len(times))))-1]
	return got != nil && math.Abs(float64(*got)/want-1) < 0.01
}

// answering is a disk that works at 1 GB/s from one time to another and answers that many requests
// a second meanwhile.
func answering(name string, op trace.Role, fromS, toS float64, l tracetest.Latency,
	each func(s, ns float64)) *trace.DiskRecord {
	d := tracetest.Disk{Name: name, Op: op, StartS: fromS,
		Levels: []tracetest.Level{{UntilS: toS, Rate: 1e9}},
		Sizes:  tracetest.Fixed(1e8)}.Play(seed(1))
	l.Op = op
	d.Latencies = l.Play(seed(2), toS-fromS, each)
	for i := range d.Latencies {
		d.Latencies[i].TNS += ns(fromS)
	}
	return d
}

// The figures are those of the requests that ended in the overlap, and the matrix separates them by
// which disks worked.
func TestLatencies(t *testing.T) {
	l := tracetest.Latency{PerS: 2000, MedianNS: 120e3, Sigma: 0.4}
	slow := l
	var overlap, before, after []float64
	slow.By = func(s float64) float64 { // beside B, which works from 10.5 s to 20.5 s
		if s >= 10.5 && s < 20.5 {
			return 8
		}
		return 1
	}
	c := answering("C", trace.Read, 0, 30, slow, func(s, ns float64) {
		switch {
		case s >= 11 && s < 20:
			overlap = append(overlap, ns)
		case s < 10:
			before = append(before, ns)
		case s >= 21:
			after = append(after, ns)
		}
	})
	b := answering("B", trace.Write, 10.5, 20.5, tracetest.Latency{PerS: 50, MedianNS: 5e6}, nil)
	var alone []float64
	solo := tracetest.Phase("C alone", answering("C", trace.Read, 0, 10, l, func(_, ns float64) {
		alone = append(alone, ns)
	}))
	direct := tracetest.Phase("C direct", answering("C", trace.Read, 0, 10, l, nil))
	direct.Connections = map[string]string{"C": trace.Direct}
	a := Analyze(tracetest.Run(solo, direct, tracetest.Phase("both", b, c)), Options{})
	checkAnalysis(t, a)
	got := a.Phases[2].Disks["C"].Latency
	other := append(slices.Clone(before), after...)
	for _, times := range [][]float64{overlap, alone, other} {
		slices.Sort(times)
	}
	sound := func(what string, f *quantile.Figures, times []float64, seconds float64) {
		t.Helper()
		if f == nil {
			t.Errorf("%s: none", what)
		} else if f.Requests != int64(len(times)) || math.Abs(f.Seconds-seconds) > 0.02 ||
			!near(f.P50NS, times, 0.5) || !near(f.P99NS, times, 0.99) ||
			!near(f.P999NS, times, 0.999) {
			t.Errorf(
				"%s: %d requests in %g s, p50 %v, p99 %v, p99.9 %v; want %d in %g s, %g, %g, %g",
				what, f.Requests, f.Seconds, f.P50NS, f.P99NS, f.P999NS,
				len(times), seconds, times[len(times)/2], times[len(times)*99/100],
				times[len(times)*999/1000])
		}
	}
	sound("in the overlap", &got.Figures, overlap, 9)
	sound("alone", got.Alone, alone, 10)
	check.Same(t, "alone from", "C alone", got.AloneFrom)
	if solo := a.Phases[0].Disks["C"].Latency; solo.Alone != nil || solo.Requests != 20_000 {
		t.Errorf("the phase of C alone: %+v", solo)
	}
	if b := a.Phases[2].Disks["B"].Latency; b.Requests != 500 || b.P50NS == nil || b.P99NS != nil ||
		b.P999NS != nil || b.MaxNS == 0 {
		t.Errorf("500 requests tell more than their middle: %+v", b)
	}
}

// Requests that were due and never made are reported, with their disk.
func TestLeftOut(t *testing.T) {
	p := playing(10, plenty(0, 0))
	p.Gauges = []trace.Gauge{
		{Disk: "A", Name: trace.LeftOut, TNS: 10e9, Value: 200},
		{Disk: "A", Name: trace.CachedShare, TNS: 10e9},
	}
	var got []Warning
	for _, w := range Analyze(tracetest.Run(p), Options{}).Phases[0].Warnings {
		if w.Code == "left_out" {
			got = append(got, w)
		}
	}
	check.Same(t, "warnings", []Warning{{Code: "left_out", Disk: "A",
		Values: RequestsValues{Requests: 200}}}, got, withoutTexts)
}
