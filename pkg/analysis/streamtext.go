package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// counted returns the outcome of the frames that count: beside other disks those that were due
// while all of these worked.
func (t *StreamTotal) counted() StreamWithOthers {
	if t.WithOthers != nil {
		return *t.WithOthers
	}
	return StreamWithOthers{
		Due: t.Due, Late: t.Late, LateShare: float64(t.Late) / float64(t.Due),
		LowestBufferS: &t.LowestBufferS, Verdict: t.Verdict,
	}
}

// outcome says what came of a disk's streams, in a sentence without its full stop: "A played 4 of 4
// streams without a dropped frame; the buffer never fell below 0.7 s". With other disks it says so
// of the time in which all of these were busy, and of the other times if that differs.
func outcome(t *StreamTotal, p *PhaseResult) string {
	if t.Verdict == "" {
		return t.Disk + " had no frame due before the phase ended"
	}
	seen := t.counted()
	tested := unit.FormatSeconds(seen.TestedS)
	when := ""
	if t.WithOthers != nil {
		when = " in the " + tested + " when " + did(p, seen.Disks)
	}
	text := t.Disk + " " + streaming(t.Op).Past + " " + t.streams()
	clean := text + " without a dropped frame" + when
	switch seen.Verdict {
	case stream.Clean:
		text = clean + "; the buffer never fell below " + roundedDown(*seen.LowestBufferS)
	case stream.Strained:
		text = clean + ", but the buffer fell to " + t.bufferLeft(*seen.LowestBufferS)
	case stream.Drops:
		text = t.Disk + " dropped " + framesOf(seen.Late, seen.Due) + when
	default:
		text += ", but only for " + tested + " while " + did(p, seen.Disks) +
			": too short to call that clean"
	}
	switch late, due := t.Late-seen.Late, t.Due-seen.Due; {
	case late > 0:
		text += "; " + framesOf(late, due) + " were dropped " + pick(len(seen.LateAfter) == 0,
			"at other times", "after "+unit.List(seen.LateAfter)+" had ended")
	case due > 0 && seen.Late > 0 && len(t.LateOnlyWhile) > 0:
		text += ", and none of " + unit.FormatCount(due) + " at other times"
	case seen.Verdict == stream.Clean && t.Verdict == stream.Strained:
		text += "; at other times it fell to " + t.bufferLeft(t.LowestBufferS)
	}
	if t.Verdict != stream.Drops {
		return text
	}
	if t.Drops < t.Streams {
		text += fmt.Sprintf("; %d of %d streams dropped none", t.Streams-t.Drops, t.Streams)
	}
	return text + "; the longest stall took " + unit.FormatSeconds(t.LongestStallS)
}

// streams returns "4 of 4 streams", or "its stream".
func (t *StreamTotal) streams() string {
	return pick(t.Streams == 1, "its stream", fmt.Sprintf("%d of %d streams", t.Streams, t.Streams))
}

// bufferLeft returns "0.24 s of 1 s".
func (t *StreamTotal) bufferLeft(lowestS float64) string {
	return roundedDown(lowestS) + " of " + unit.FormatSeconds(t.BufferS)
}

// framesOf returns "201 of 2,901 frames".
func framesOf(late, due int) string {
	return unit.FormatCount(late) + " of " + unit.FormatCount(due) + " frames"
}

// roundedDown rounds a buffer down to a hundredth of a second, or a tenth of 10 s or more: so full
// it was, and more.
func roundedDown(s float64) string {
	step := pick(s >= 10, 10.0, 100)
	return strconv.FormatFloat(math.Floor(s*step+1e-6)/step, 'f', -1, 64) + " s"
}

// streaming returns what a disk does that plays or records.
func streaming(op trace.Role) work.Verb {
	return work.Work{Streams: []stream.Spec{{Record: op == trace.Write}}}.Verb()
}

// did returns what disks did beside others: "B and C wrote", "B read and C wrote".
func did(p *PhaseResult, disks []string) string {
	return doing(p, disks, func(v work.Verb, _ int) string { return v.Past })
}

// do returns what disks do: "B and C write", "B reads and C writes".
func do(p *PhaseResult, disks []string) string { return doing(p, disks, work.Verb.Of) }

// doing puts the disks together that do the same, however much of it and however fast. Who reads
// comes before who writes.
func doing(p *PhaseResult, disks []string, form func(v work.Verb, disks int) string) string {
	does := func(disk string) work.Verb {
		w := workOf(p, disk)
		w.Streams = nil
		return w.Verb()
	}
	byVerb := func(a, b string) int { return cmp.Compare(does(a).One, does(b).One) }
	disks = slices.SortedStableFunc(slices.Values(disks), byVerb)
	return strings.Join(work.Clauses(disks, does, form), " and ")
}

// neighbours returns the disks at work beside one, in the run's order, probes aside: these measure
// and hardly disturb.
func neighbours(order []string, p *PhaseResult, disk string) []string {
	return slices.DeleteFunc(present(order, p.Disks), func(n string) bool {
		return n == disk || p.Paced[n].Probe > 0
	})
}

func workOf(p *PhaseResult, disk string) work.Work {
	w := p.Paced[disk]
	w.Op = p.Disks[disk].Op
	return w
}

// streamOutcomes says how many streams searches have found and what came of the streams of all
// other phases, the worst first. It is empty if there were none.
func (w writer) streamOutcomes() []string {
	clauses := Each(w.Searches, func(s SearchSummary) string {
		// Another may have found something else.
		other := slices.ContainsFunc(w.Searches, func(o SearchSummary) bool {
			return o.Name != s.Name && o.Kind == s.Kind && o.Disk == s.Disk
		})
		return w.searchResult(&s) + pick(other, " ("+s.Name+")", "")
	})
	var all []situation
	for _, p := range w.Phases {
		for _, t := range p.StreamTotals {
			if p.Search != nil || t.Verdict == "" {
				continue
			}
			seen := t.counted()
			all = append(all, situation{
				PhaseResult: &p, disk: t.Disk, streams: &t, seen: seen,
				// A trace may not say which streams they are.
				what: cmp.Or(strings.TrimSpace(workOf(&p, t.Disk).Listed()),
					unit.Plural(t.Streams, "stream")),
				outcome: fmt.Sprint(t.Op, seen.Verdict, seen.Late, t.Late),
			})
		}
	}
	distinguish(w.Order, all)
	groups := Grouped(all, func(s situation) [3]string {
		return [3]string{s.disk, s.what, s.outcome}
	})
	worst := []stream.Verdict{stream.Drops, stream.Strained, "", stream.Clean}
	slices.SortStableFunc(groups, func(a, b []situation) int {
		x, y := a[0].seen, b[0].seen
		return cmp.Or(slices.Index(worst, x.Verdict)-slices.Index(worst, y.Verdict),
			cmp.Compare(y.LateShare, x.LateShare))
	})
	return append(clauses, Each(groups, func(group []situation) string {
		return streamText(group, slices.ContainsFunc(all, func(o situation) bool {
			return o.disk == group[0].disk && o.what != group[0].what
		}))
	})...)
}

// streamText returns what came of a disk's streams in one phase, or in several in which it is the
// same, and when; and which streams these are if the disk has others elsewhere.
func streamText(group []situation, others bool) string {
	t := group[0].streams
	seen := group[0].seen
	var whens []string
	for _, s := range group {
		if !slices.Contains(whens, s.when) {
			whens = append(whens, s.when)
		}
		// The shortest test counts.
		if s.seen.Disks != nil && (seen.TestedS == 0 || s.seen.TestedS < seen.TestedS) {
			seen.TestedS = s.seen.TestedS
		}
	}
	when := " " + unit.List(whens)
	tested := unit.FormatSeconds(seen.TestedS)
	text := t.Disk + " " + streaming(t.Op).One + " " + pick(others, group[0].what, t.streams()) +
		" without a dropped frame"
	switch seen.Verdict {
	case stream.Drops:
		percent := pick(seen.LateShare < 0.001, "under 0.1", twoFigures(100*seen.LateShare))
		return t.Disk + " drops " + percent + "% of frames" +
			pick(others, " of "+group[0].what, "") + when
	case stream.Strained:
		text += " but strained (its buffer falls below half)"
	case "":
		return "whether " + text + when + " was tested for only " + tested
	}
	text += when + pick(seen.TestedS > 0, " (tested for "+tested+")", "")
	if t.Late > 0 {
		text += ", and drops " + framesOf(t.Late, t.Due-seen.Due) + " at other times"
	}
	return text
}

// situation is a disk in a phase about which something is to be said.
type situation struct {
	*PhaseResult
	disk string
	// Situations with one disk, what and when contradict each other if their outcomes differ.
	what    string
	outcome string
	when    string           // when says who else works: "alone", "when Backup writes".
	streams *StreamTotal     // streams is nil unless it is about streams.
	seen    StreamWithOthers // seen counts the frames that matter.
}

// distinguish fills in when each situation was. Situations of one disk that would read the same
// although their outcomes differ say as much more as sets them apart.
func distinguish(order []string, all []situation) {
	conditions := Each(all, func(s situation) [4]string { return s.conditions(order, all) })
	for detail := range 4 {
		before := slices.Clone(all)
		for i, s := range before {
			unclear := func(o situation) bool {
				return o.disk == s.disk && o.what == s.what && o.when == s.when &&
					o.outcome != s.outcome
			}
			if detail == 0 || slices.ContainsFunc(before, unclear) {
				all[i].when = conditions[i][detail]
			}
		}
	}
}

// conditions say who else works, and then more and more: how fast and how much of what they move,
// where the disks are connected, and at last which phase it is. A disk without a limit says so
// where it has one in another of the situations. A phase's own name comes first where it is no
// pattern.
func (s *situation) conditions(order []string, all []situation) [4]string {
	who, fully := "alone", "alone"
	if others := neighbours(order, s.PhaseResult, s.disk); len(others) > 0 {
		who = "when " + do(s.PhaseResult, others)
		fully = "when " + unit.List(Each(others, func(name string) string {
			w := workOf(s.PhaseResult, name)
			limited := func(o situation) bool { return o.disk == s.disk && o.Paced[name].Pace > 0 }
			full := !w.IsPaced() && slices.ContainsFunc(all, limited)
			return name + " " + w.Verb().One + w.Listed() + pick(full, " at full speed", "")
		}))
	}
	connected := fully
	if where := present(order, s.Connections); len(where) > 0 {
		connected += " with " + unit.List(Each(where, func(name string) string {
			switch port := s.Connections[name]; port {
			case trace.Direct:
				return name + " connected directly"
			case trace.OnHub:
				return name + " on the hub"
			default:
				return fmt.Sprintf("%s connected to %q", name, port)
			}
		}))
	}
	named := pick(s.Title == s.Name, "in phase "+s.Title+", "+fully, fully+" ("+s.Name+")")
	return [4]string{who, fully, connected, named}
}
