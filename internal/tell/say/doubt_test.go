package say

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// A run whose numbers cannot be trusted leads with why, and with no verdict; one that can be has no doubts.
func TestDoubts(t *testing.T) {
	both := func() *trace.Run {
		return tracetest.Run(
			steady("A W", writes("A", 1.5)), steady("B W", writes("B", 1.5)),
			tracetest.Phase("WW", disk("A", "write", pace{20, 0.7}), disk("B", "write", pace{20, 0.7})),
		)
	}
	busy, failed, ended, cached, short := both(), both(), both(), both(), both()
	for s := range 20 {
		busy.Phases[2].Gauges = append(busy.Phases[2].Gauges, trace.Gauge{Name: trace.CPU, TNS: int64(s) * 1e9, Value: 100})
	}
	failed.Status = trace.Partial
	failed.Phases[2].Disks[1].Errors = []trace.Failure{{TNS: 19e9, Seq: 7, Error: "disk B: write: input/output error"}}
	ended.Status, ended.Phases[2].Status = trace.Partial, trace.Partial
	lazy := disk("A", "read", pace{10, 0.3})
	cached.Phases = append(cached.Phases, tracetest.Phase("R", lazy))
	cached.Phases[3].Gauges = tracetest.Counters(lazy, 10, 0, tracetest.Traffic{ToS: 10, Rate: -150e6})
	// The rates swing so much, for so short a time, that they say nothing.
	short.Phases[2] = tracetest.Phase("WW", uncertain("A"), uncertain("B"))
	for _, tt := range []struct {
		name  string
		run   *trace.Run
		codes []string
		lead  string
	}{
		{"trusted", both(), nil, "All lose alike when both write."},
		{"a busy computer", busy, []string{analysis.DoubtHostBound}, "The rates may be this computer's limit and not the disks': its cores were 100 % busy (A and B write)."},
		{"a disk that failed", failed, []string{analysis.DoubtFailed}, "Disk B failed (A and B write): write: input/output error."},
		{"an early end", ended, []string{analysis.DoubtPartial}, "Partial run: one phase (A and B write) ended early"},
		{"a cache", cached, []string{analysis.DoubtCached}, "50 % of what A read (A reads) came from a cache"},
		{"wide intervals", short, []string{analysis.DoubtImprecise}, "Too uncertain to say who wins: "},
	} {
		a := Analyze(tt.run, analysis.Options{})
		var codes []string
		for _, d := range a.Answer.Doubts {
			codes = append(codes, d.Code)
		}
		if strings.Join(codes, " ") != strings.Join(tt.codes, " ") || !strings.HasPrefix(a.Answer.Headline, tt.lead) {
			t.Errorf("%s: %q leads with %q, sure %+v, want %q and %q", tt.name, codes, a.Answer.Headline, a.Answer.Sure, tt.codes, tt.lead)
		}
	}
}

// uncertain is a disk whose few files differ many times over.
func uncertain(name string) *trace.DiskTrace {
	d := &trace.DiskTrace{Name: name, Op: trace.Write}
	at := int64(0)
	for i := range 14 {
		took := int64(0.05e9)
		if i%7 == 3 {
			took = 6e9
		}
		d.Files = append(d.Files, trace.File{Seq: i, Bytes: 500e6, StartNS: at, EndNS: at + took})
		at += took
	}
	return d
}
