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

// outcome says what came of a disk's streams, in a sentence without its full stop: "A played 4 of 4 streams
// without a dropped frame; the buffer never fell below 0.7 s". With other disks it says so of the time in which
// all of these were busy.
func outcome(t *StreamTotal, p *Phase) string {
	if t.Verdict == "" {
		return t.Disk + " had no frame due before the phase ended"
	}
	verdict, late, due, lowest := counted(*t)
	b, when := t.Beside, ""
	if b != nil {
		when = " in the " + unit.FormatSeconds(b.TestedS) + " when " + did(p, b.Disks)
	}
	var text string
	switch verdict {
	case stream.Clean:
		text = fmt.Sprintf("%s without a dropped frame%s; the buffer never fell below %s", moved(t), when,
			roundedDown(lowest))
	case stream.Strained:
		text = fmt.Sprintf("%s without a dropped frame%s, but the buffer fell to %s of %s", moved(t), when,
			roundedDown(lowest), unit.FormatSeconds(t.BufferS))
	case stream.Drops:
		text = fmt.Sprintf("%s dropped %s of %s frames%s", t.Disk, unit.FormatCount(late), unit.FormatCount(due), when)
	default:
		text = fmt.Sprintf("%s, but only for %s while %s: too short to call that clean", moved(t),
			unit.FormatSeconds(b.TestedS), did(p, b.Disks))
	}
	text += otherTimes(t)
	if t.Verdict != stream.Drops {
		return text
	}
	if t.Streams > 1 && t.Drops < t.Streams {
		text += fmt.Sprintf("; %d of %d streams dropped none", t.Streams-t.Drops, t.Streams)
	}
	return text + "; the longest stall took " + unit.FormatSeconds(t.LongestStallS)
}

// otherTimes says what came of the frames that were due when not all of the others were busy, if that differs.
func otherTimes(t *StreamTotal) string {
	b := t.Beside
	if b == nil {
		return ""
	}
	when := pick(len(b.LateAfter) == 0, "at other times", "after "+unit.List(b.LateAfter)+" had ended")
	switch late, due := t.Late-b.Late, t.Due-b.Due; {
	case late > 0:
		return fmt.Sprintf("; %s of %s frames were dropped %s", unit.FormatCount(late), unit.FormatCount(due), when)
	case b.Late > 0 && len(t.LateOnlyWhile) > 0:
		return fmt.Sprintf(", and none of %s at other times", unit.FormatCount(due))
	case b.Verdict == stream.Clean && t.Verdict == stream.Strained:
		return fmt.Sprintf("; at other times it fell to %s of %s", roundedDown(t.LowestBufferS), unit.FormatSeconds(t.BufferS))
	}
	return ""
}

// moved is "A played 4 of 4 streams", or "A recorded its stream".
func moved(t *StreamTotal) string {
	what := pick(t.Streams == 1, "its stream", fmt.Sprintf("%d of %d streams", t.Streams, t.Streams))
	return t.Disk + " " + streaming(t.Op).Past + " " + what
}

// streaming is what a disk does that plays or records.
func streaming(op trace.Role) work.Verb {
	return work.Work{Streams: []stream.Spec{{Record: op == trace.Write}}}.Verb()
}

// atLeast rounds a buffer down to a tenth of a second, or below that to a hundredth: so full it was, and more.
func roundedDown(s float64) string {
	step := pick(s >= 10, 10.0, 100)
	return strconv.FormatFloat(math.Floor(s*step+1e-6)/step, 'f', -1, 64) + " s"
}

// did is what disks did beside others: "B and C wrote", "B read and C wrote".
func did(p *Phase, disks []string) string {
	return doing(p, disks, func(v work.Verb, _ int) string { return v.Past })
}

// do is what disks do: "B and C write", "B reads and C writes".
func do(p *Phase, disks []string) string { return doing(p, disks, work.Verb.Of) }

// doing puts the disks together that do the same, however much of it and however fast.
func doing(p *Phase, disks []string, form func(v work.Verb, disks int) string) string {
	does := func(disk string) work.Verb {
		w := workOf(p, disk)
		w.Streams = nil
		return w.Verb()
	}
	disks = slices.Clone(disks)
	// Who reads comes before who writes.
	slices.SortStableFunc(disks, func(a, b string) int { return cmp.Compare(does(a).One, does(b).One) })
	return strings.Join(work.Clauses(disks, does, form), " and ")
}

// others are the disks at work beside one, in the run's order, probes aside: these measure and hardly disturb.
func others(order []string, p *Phase, disk string) []string {
	return slices.DeleteFunc(present(order, p.Disks), func(n string) bool { return n == disk || p.Paced[n].Probe > 0 })
}

// played says how many streams searches have found and what came of the streams of all other phases, the worst
// first. It is empty if there were none.
func (en english) played() []string {
	clauses := Each(en.Searches, func(s Search) string {
		other := slices.ContainsFunc(en.Searches, func(o Search) bool { // which may have found something else
			return o.Name != s.Name && o.Kind == s.Kind && o.Disk == s.Disk
		})
		return en.searched(&s) + pick(other, " ("+s.Name+")", "")
	})
	var all []playedStreams
	for _, p := range en.Phases {
		for _, t := range p.StreamTotals {
			if p.Search != nil || t.Verdict == "" {
				continue
			}
			what := unit.Plural(t.Streams, "stream") // of a trace that does not say which
			if len(p.Paced[t.Disk].Streams) > 0 {
				what = strings.TrimSpace(workOf(&p, t.Disk).Listed())
			}
			all = append(all, playedStreams{StreamTotal: t, in: situation{&p, t.Disk, what}})
		}
	}
	situations := Each(all, func(s playedStreams) situation { return s.in })
	same := func(i, k int) bool { return all[i].result() == all[k].result() }
	for i, when := range conditions(en.Order, situations, same) {
		all[i].when = when
	}
	groups := Grouped(all, playedStreams.result)
	slices.SortStableFunc(groups, func(a, b []playedStreams) int { return cmp.Compare(b[0].worse(), a[0].worse()) })
	return append(clauses, Each(groups, func(group []playedStreams) string {
		elsewhere := func(o playedStreams) bool { return o.Disk == group[0].Disk && o.in.what != group[0].in.what }
		return playedText(group, slices.ContainsFunc(all, elsewhere))
	})...)
}

// playedStreams is what came of a disk's streams in a phase.
type playedStreams struct {
	StreamTotal
	in   situation
	when string
}

// counted is what came of the frames that count: beside other disks those that were due while all of these worked.
func counted(t StreamTotal) (verdict stream.Verdict, late, due int, lowestS float64) {
	if b := t.Beside; b != nil {
		return b.Verdict, b.Late, b.Due, b.LowestBufferS
	}
	return t.Verdict, t.Late, t.Due, t.LowestBufferS
}

// playedResult is what is told of streams: of those with the same one, it is told once.
type playedResult struct {
	disk, what  string
	op          trace.Role
	verdict     stream.Verdict
	late, total int
}

func (s playedStreams) result() playedResult {
	verdict, late, _, _ := counted(s.StreamTotal)
	return playedResult{s.Disk, s.in.what, s.Op, verdict, late, s.Late}
}

// worse orders by the share of dropped frames; streams that were strained, or tested too briefly, count more than
// clean ones.
func (s playedStreams) worse() float64 {
	switch verdict, late, due, _ := counted(s.StreamTotal); verdict {
	case stream.Drops:
		return float64(late) / float64(due)
	case stream.Clean:
		return 0
	case stream.Strained:
		return 2e-9
	}
	return 1e-9
}

// playedText is what came of a disk's streams in one phase, or in several in which it is the same, and when; and which
// streams these are if the disk has others elsewhere.
func playedText(group []playedStreams, others bool) string {
	first := group[0]
	streams, testedS := "its stream", 0.0 // beside others, in the phase in which that was shortest; 0: in none
	switch {
	case others:
		streams = first.in.what
	case first.Streams > 1:
		streams = fmt.Sprintf("%d of %d streams", first.Streams, first.Streams)
	}
	var whens []string
	for _, s := range group {
		if !slices.Contains(whens, s.when) {
			whens = append(whens, s.when)
		}
		if b := s.Beside; b != nil && (testedS == 0 || b.TestedS < testedS) {
			testedS = b.TestedS
		}
	}
	when := " " + unit.List(whens)
	text := fmt.Sprintf("%s %s %s without a dropped frame", first.Disk, streaming(first.Op).One, streams)
	switch verdict, late, due, _ := counted(first.StreamTotal); verdict {
	case stream.Drops:
		share := float64(late) / float64(due)
		percent := pick(share < 0.001, "under 0.1", twoFigures(100*share))
		return first.Disk + " drops " + percent + " % of frames" + pick(others, " of "+first.in.what, "") + when
	case stream.Strained:
		text += " but strained (its buffer falls below half)"
	case "":
		return "whether " + text + when + " was tested for only " + unit.FormatSeconds(testedS)
	}
	text += when + pick(testedS > 0, " (tested for "+unit.FormatSeconds(testedS)+")", "")
	if first.Beside != nil && first.Late > 0 {
		text += fmt.Sprintf(", and drops %s of %s frames at other times", unit.FormatCount(first.Late),
			unit.FormatCount(first.Due-first.Beside.Due))
	}
	return text
}

// situation is a disk in a phase, of which something is to be told.
type situation struct {
	*Phase
	disk string
	what string // what is told but for the outcome: two outcomes of one text would contradict each other
}

// conditions says of each situation who else works: "alone", "when Backup writes". Situations of one disk that
// would read the same although their outcomes differ say as much more as sets them apart: how fast and how much
// of what the others move, where the disks are connected, and at last which phase it is. A phase's own name
// comes first where it is no pattern.
func conditions(order []string, all []situation, sameOutcome func(i, k int) bool) []string {
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = all[i].when(order, "")
	}
	for _, more := range []func(*situation) string{
		func(s *situation) string { return s.when(order, s.fully(order, all)) },
		func(s *situation) string { return s.when(order, s.fully(order, all)) + s.connected(order) },
		func(s *situation) string { return s.named(s.when(order, s.fully(order, all))) },
	} {
		refined := slices.Clone(texts)
		for i := range all {
			for k := range all {
				if all[i].disk == all[k].disk && all[i].what == all[k].what && texts[i] == texts[k] && !sameOutcome(i, k) {
					refined[i] = more(&all[i])
				}
			}
		}
		texts = refined
	}
	return texts
}

// when is who else works, by a text of what they do where there is one, else in a word each.
func (s *situation) when(order []string, they string) string {
	beside := others(order, s.Phase, s.disk)
	return pick(len(beside) == 0, "alone", "when "+cmp.Or(they, do(s.Phase, beside)))
}

// fully is what the others do, with how fast and how much: "Backup writes at 1.5 GB/s at most". A disk without
// a limit says so where it has one in another of the situations.
func (s *situation) fully(order []string, all []situation) string {
	return unit.List(Each(others(order, s.Phase, s.disk), func(name string) string {
		p := workOf(s.Phase, name)
		limited := func(o situation) bool { return o.disk == s.disk && o.Paced[name].Pace > 0 }
		full := !p.Limited() && slices.ContainsFunc(all, limited)
		return name + " " + p.Verb().One + p.Listed() + pick(full, " at full speed", "")
	}))
}

// connected says which disks the phase had connected otherwise than the run: " with A connected directly".
func (s *situation) connected(order []string) string {
	var texts []string
	for _, name := range present(order, s.Connections) {
		switch where := s.Connections[name]; where {
		case trace.Direct:
			texts = append(texts, name+" connected directly")
		case trace.OnHub:
			texts = append(texts, name+" on the hub")
		default:
			texts = append(texts, fmt.Sprintf("%s connected to %q", name, where))
		}
	}
	return pick(texts == nil, "", " with "+unit.List(texts))
}

// named puts the phase's name to a text: before it if somebody chose the name, after it if it was only a pattern.
func (s *situation) named(text string) string {
	if s.Title != s.Phase.Name {
		return fmt.Sprintf("%s (%s)", text, s.Phase.Name)
	}
	return fmt.Sprintf("in phase %s, %s", s.Title, text)
}

func workOf(p *Phase, disk string) work.Work {
	w := p.Paced[disk]
	w.Op = p.Disks[disk].Op
	return w
}
