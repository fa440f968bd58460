package report

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// searchTable is a search as a ladder: a row for each value that was tried, the largest on top, with what came of it
// alone and with the others. Told says that what verdicts mean
// stands before it.
func searchTable(doc *Document, a *analysis.Analysis, s *analysis.Search, told bool) *Table {
	streams := s.Kind == trace.SearchStreams
	disk := labelOf(doc.Keys, s.Disk)
	t := &Table{Title: "Search: " + Clean(s.Name), Columns: []Column{{Head: pick(streams, "Streams", "Pace of "+disk)}}}
	t.Note = pick(streams, "How many streams of "+disk+" stay clean.", "How fast "+disk+" may go with all streams clean.") + " ×: how often it was tried."
	if streams {
		t.Note += " hubbench advise computes it with a model and its uncertainty, and may advise fewer."
	}
	if !told {
		t.Note += " " + verdictNote
	}
	var sides []bool // alone, or not
	for _, alone := range []bool{true, false} {
		i := slices.IndexFunc(s.Tries, func(try analysis.SearchTry) bool { return try.Alone == alone })
		if i < 0 {
			continue
		}
		head := pick(alone, "Alone", "With the others")
		if p := slices.IndexFunc(a.Phases, func(p analysis.Phase) bool { return p.Phase == s.Tries[i].Phase }); p >= 0 && !alone {
			if others := besideDisk(doc.Keys, &a.Phases[p], s.Disk); others != "" {
				head = "While " + others
			}
		}
		sides, t.Columns = append(sides, alone), append(t.Columns, Column{Head: head})
	}
	var values []float64
	for i := range s.Tries {
		values = append(values, valueOf(&s.Tries[i]))
	}
	slices.Sort(values)
	for _, value := range slices.Backward(slices.Compact(values)) {
		row := []Cell{{Text: "no limit"}}
		if !math.IsInf(value, 1) {
			row[0].Text = pick(streams, unit.FormatCount(int(value)), unit.FormatRate(value))
		}
		for _, alone := range sides {
			row = append(row, tryCell(a, s, value, alone))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// searchOf is the search that a phase is a try of; nil if it is none.
func searchOf(a *analysis.Analysis, phase string) *analysis.Search {
	for i := range a.Searches {
		if slices.ContainsFunc(a.Searches[i].Tries, func(try analysis.SearchTry) bool { return try.Phase == phase }) {
			return &a.Searches[i]
		}
	}
	return nil
}

// valueOf is what a try was of: more than any value if there was no limit.
func valueOf(try *analysis.SearchTry) float64 {
	if try.Unlimited {
		return math.Inf(1)
	}
	return try.Value
}

// tryCell is what came of a value's tries: clean if most were, else the worst.
func tryCell(a *analysis.Analysis, s *analysis.Search, value float64, alone bool) Cell {
	worst, clean, times, phase := stream.Verdict(""), 0, 0, ""
	for _, try := range s.Tries {
		if valueOf(&try) != value || try.Alone != alone {
			continue
		}
		if times++; try.Verdict == stream.Clean {
			clean++
		}
		if w := stream.Worst(worst, try.Verdict); w != worst || phase == "" {
			worst, phase = w, try.Phase
		}
	}
	if times == 0 {
		return Cell{}
	}
	cell := verdictCell(worst)
	of := unit.FormatCount(clean) + " of " + unit.FormatCount(times)
	switch {
	case worst == "":
		cell.Text = "not ended"
	case 2*clean > times && clean < times:
		cell = verdictCell(stream.Clean)
		cell.Small = of
	case clean > 0 && clean < times:
		cell.Small = of + " clean"
	case times > 1:
		cell.Small = "×" + unit.FormatCount(times)
	}
	if at := slices.IndexFunc(a.Phases, func(p analysis.Phase) bool { return p.Phase == phase }); at >= 0 {
		cell.Link = phaseID(at)
	}
	best := pick(alone, s.Alone, s.Found)
	cell.Strong = best != nil && *best == value || s.Unlimited && !alone && math.IsInf(value, 1)
	return cell
}

func keyOf(keys []Key, name string) int {
	return slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
}
