package report

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/compare"
)

// latencyChanges is how much longer requests take than in the base; nil where no latencies are compared.
func latencyChanges(pair *compare.Pair) *Table {
	t := &Table{Title: "Request latency", Columns: []Column{
		{Head: "Phase"}, {Head: "Disk"}, {Head: "Latency"}, {Head: "Base", Numbers: true}, {Head: "New", Numbers: true}, {Head: "Change", Numbers: true},
		{Head: "Interval", Numbers: true, Drop: 1}, {Head: "p (Holm)", Numbers: true, Drop: 2}, {Head: "Verdict"},
	}}
	for i := range pair.Phases {
		for j := range pair.Phases[i].Latencies {
			name := ""
			if j == 0 {
				name = pair.Phases[i].Phase
			}
			t.Rows = append(t.Rows, append([]Cell{{Text: name}}, latencyRow(&pair.Phases[i].Latencies[j])...))
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// latencyRow is a latency's line, as a rate has one.
func latencyRow(l *compare.Latency) []Cell {
	strong := l.Verdict == compare.Longer || l.Verdict == compare.Shorter
	cells := []Cell{{Text: fmt.Sprintf("%s %ss", l.Disk, l.Op)}, {Text: string(l.Quantile)}, {}, {}, {}, {}, {}, {Text: latencyVerdict(l), Strong: strong}}
	if l.BaseNS != nil {
		cells[2].Text, cells[3].Text = Time(float64(*l.BaseNS)), Time(float64(*l.NewNS))
		cells[4] = Cell{Text: Change(*l.Change), Strong: strong}
	}
	if l.Interval != nil {
		cells[5].Text = strings.TrimSuffix(Change(l.Interval[0]), " %") + " to " + Change(l.Interval[1])
	}
	if l.Corrected != nil {
		cells[6].Text = chance(*l.Corrected)
	}
	return cells
}

func latencyVerdict(l *compare.Latency) string {
	return verdict(&compare.Rate{Verdict: l.Verdict})
}

// latencyDoubts say why latencies have no verdict.
func latencyDoubts(p *compare.Phase) []string {
	var lines []string
	for i := range p.Latencies {
		if l := &p.Latencies[i]; l.Reason != "" {
			lines = append(lines, fmt.Sprintf("%s of %s: %s", l.Quantile, l.Disk, l.Reason))
		}
	}
	return lines
}
