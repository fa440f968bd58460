package change

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/stats"
)

// group is steps that may be one swing.
type group struct {
	kind  string
	disks []string
	steps []step
}

// swings makes one event of five or more steps of the same disks that go to and fro between two
// levels, and returns the steps that are left.
func (p *phase) swings(steps []step) (out []Event, left []step) {
	left = steps
	for _, g := range groups(steps) {
		e, ok := g.swing()
		if !ok {
			continue
		}
		out = append(out, e)
		var rest []step
		for _, s := range left {
			of := e.covers(s)
			for _, x := range g.steps {
				of = of || x.event == s.event
			}
			if !of {
				rest = append(rest, s)
			}
		}
		left = rest
	}
	return out, left
}

// covers reports whether a step is one more of a swing's: between its two levels, no more than a
// cycle before or after those that are known.
func (e *Event) covers(s step) bool {
	if s.EndNS < e.AtNS-e.PeriodNS || s.EndNS > e.EndNS+e.PeriodNS {
		return false
	}
	for _, x := range s.Shifts {
		swing, ok := e.Of(x.Disk)
		high, low := max(x.From, x.To), min(x.From, x.To)
		if !ok || ratio(high, swing.From) > highSpread || ratio(low, swing.To) > lowSpread {
			return false
		}
	}
	return true
}

// ratio returns how many times as large the larger of two is.
func ratio(a, b float64) float64 { return max(a, b) / min(a, b) }

// groups puts steps together that the same disks make in the same way: by themselves, by one
// factor, or against each other with a total that stays.
func groups(steps []step) []*group {
	var all []*group
	add := func(kind string, disks []string, s step, same func(g *group) bool) {
		for _, g := range all {
			if g.kind == kind && same(g) {
				g.steps = append(g.steps, s)
				return
			}
		}
		all = append(all, &group{kind, disks, []step{s}})
	}
	for _, s := range steps {
		disks := s.Disks
		exactly := func(g *group) bool { return slices.Equal(g.disks, disks) }
		about := func(g *group) bool { return likeSets(g.disks, disks) > sameDisks }
		if s.role == began || s.role == ended {
			add("bouts of "+s.By, disks, s, about)
		}
		switch {
		case s.role == own && !responded(steps, s.event):
			add("own", disks, s, exactly)
		case s.role == own || s.role == response || s.role == turn:
			both, balanced := whole(steps, s)
			disks = both.Disks
			if balanced {
				add("turn", disks, both, exactly)
			} else if s.role == own {
				disks = s.Disks
				add("own", disks, s, exactly)
			}
		case s.role == common:
			add("common", disks, s, about)
		case s.role == ended:
			for _, g := range all {
				if g.kind == "common" && about(g) {
					g.steps = append(g.steps, s)
					break
				}
			}
		}
	}
	return all
}

// responded reports whether others responded to the event's source.
func responded(steps []step, e *event) bool {
	roles := map[role]bool{}
	n := 0
	for _, s := range steps {
		if s.event == e {
			roles[s.role] = true
			n++
		}
	}
	return n == 2 && roles[own] && roles[response]
}

// whole returns all that happened at a step's event as one step, and whether the total stayed.
func whole(steps []step, of step) (step, bool) {
	both := of
	both.Disks, both.Shifts = nil, nil
	var sum, all float64
	for _, s := range steps {
		if s.event != of.event {
			continue
		}
		both.Disks = append(both.Disks, s.Disks...)
		both.Shifts = append(both.Shifts, s.Shifts...)
		for _, x := range s.Shifts {
			sum += x.To - x.From
			all += math.Abs(x.To - x.From)
		}
	}
	slices.Sort(both.Disks)
	slices.SortFunc(both.Shifts, func(a, b Shift) int { return strings.Compare(a.Disk, b.Disk) })
	return both, math.Abs(sum) < turnShare*all
}

// likeSets returns how many disks two sets have in common, as a share of all.
func likeSets(a, b []string) float64 {
	common := 0
	for _, name := range a {
		if slices.Contains(b, name) {
			common++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// swing describes the group's steps as one event; not ok if they don't alternate between two
// levels of the disk that has most of them.
func (g *group) swing() (Event, bool) {
	slices.SortStableFunc(g.steps, func(a, b step) int { return cmp.Compare(a.EndNS, b.EndNS) })
	most, disk := 0, ""
	for _, name := range g.disks {
		n := 0
		for _, s := range g.steps {
			if slices.Contains(s.Disks, name) {
				n++
			}
		}
		if n > most {
			most, disk = n, name
		}
	}
	var steps []step
	for _, s := range g.steps {
		repeats := len(steps) > 0 && steps[len(steps)-1].event == s.event
		if slices.Contains(s.Disks, disk) && !repeats {
			steps = append(steps, s)
		}
	}
	g.steps = steps
	if len(steps) < minSwingSteps {
		return Event{}, false
	}
	var rises []bool
	for i := range steps {
		shift, _ := steps[i].Of(disk)
		rise := shift.To > shift.From
		if i > 0 && rise == rises[i-1] {
			return Event{}, false
		}
		rises = append(rises, rise)
	}
	// The phase may cut the last level short.
	high, low := spread(steps[:len(steps)-1], true), spread(steps[:len(steps)-1], false)
	if high > math.Log(highSpread) || low > math.Log(lowSpread) {
		return Event{}, false
	}
	return describe(steps, rises), true
}

// spread returns how far the levels that steps up lead to lie apart, or those of steps down, as
// logarithms: in the mean of the disks that make each step.
func spread(steps []step, up bool) float64 {
	levels := map[string][]float64{}
	for _, s := range steps {
		for _, x := range s.Shifts {
			if (x.To > x.From) == up {
				levels[x.Disk] = append(levels[x.Disk], math.Log(x.To))
			}
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range steps {
		var sum, n float64
		for _, x := range s.Shifts {
			if (x.To > x.From) == up {
				sum += math.Log(x.To) - stats.Median(levels[x.Disk])
				n++
			}
		}
		if n > 0 {
			low, high = min(low, sum/n), max(high, sum/n)
		}
	}
	return high - low
}

// describe makes an event of steps that alternate.
func describe(steps []step, rises []bool) Event {
	last := len(steps) - 1
	widest := steps[0]
	var periods, lows []int64
	var moments []int64
	for i, s := range steps {
		moments = append(moments, s.EndNS)
		if len(s.Shifts) > len(widest.Shifts) {
			widest = s
		}
		if i >= 2 {
			periods = append(periods, s.EndNS-steps[i-2].EndNS)
		}
		if i < last && !rises[i] {
			lows = append(lows, steps[i+1].EndNS-s.EndNS)
		}
	}
	e := Event{
		AtNS: steps[0].EndNS, EndNS: steps[last].EndNS, Kind: Swing, Disks: widest.Disks,
		PeriodNS: medianNS(periods), LowNS: medianNS(lows),
		Moments: moments, By: steps[0].By, Evidence: steps[0].Evidence,
	}
	for _, s := range steps {
		if s.By != e.By {
			e.By = ""
		}
	}
	for _, s := range widest.Shifts {
		s.From, s.To = max(s.From, s.To), min(s.From, s.To)
		e.Shifts = append(e.Shifts, s)
	}
	return e
}
