package analysis_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
)

// finds reports whether a finding is about a change: it names one of the disks and what it does.
func (want *truthChange) finds(f *finding) bool {
	codes := append(slices.Clone(want.Kinds), map[string][]string{
		"own_fall": {"throttle", "heat", "cache_full"}, "recovery": {"start", "redistribution"},
	}[want.Kinds[0]]...)
	about := func(disk string) bool { return slices.Contains(want.Disks, disk) }
	return f.Phase == want.Phase && slices.Contains(codes, f.Code) &&
		slices.ContainsFunc(append(f.Disks, f.Disk), about)
}

// rightly reports whether the kind is right, or unknown, and nothing is blamed that was not it.
func (c *change) rightly(want *truthChange) bool {
	return (c.Kind == "unknown" || slices.Contains(want.Kinds, c.Kind)) &&
		(c.By == "" || c.By == want.By) && !slices.Contains(want.Not, c.Cause)
}

// near are the changes that may tell of a true one, rightly or not: of one of its disks, at its
// time.
func near(all []change, want *truthChange) []change {
	var found []change
	for _, c := range all {
		if c.Phase == want.Phase && at(&c, want) &&
			slices.ContainsFunc(c.Disks, func(d string) bool {
				return slices.Contains(want.Disks, d)
			}) {
			found = append(found, c)
		}
	}
	return found
}

// at reports whether the change is told when it was. A step is one point of time, whose interval,
// or whose lag after another disk's end, may be given; of what lasts at least half must be covered,
// by no more than half as much again.
func at(c *change, want *truthChange) bool {
	if want.EndS > 0 {
		if slices.Contains(want.Kinds, "warm_up") && math.Abs(c.EndS-want.EndS) <= want.OffS {
			return true // told by its end alone
		}
		both, length := min(c.EndS, want.EndS)-max(c.StartS, want.AtS), want.EndS-want.AtS
		return both >= 0.5*length && c.EndS-c.StartS <= 1.5*length+2*want.OffS
	}
	return math.Abs(c.StartS-want.AtS) <= want.OffS || math.Abs(c.EndS-want.AtS) <= want.OffS
}

// tells reports whether all disks of a true change are told of, no others but those that changed as
// well just then, and the rates afterwards, as far as they are given for single disks.
func tells(found []change, want *truthChange, truths []truthChange, noise float64) bool {
	told := map[string]bool{}
	for _, c := range found {
		if c.Kind == "stall" && want.Kinds[0] != "stall" && len(found) > 1 {
			continue // What the disk did afterwards is another change.
		}
		for _, d := range c.Disks {
			told[d] = true
			if !slices.ContainsFunc(truths, func(other truthChange) bool {
				return other.Phase == c.Phase && slices.Contains(other.Disks, d) && at(&c, &other)
			}) {
				return false
			}
		}
		if to := want.To[c.Disks[0]]; len(c.Disks) == 1 && to > 0 &&
			math.Abs(c.ToRate/to-1) > 0.1+noise {
			return false
		}
	}
	return !slices.ContainsFunc(want.Disks, func(d string) bool { return !told[d] })
}

// edge reports whether the change is told of a disk's start or end, or of a pause between its
// files, and is there.
func (c *change) edge(run *trace.Run) bool {
	if c.Kind != "start" && c.Kind != "end" {
		return false
	}
	i := slices.IndexFunc(run.Phases, func(p *trace.Phase) bool { return p.Name == c.Phase })
	for _, d := range run.Phases[i].Disks {
		for k, f := range d.Files {
			if k == 0 && c.about(f.StartNS) || k == len(d.Files)-1 && c.about(f.EndNS) {
				return true
			}
			if k > 0 && f.StartNS-d.Files[k-1].EndNS >= 5e8 &&
				(c.about(f.StartNS) || c.about(d.Files[k-1].EndNS)) {
				return true
			}
		}
	}
	return false
}

func (c *change) about(tNS int64) bool {
	s := float64(tNS) / 1e9
	return c.StartS-0.5 <= s && s <= c.EndS+0.5 && c.EndS-c.StartS < 30
}

// The counts above see what they are for.
func TestTruthIsTold(t *testing.T) {
	fall := truthChange{
		Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: 20, OffS: 0.5,
		Not: []string{"link"}, To: map[string]float64{"A": 1e9},
	}
	swap := truthChange{
		Phase: "WW", Kinds: []string{"redistribution"}, Disks: []string{"A", "B"}, AtS: 40,
		OffS: 0.5,
	}
	stall := truthChange{
		Phase: "WW", Kinds: []string{"stall"}, Disks: []string{"B"}, AtS: 50, EndS: 54, OffS: 0.5,
	}
	truths := []truthChange{fall, swap, stall}
	told := func(kind string, startS, endS float64, disks ...string) change {
		return change{Phase: "WW", StartS: startS, EndS: endS, Disks: disks, Kind: kind}
	}
	fell := func(edit func(c *change)) []change {
		c := told("own_fall", 19.9, 20.1, "A")
		c.ToRate = 1e9
		edit(&c)
		return []change{c}
	}
	for _, c := range []struct {
		name string
		want truthChange
		got  []change
		told bool
		as   bool // rightly
	}{
		{"as it was", fall, fell(func(*change) {}), true, true},
		{"of another kind", fall, fell(func(c *change) { c.Kind = "stall" }), true, false},
		{"for no reason", fall,
			fell(func(c *change) { c.Kind, c.Cause = "unknown", "unknown" }), true, true},
		{"for a false reason", fall, fell(func(c *change) { c.Cause = "link" }), true, false},
		{"as another's doing", fall,
			fell(func(c *change) { c.Kind, c.By = "unknown", "B" }), true, false},
		{"too late", fall, fell(func(c *change) { c.StartS, c.EndS = 21, 21.2 }), false, true},
		{"in another phase", fall, fell(func(c *change) { c.Phase = "W" }), false, true},
		{"of another disk", fall, fell(func(c *change) { c.Disks[0] = "B" }), false, true},
		{"of one disk too many", fall,
			fell(func(c *change) { c.Disks = []string{"A", "B"} }), false, true},
		{"to another rate", fall, fell(func(c *change) { c.ToRate = 1.3e9 }), false, true},
		{"of both", swap, []change{told("redistribution", 40, 40, "A", "B")}, true, true},
		{"of both, one by one", swap, []change{
			told("redistribution", 40, 40, "A"), told("redistribution", 40, 40, "B"),
		}, true, true},
		{"of one of two", swap, []change{told("redistribution", 40, 40, "A")}, false, true},
		{"while it lasted", stall, []change{told("stall", 50, 53.5, "B")}, true, true},
		{"for a part of it", stall, []change{told("stall", 50, 51.5, "B")}, false, true},
		{"for ever", stall, []change{told("stall", 20, 60, "B")}, false, true},
		{"not at all", stall, nil, false, true},
	} {
		check.Same(t, "told "+c.name, c.told, tells(near(c.got, &c.want), &c.want, truths, 0.02))
		for _, f := range c.got {
			check.Same(t, fmt.Sprintf("told %s: rightly", c.name), c.as, f.rightly(&c.want))
		}
	}
}
