package compare

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// searching is a run of a search for how many streams A plays clean while C writes, in which more
// than the limit drop.
func searching(kind string, limit int, tries ...int) Input {
	run := tracetest.Run()
	for _, n := range tries {
		spec := stream.Spec{Kind: kind, Rate: 100e6, Frame: 40 * time.Millisecond, Count: n,
			Buffer: time.Second}
		a := tracetest.Streams("A", []stream.Spec{spec}, 12, func(float64) float64 {
			return 100e6 * (float64(limit) + 0.5)
		})
		c := tracetest.Disk{Name: "C", Op: trace.Write,
			Levels: []tracetest.Level{{UntilS: 12, Rate: 1e9}}}.Play(rand.New(rand.NewPCG(uint64(n),
			3)))
		p := tracetest.Phase("edit "+string(rune('0'+n)), a, c)
		p.Work = map[string]work.Work{"A": {Streams: []stream.Spec{spec}}}
		p.Search = &trace.Try{Search: "edit", Kind: trace.SearchStreams, Disk: "A",
			Value: float64(n), Step: n, Steps: 6}
		run.Phases = append(run.Phases, p)
	}
	run.Disks, run.Status = []trace.Disk{{Name: "A"}, {Name: "C"}}, trace.Complete
	return Input{Label: "run", Trace: run, Analysis: analysis.Analyze(run, analysis.Options{})}
}

// Searches are compared by what they found, whatever they tried.
func TestSearches(t *testing.T) {
	three, two := 3.0, 2.0
	base, other := searching("hq", 3, 1, 2, 4, 3, 3, 4, 4), searching("hq", 2, 1, 2, 4, 3, 2, 3, 3)
	want := []SearchPair{{Name: "edit", Kind: "streams", Disk: "A",
		Base: []analysis.SearchResult{{Found: &three}},
		New:  []analysis.SearchResult{{Found: &two}}}}
	c := Runs(base, other)
	check.Same(t, "searches", want, c.Pairs[0].Searches)
	if p := c.Pairs[0]; len(p.Phases)+len(p.OnlyInBase)+len(p.OnlyInNew)+c.Tests != 0 {
		t.Errorf("tries are compared as phases: %+v", p)
	}
	want[0].Base, want[0].New = []analysis.SearchResult{{Found: &three}, {Found: &three}},
		[]analysis.SearchResult{{Found: &two}}
	check.Same(t, "of repeats", want, groups([]Input{base, base}, []Input{other}).Pairs[0].Searches)
	got := Runs(base, searching("raw", 3, 1, 2, 4, 3, 3, 4, 4)).Pairs[0].Searches
	if work := (&[2]string{"A: 1 x hq, buffer 1 s; C writes",
		"A: 1 x raw, buffer 1 s; C writes"}); len(got) != 1 || !cmp.Equal(got[0].Work, work) {
		t.Errorf("of another codec: got %+v, want %v", got, work)
	}
	if got := Runs(base, Input{Label: "none", Trace: tracetest.Run(),
		Analysis: analysis.Analyze(tracetest.Run(),
			analysis.Options{})}).Pairs[0]; got.Searches != nil ||
		!cmp.Equal(got.OnlyInBase, []string{"edit"}) {
		t.Errorf("a search of one run alone: %+v", got)
	}
}
