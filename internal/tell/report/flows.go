package report

import "slices"

// How much a flow holds.
const (
	maxChoices  = 6          // buttons above it
	maxTogether = maxChoices // loads of all disks in a table
	maxPairDisk = 8          // up to this many disks all pairs are shown
	maxColored  = manyDisks - 1
)

// flow returns the picture of some loads.
func (r *runDoc) flow(loads []load) *Flow {
	h := &Flow{Unit: r.Unit, PerUnit: r.Size, Direct: len(r.Keys) == 1}
	choices := 0
	for i := range loads {
		s := r.flowState(&loads[i])
		if s.Choice = len(s.Disks) == mostDisks(loads) && choices < maxChoices; s.Choice {
			choices++
		}
		h.States = append(h.States, s)
	}
	for _, d := range h.States[0].Disks {
		if d.Baseline > 0 {
			h.Note = "Pale: its baseline, the speed without the others."
			h.Of = "of the speed without the others"
		}
	}
	return h
}

// flowState returns a load as a state of the picture.
func (r *runDoc) flowState(l *load) FlowState {
	s := FlowState{ID: l.id, Title: l.title, Total: Cell{Text: r.Rate(l.rate), Strong: !l.cached()}}
	for _, d := range l.disks {
		out := FlowDisk{LegendKey: d.LegendKey, Verb: d.verb, Rate: d.rate, Baseline: d.baseline,
			Kept: d.kept, Value: r.rateCell(d.rate), Alone: Cell{Text: d.remark}, Of: d.remark,
			Keeps: d.keptCell()}
		out.Value.Strong = !d.cached()
		if d.baseline > 0 {
			out.Alone = r.rateCell(d.baseline)
			out.Of = "of " + out.Alone.Text
		}
		s.Disks = append(s.Disks, out)
	}
	least, _ := s.Least(maxColored)
	for i, d := range l.disks {
		s.Disks[i].Named = d.slowed
		for _, o := range least {
			s.Disks[i].Named = s.Disks[i].Named || o.Name == d.Name
		}
	}
	return s
}

// mostDisks returns how many disks the largest load has.
func mostDisks(loads []load) (most int) {
	for i := range loads {
		most = max(most, len(loads[i].disks))
	}
	return most
}

// addCharts adds the phases over time to the picture, or one of them in its place.
func (r *runDoc) addCharts() {
	if r.Page.Hero == nil {
		if c := r.answerChart(); c != nil {
			r.Page.Hero = c
		}
		return
	}
	flow, ok := r.Page.Hero.(*Flow)
	if !ok {
		return
	}
	phases := r.Phases()
	for i := range flow.States {
		s := &flow.States[i]
		for _, phase := range phases {
			if phase.ID == s.ID {
				s.Chart = chartOf(phase.Blocks, "time")
			}
		}
	}
	if len(phases) == 1 {
		flow.Play = r.playback(&r.loads[0], flow.States[0].Chart)
	}
}

// addTables adds who slows down whom, and all disks together.
func (r *runDoc) addTables(h *Flow, pairs *Table) {
	if t := r.togetherTable(); len(t.Rows) > 1 {
		h.Tables = append(h.Tables, t)
	}
	if len(pairs.Columns) > 1 && len(r.Keys) <= maxPairDisk {
		h.Tables = append(h.Tables, r.pairsOfFlow(pairs))
	}
}

// pairsOfFlow returns the table of pairs with numbers alone, and with the disks of its rows.
func (r *runDoc) pairsOfFlow(pairs *Table) *Table {
	t := *pairs
	t.Rows = nil
	for i, row := range pairs.Rows {
		row = slices.Clone(row)
		row[0].Disk = pairs.Columns[1+i].Disk
		for k := range row[1:] {
			c := &row[1+k]
			if c.NoReference = c.Text == ""; c.Heat > 0 {
				c.Text = c.Plain[0]
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return &t
}

// togetherTable returns a row for each load of all disks.
func (r *runDoc) togetherTable() *Table {
	t := table("All disks together", words(""), ofDisks(r.Keys), numbers("together"))
	t.ID = "all"
	t.Note = joined(" ", r.Unit+
		" with all disks busy, and the share of its baseline that each keeps.", keptNote(r.loads))
	most := mostDisks(r.loads)
	for i := range r.loads {
		l := &r.loads[i]
		if len(l.disks) < max(2, most) || len(t.Rows) == maxTogether {
			continue
		}
		row := make([]Cell, len(r.Keys))
		for _, d := range l.disks {
			cell := r.rateCell(d.rate)
			cell.Small = d.percent()
			cell.Heat = d.kept
			if d.cached() {
				cell.Small = d.remark
			}
			row[d.Index] = cell
		}
		sum := r.rateCell(l.rate)
		sum.Strong = !l.cached()
		first := Cell{Text: l.title, Link: l.id}
		t.Rows = append(t.Rows, slices.Concat([]Cell{first}, row, []Cell{sum}))
	}
	return t
}

// keptNote says what the shares that the loads' disks keep are of, where that is not plain.
func keptNote(loads []load) string {
	var notAlone, between string
	for _, l := range loads {
		for _, d := range l.disks {
			if d.notAlone {
				notAlone = notAloneNote
			}
			if d.between {
				between = "Shares of the baseline are of the time between changes."
			}
		}
	}
	return joined(" ", notAlone, between)
}
