package report

import (
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// How the changes are laid out over the chart.
const (
	maxLines   = 4   // one above the other; what needs more stands in the table alone
	lineHeight = 20  // pixels
	letters    = 110 // of a label, from end to end of a wide chart
)

// changes is a panel with a labelled span for each entry of the phase's ledger, a moment being a stroke; nil if nothing
// changed.
func (v *phaseView) changes() *Panel {
	var free []float64 // for each line, from when on
	panel := &Panel{}
	if o := v.found.Overlap; o != nil && len(o.Disks) > 1 {
		m := Mark{Shape: Rectangle, Style: Turn, Key: None, Name: "overlap", Text: allOf(len(o.Disks)) + " active: " + unit.FormatSeconds(o.DurationS)}
		for _, s := range o.Spans {
			m.Rows = append(m.Rows, []float64{v.seconds(s[0]), v.seconds(s[1]), -0.08, -0.92})
		}
		free, panel.Marks = append(free, o.EndS), append(panel.Marks, m)
	}
	for _, c := range v.told() {
		label := v.changeLabel(&c)
		wide := float64(cells.Width(label)+2) * v.endS / letters
		from := max(0, min(c.StartS, v.endS-wide))
		line := slices.IndexFunc(free, func(s float64) bool { return s <= from })
		if line < 0 {
			if line = len(free); line == maxLines {
				continue
			}
			free = append(free, 0)
		}
		free[line] = max(c.EndS, from+wide)
		y := -float64(line)
		panel.Marks = append(panel.Marks, Mark{
			Shape: Rectangle, Style: lookOf(&c), Key: None, Name: "change", Text: label,
			Rows: [][]float64{{v.seconds(c.StartS), v.seconds(c.EndS), y - 0.08, y - 0.92}},
		})
	}
	if free == nil {
		return nil
	}
	panel.Y, panel.Height = Axis{Name: "changes", Bare: true, Min: -float64(len(free))}, lineHeight*len(free)
	return panel
}

// changeLabel names a change, with what a recovery took.
func (v *phaseView) changeLabel(c *analysis.Change) string {
	label := say.ChangeLabel(c, len(v.lanes), v.label)
	if c.Kind == analysis.KindRecovery && c.EndS > c.StartS {
		label += " in " + unit.FormatSeconds(c.EndS-c.StartS)
	}
	return label
}

// told is the ledger, with what several disks did alike in the same time as one.
func (v *phaseView) told() []analysis.Change {
	var out []analysis.Change
	for _, c := range v.found.Changes {
		alike := slices.IndexFunc(out, func(o analysis.Change) bool {
			switch {
			case c.Kind != o.Kind || c.StartS != o.StartS || (c.ToRate > c.FromRate) != (o.ToRate > o.FromRate):
				return false
			case c.Kind == analysis.KindRecovery:
				return *c.By == *o.By
			}
			return c.EndS == o.EndS && (c.Kind == analysis.KindSwing || c.Kind == analysis.KindDrift || c.Kind == analysis.KindWarmUp)
		})
		if alike < 0 {
			out = append(out, c)
			continue
		}
		o := &out[alike]
		o.Disks, o.EndS = slices.Concat(o.Disks, c.Disks), max(o.EndS, c.EndS)
	}
	return v.inOrder(out)
}

// inOrder are changes with the disks of each in the run's order.
func (v *phaseView) inOrder(list []analysis.Change) []analysis.Change {
	list = slices.Clone(list)
	for i := range list {
		list[i].Disks = slices.Clone(list[i].Disks)
		slices.SortStableFunc(list[i].Disks, func(a, b string) int { return keyOf(v.keys, a) - keyOf(v.keys, b) })
	}
	return list
}

func (v *phaseView) label(disk string) string { return v.key(disk).Label }

// lookOf sets gains, losses and what is neither apart; a disk's own start or end is none of them.
func lookOf(c *analysis.Change) Style {
	rose := func(disk string) bool { s := c.Of(disk); return s.ToRate > s.FromRate }
	fell := func(disk string) bool { return !rose(disk) }
	switch {
	case c.Kind == analysis.KindEnd || c.Kind == analysis.KindStart && c.By == nil:
		return Normal
	case c.Kind == analysis.KindSwing || slices.ContainsFunc(c.Disks, rose) && slices.ContainsFunc(c.Disks, fell):
		return Turn
	case c.ToRate > c.FromRate:
		return Gain
	default:
		return Loss
	}
}

// summed reports whether a change's rates are told of its disks together.
func summed(c analysis.Change) bool {
	return len(c.Disks) > 1 && (c.Kind == analysis.KindSharedFall || c.Kind == analysis.KindStall || len(c.Each) == 0)
}

// changeTable lists the changes that need more words than the timeline has for them, starts, ends, recoveries
// and the falls that the verdict tells left out; nil if there are none.
func (v *phaseView) changeTable() *Table {
	t := &Table{ID: "changes", Title: "What else changed", Columns: []Column{
		{Head: "At, s", Numbers: true}, {Head: "Until, s", Numbers: true, Drop: 2}, {Head: "Disks", Drop: 3}, {Head: "What"},
		{Head: "From, " + v.scale.Unit, Numbers: true}, {Head: "To, " + v.scale.Unit, Numbers: true}, {Head: "Cause", Drop: 1},
	}}
	list := slices.DeleteFunc(v.inOrder(v.found.Changes), func(c analysis.Change) bool {
		told := c.Kind == analysis.KindOwnFall && len(c.Disks) == 1 && v.found.Disks[c.Disks[0]].Throttle != nil
		return told || c.Kind == analysis.KindStart && c.By == nil || c.Kind == analysis.KindEnd || c.Kind == analysis.KindRecovery
	})
	if len(list) == 0 {
		return nil
	}
	for i := range list[:min(len(list), maxStages)] {
		c := &list[i]
		row := []Cell{{Text: Clock(c.StartS, v.endS)}, {}, {}, {Text: say.ChangeLabel(c, len(v.lanes), v.label)}, {}, {}, {Text: say.ChangeCause(c, v.label)}}
		if c.EndS > c.StartS {
			row[1].Text = Clock(c.EndS, v.endS)
		}
		names := make([]string, len(c.Disks))
		for k, disk := range c.Disks {
			names[k] = v.label(disk)
		}
		row[2].Text = strings.Join(names, ", ")
		row[4].Text, row[5].Text = v.scale.Number(c.FromRate), v.scale.Number(c.ToRate)
		if len(c.Each) > 1 && !summed(*c) {
			var from, to []string
			for _, disk := range c.Disks {
				s := c.Of(disk)
				from, to = append(from, v.label(disk)+" "+v.scale.Number(s.FromRate)), append(to, v.label(disk)+" "+v.scale.Number(s.ToRate))
			}
			row[4].Text, row[5].Text = strings.Join(from, ", "), strings.Join(to, ", ")
		}
		t.Rows = append(t.Rows, row)
	}
	if slices.ContainsFunc(list, summed) {
		t.Note = "Rates of several disks are their sum, unless each is named."
	}
	if slices.ContainsFunc(list, func(c analysis.Change) bool { return c.Kind == analysis.KindSwing }) {
		t.Note = strings.TrimSpace(t.Note + " Of a swing: its upper and its lower level.")
	}
	if n := len(list) - maxStages; n > 0 {
		t.Note = strings.TrimSpace(t.Note + " " + unit.Plural(n, "more change") + " left out.")
	}
	return t
}
