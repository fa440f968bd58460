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
