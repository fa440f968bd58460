package analysis

import (
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// hold20 writes at a rate in GB/s for 20 s.
func hold20(name string, rate float64) *trace.DiskTrace {
	return diskOf(name, "write", 100e6, pace{20, rate * 1e9})
}

// Repeats of a phase are one contest, as many as there are jobs in common; the one in which a disk keeps least is reported.
func TestContests(t *testing.T) {
	a := Analyze(tracetest.Run(
		tracetest.Phase("A", hold20("A", 1.5)), tracetest.Phase("B", hold20("B", 1.5)),
		tracetest.Phase("AB-1", hold20("A", 0.7), hold20("B", 1.4)), tracetest.Phase("AB-2", hold20("A", 0.8), hold20("B", 1.4)),
	), Options{})
	if n := len(a.Summary.Contests); n != 1 {
		t.Fatalf("%d contests, want one", n)
	}
	c := a.Summary.Contests[0]
	loser, winner := c.Disks["A"], c.Disks["B"]
	near := func(got, want float64) bool { return got > 0.99*want && got < 1.01*want }
	if len(c.Phases) != 2 || !near(loser.Rate, 0.75e9) || !near(loser.Kept(), 0.5) || loser.CI95[0] > 0.7e9 || loser.CI95[1] < 0.8e9 {
		t.Errorf("phases %v and %+v, want the mean of both and an interval that covers both", c.Phases, loser)
	}
	if !loser.Lost || loser.Won || winner.Lost || !winner.Won {
		t.Errorf("A lost %v, won %v; B lost %v, won %v", loser.Lost, loser.Won, winner.Lost, winner.Won)
	}
}

// What others gain without a disk is claimed beyond noise only, and not of a disk that is on a port of its own already.
func TestRemovals(t *testing.T) {
	phases := func() []*trace.Phase {
		return []*trace.Phase{
			tracetest.Phase("A", hold20("A", 1.5)), tracetest.Phase("B", hold20("B", 1.45)), tracetest.Phase("AB", hold20("A", 0.7), hold20("B", 1.45)),
		}
	}
	removals := Analyze(tracetest.Run(phases()...), Options{}).Summary.Removals
	if len(removals) != 2 || removals[0].Disk != "B" || removals[0].Gain < 1.1 || removals[1].Gain > 0.01 {
		t.Fatalf("%+v, want B's first, without which A has twice as much", removals)
	}
	if with, without := removals[0].Cases[0], removals[1].Cases[0]; len(with.Disks) != 1 || len(without.Disks) != 0 || with.Without != "A" {
		t.Errorf("without B %+v, without A %+v: want a gain of A alone", with, without)
	}
	moved := phases()
	own := tracetest.Phase("B direct", hold20("B", 2.9))
	own.Connections = map[string]string{"B": trace.Direct}
	removals = Analyze(tracetest.Run(append(moved, own)...), Options{}).Summary.Removals
	if got := removals[0].Own["write"]; got < 2.8e9 || got > 3e9 {
		t.Errorf("B on its own port has %g, want 2.9e9", got)
	}
	moved[2].Connections = map[string]string{"B": trace.Direct}
	for _, r := range Analyze(tracetest.Run(moved...), Options{}).Summary.Removals {
		if r.Disk == "B" {
			t.Errorf("advised to give B a port of its own, which it has: %+v", r)
		}
	}
}

// What is done in one phase is done in another if disks, roles, connections and test are the same.
func TestAmong(t *testing.T) {
	ab, abc := played("AB", "AB", trace.Write, 1), played("ABC", "ABC", trace.Write, 1)
	if !among(ab, abc) || among(abc, ab) || sameJobs(ab, abc) || !sameJobs(ab, played("again", "BA", trace.Write, 1)) {
		t.Error("two of three disks are among the three, but not the same jobs")
	}
	reads, tests, moved := played("r", "ABC", trace.Read, 1), played("t", "ABC", trace.Write, 1), played("m", "ABC", trace.Write, 1)
	tests.trace.Test, moved.connections["B"] = "x", trace.Direct
	for _, q := range []*phase{reads, tests, moved} {
		if among(ab, q) {
			t.Errorf("among the jobs of %s", q.out.Phase)
		}
	}
	tests.trace.Saturation, tests.trace.Test = &trace.Saturation{}, ""
	reads.out.Contention = nil
	paced := played("p", "ABC", trace.Write, 1)
	paced.parts[2].Work.Pace = 5
	if groups := repeats([]*phase{ab, abc, reads, tests, paced, played("2", "ABC", trace.Write, 1)}); len(groups) != 2 || len(groups[0]) != 1 || len(groups[1]) != 2 {
		t.Errorf("%d groups", len(groups))
	}
}

// C ended while A and B went on; each of the conditions for saying what that gave them.
func TestEndedFirst(t *testing.T) {
	to, lag := 90.0, 1.0
	recovered := Recovery{Disk: "A", Op: trace.Write, After: "C", AtS: 10, LagS: &lag, FromRate: 50, ToRate: &to}
	with := func(change func(*Recovery)) Recovery {
		r := recovered
		change(&r)
		return r
	}
	for _, tt := range []struct {
		name string
		r    Recovery
		want int
	}{
		{"A gained", recovered, 1},
		{"after another", with(func(r *Recovery) { r.After = "B" }), 0},
		{"its new rate is not known", with(func(r *Recovery) { r.ToRate = nil }), 0},
		{"nor when", with(func(r *Recovery) { r.LagS = nil }), 0},
		{"when others had ended as well", with(func(r *Recovery) { r.AtS = 19 }), 0},
	} {
		p := played("ABC", "ABC", trace.Write, 0.5)
		p.stages = append(p.stages, stageOf(0, 10, 0, 1, 2), stageOf(10, 20, 0, 1), stageOf(20, 30, 0))
		p.out.Recoveries = []Recovery{tt.r}
		got := endedFirst(p, "C")
		if len(got) != tt.want || tt.want > 0 && (got[0].Gain != 0.4 || got[0].Disks["A"] != RemovalFor{trace.Write, 50, 90}) { // 40 of 100
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// The phases that show what A and B have without C, and what C has on a port of its own.
func TestWithoutADisk(t *testing.T) {
	p := played("ABC", "ABC", trace.Write, 0.5)
	good, noOverlap, paced, reads, nothing, unsure := played("good", "AB", trace.Write, 0.8), played("none", "AB", trace.Write, 0.8), played("paced", "AB", trace.Write, 0.8), played("reads", "AB", trace.Read, 0.8), played("nothing", "AB", trace.Write, 0), played("unsure", "AB", trace.Write, 0.8)
	noOverlap.out.Overlap = nil
	paced.parts[0].Work.Pace = 9
	b := unsure.out.Overlap.Disks["B"]
	b.CI95 = nil
	unsure.out.Overlap.Disks["B"] = b
	got := idleElsewhere(p, "C", []*phase{p, good, noOverlap, paced, reads, nothing, played("BC", "BC", trace.Write, 0.8), played("A", "A", trace.Write, 0.8), unsure})
	if len(got) != 2 || got[0].Without != "good" || len(got[0].Disks) != 2 || got[1].Without != "unsure" || len(got[1].Disks) != 1 {
		t.Fatalf("%+v", got)
	}
	within(t, "gain", got[1].Gain, 0.6, 1e-12)
	own := func(name, disks string, op trace.Role, kept float64, connection string) *phase {
		p := played(name, disks, op, kept)
		p.out.Overlap.Rate = 100 * kept
		p.connections["C"] = connection
		return p
	}
	slow, gone := own("paced", "C", trace.Write, 5, trace.Direct), own("gone", "C", trace.Write, 6, trace.Direct)
	slow.parts[0].Work.Pace, gone.out.Overlap = 5, nil
	rates := ownRates([]*phase{own("w", "C", trace.Write, 2, trace.Direct), own("r", "C", trace.Read, 3, trace.Internal), own("hub", "C", trace.Read, 4, trace.OnHub), own("AC", "AC", trace.Write, 7, trace.Direct), own("A", "A", trace.Write, 8, trace.Direct), slow, gone}, "C")
	if len(rates) != 2 || rates[trace.Write] != 200 || rates[trace.Read] != 300 {
		t.Errorf("on its own port: %v", rates)
	}
	if got := ownRates([]*phase{p}, "C"); got != nil {
		t.Errorf("never there: %v", got)
	}
}
