package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Flow is who gets what: cables from the computer to each disk, as thick as the disk is fast, and
// pale how thick they are without the others.
type Flow struct {
	Unit    string
	PerUnit float64 // bytes per second
	Note    string  // how to read it, and how sure its numbers are
	Marks   string  // the part of the note that says what marks its numbers
	Of      string  // behind the unit: what the numbers are compared with; empty for nothing
	Direct  bool    // there is no hub between computer and disk

	Runs []LegendKey // whose hubs stand on either side of the disks; none if there is one hub
	Rows *Rows       // the same in rows, for outputs that draw one hub; nil if there is one

	States []FlowState // loads to choose from; the first is the one that the headline is about
	Play   *Playback   // for the only phase of a run
	Tables []*Table    // their cells link to states
}

// FlowState is a load, or a stretch or a moment of one.
type FlowState struct {
	ID     string // the details that it leads to
	Title  string
	Total  Cell // strong unless a rate is a cache's
	Then   Cell // on the second hub
	Change Cell
	Disks  []FlowDisk
	Chart  *Chart // the load over time; nil if its files are not at hand
	Choice bool   // a button above the picture leads to it

	From, To float64 // when a stretch begins and ends
	Tone     Sign    // the stretch is a loss
}

// FlowDisk is a disk with its cable.
type FlowDisk struct {
	LegendKey
	Verb     string  // what it does: "writes"
	Rate     float64 // bytes per second
	Baseline float64 // its rate without the others; 0 if that is unknown
	Kept     float64 // the part of it that the disk keeps; 0 if that is unknown
	ThenRate float64 // on the second hub

	Value Cell   // the rate, strong unless it is a cache's
	Alone Cell   // the baseline, or why there is none
	Of    string // "of 1.46", or why there is no baseline
	Keeps Cell   // the part, in a color if it is a loss; with a second hub, the change
	Then  Cell   // the rate there
	Named bool   // it has its own color
	Over  bool   // it has finished
}

// Playback is a phase to play back.
type Playback struct {
	Text   string      // what the first state shows
	Frames []FlowState // moments at equal distances
	Stages []FlowState // stretches in which nothing changes, with the mean rate of each disk
}

func (*Flow) hero() {}

// manyDisks is from how many disks on only some have colors, and those come first that keep least.
const manyDisks = 7

// Many reports whether the disks are so many that each has a line and no card.
func (s *FlowState) Many() bool { return len(s.Disks) >= manyDisks }

// Least returns so many disks, those first that keep least, and in words what the others keep.
// Disks without a baseline come last.
func (s *FlowState) Least(most int) (disks []FlowDisk, rest string) {
	disks = slices.Clone(s.Disks)
	share := func(d FlowDisk) float64 { return cmp.Or(d.Kept, math.Inf(1)) }
	slices.SortStableFunc(disks, func(x, y FlowDisk) int { return cmp.Compare(share(x), share(y)) })
	if len(disks) <= most {
		return disks, ""
	}
	others := disks[most:]
	rest = fmt.Sprintf("%d more", len(others))
	if others[len(others)-1].Kept > 0 {
		rest += " keep " + others[0].Keeps.Text + " or more"
	}
	return disks[:most], rest
}

// Same reports whether all disks do the same.
func (s *FlowState) Same() bool {
	for _, d := range s.Disks {
		if d.Verb != s.Disks[0].Verb {
			return false
		}
	}
	return true
}

// maxLoads is how many loads the table has.
const maxLoads = 8

// Table returns a row for each disk of the first states.
func (h *Flow) Table() *Table {
	t := table("Loads", words("Load", "Disk"), numbers(h.Unit, "Baseline", "Keeps"))
	t.ID = "answer"
	t.Note = "Speed with all disks of the load busy. Baseline: the same disk without the others."
	for _, s := range h.States[:min(len(h.States), maxLoads)] {
		title := s.Title
		for _, d := range s.Disks {
			t.add(title, &d.LegendKey, d.Value, d.Alone, d.Keeps)
			title = ""
		}
	}
	return t
}

// Lead returns the ID of the phase that the headline is about; empty if its picture shows none.
func (p *Page) Lead() string {
	if flow, ok := p.Hero.(*Flow); ok {
		return flow.States[0].ID
	}
	return ""
}

// Plain returns the picture for outputs that draw one hub.
func (p *Page) Plain() Hero {
	if flow, ok := p.Hero.(*Flow); ok && flow.Rows != nil {
		return flow.Rows
	}
	return p.Hero
}

// Chart returns the chart that shows the answer, or the phase that it is about; nil if none does.
func (p *Page) Chart() *Chart {
	switch hero := p.Hero.(type) {
	case *Chart:
		return hero
	case *Flow:
		return hero.States[0].Chart
	}
	return nil
}
