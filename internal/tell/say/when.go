package say

import (
	"fmt"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// situation is a disk in a phase, of which something is to be told.
type situation struct {
	*analysis.Phase
	disk string
	what string // what is told but for the outcome: of two situations with one text, two outcomes would contradict each other
}

// conditions says of each situation who else works: "alone", "when Backup writes". Situations of one disk that would read the
// same although their outcomes differ say as much more as sets them apart: how fast and how much of what the others move,
// where the disks are connected, and at last which phase it is. A phase's own name comes first where it is no pattern.
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
	switch {
	case len(beside) == 0:
		return "alone"
	case they == "":
		they = do(s.Phase, beside)
	}
	return "when " + they
}

// fully is what the others do, with how fast and how much: "Backup writes at 1.5 GB/s at most". A disk without a limit
// says so where it has one in another of the situations.
func (s *situation) fully(order []string, all []situation) string {
	var texts []string
	for _, name := range others(order, s.Phase, s.disk) {
		p := workOf(s.Phase, name)
		text := name + " " + p.Verb().One + p.Listed()
		limited := func(o situation) bool { return o.disk == s.disk && o.Paced[name].Pace > 0 }
		if !p.Limited() && slices.ContainsFunc(all, limited) {
			text += " at full speed"
		}
		texts = append(texts, text)
	}
	return unit.List(texts)
}

// connected says which disks the phase had connected otherwise than the run: " with A connected directly".
func (s *situation) connected(order []string) string {
	var texts []string
	for _, name := range order {
		where, moved := s.Connections[name]
		switch {
		case !moved:
		case where == trace.Direct:
			texts = append(texts, name+" connected directly")
		case where == trace.OnHub:
			texts = append(texts, name+" on the hub")
		default:
			texts = append(texts, fmt.Sprintf("%s connected to %q", name, where))
		}
	}
	if texts == nil {
		return ""
	}
	return " with " + unit.List(texts)
}

// named puts the phase's name to a text: before it if somebody chose the name, after it if it was only a pattern.
func (s *situation) named(text string) string {
	if s.Title != s.Phase.Phase {
		return fmt.Sprintf("%s (%s)", text, s.Phase.Phase)
	}
	return fmt.Sprintf("in phase %s, %s", s.Title, text)
}

// workOf is what a disk does in a phase.
func workOf(p *analysis.Phase, disk string) work.Work {
	w := p.Paced[disk]
	w.Op = p.Disks[disk].Op
	return w
}
