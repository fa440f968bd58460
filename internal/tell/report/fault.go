package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// endedEarly reports whether something of the run is missing.
func (r *runDoc) endedEarly() bool {
	for _, c := range r.a.Answer.Caveats {
		if c.Code == analysis.CaveatFailed || c.Code == analysis.CaveatPartial {
			return true
		}
	}
	return len(r.run.About.Failures) > 0
}

// progress is which of the planned phases were measured: a state for each.
type progress struct {
	phases []scenario.Phase
	states []CellState
	done   int
	cut    int // number of the phase that it ended in, from 1; 0 for none
}

// progress compares what was planned with what was measured. Without a plan it has what was
// recorded alone.
func (r *runDoc) progress() *progress {
	p := &progress{phases: r.run.About.Planned}
	if p.phases == nil {
		for i := range r.a.Phases {
			p.phases = append(p.phases, scenario.Phase{Name: r.a.Phases[i].Name})
		}
	}
	for i, planned := range p.phases {
		state := Missing
		if at, measured := r.index[planned.Name]; measured {
			phase := &r.a.Phases[at]
			state = Complete
			if phase.EndedEarly() {
				state = Cut
				p.cut = i + 1
			}
			for _, w := range phase.Warnings {
				if w.Code == "partial" && w.Other != "" {
					state = Failed
				}
			}
		}
		for _, f := range r.run.About.Failures {
			if f.Phase == planned.Name {
				state = pick(isInterrupt(f), Cut, Failed)
				p.cut = i + 1
			}
		}
		if state == Complete {
			p.done++
		}
		p.states = append(p.states, state)
	}
	return p
}

// isInterrupt reports whether a person ended the run.
func isInterrupt(f trace.RunFailure) bool { return strings.HasPrefix(f.Cause, trace.Interrupted) }

// missingText is the status line of an answer that holds although phases are missing.
func (r *runDoc) missingText() string {
	p := r.progress()
	text := "The run ended early; nothing that this answer needs is missing."
	if n := len(p.phases) - p.done; n > 0 {
		text = fmt.Sprintf("%d of %s %s missing, none that this answer needs.", n,
			unit.Plural(len(p.phases), "phase"), pick(n == 1, "is", "are"))
	}
	if r.run.About.Resume != "" {
		text += " To measure the rest: " + r.run.About.Resume
	}
	return text
}

// faultPage says what ended the run and how far it came, shows a cell for each phase, and how to go
// on.
func (r *runDoc) faultPage() *Page {
	p := r.progress()
	total := len(p.phases)
	page := &Page{Hero: r.phaseCells(p)}
	by, cause := r.ending()
	complete := fmt.Sprintf("%d complete %s", p.done, pick(p.done == 1, "phase holds", "phases hold"))
	if p.done == 0 {
		complete = "No phase is complete"
	}
	at := ""
	if p.cut > 0 {
		at = fmt.Sprintf(" in phase %d of %d", p.cut, total)
	}
	page.Sub = joined(" ", asSentence(cause), complete+".")
	page.Actions = []Action{{Title: "Continue where it stopped", Command: r.run.About.Resume,
		Detail: "What is measured isn't measured again. Leave the disks on the same ports."}}
	switch {
	case by == "" && cause == "":
		page.Headline = "Interrupted" + pick(p.done > 0, fmt.Sprintf(" after %d of %s", p.done,
			unit.Plural(total, "phase")), " before any phase was complete")
		page.Sub = pick(p.done > 0, "What is complete holds, and is below.", "")
	case by == "":
		page.Headline = "It failed" + at
		page.Actions[0].Title = "Find out why, then continue"
	default:
		page.Headline = by + " failed" + at
		page.Actions[0].Title = "Look after " + by + ", then continue"
	}
	if page.Actions[0].Command == "" {
		page.Actions = nil
	}
	page.Numbers = []Number{{Value: fmt.Sprintf("%d of %d", p.done, total),
		Text: "phases are complete"}}
	return page
}

// ending says which disk ended the run, if one did, and why; nothing of a run that a person ended.
func (r *runDoc) ending() (disk, cause string) {
	for _, f := range r.run.About.Failures {
		if !isInterrupt(f) {
			return pick(f.Disk == "", "", r.label(f.Disk)), f.Cause
		}
	}
	for _, c := range r.a.Answer.Caveats {
		if c.Code == analysis.CaveatFailed {
			return r.label(c.Disk), c.Cause
		}
	}
	return "", ""
}

// phaseCells are the planned phases by how many disks work in them.
func (r *runDoc) phaseCells(p *progress) *Cells {
	h := &Cells{Note: "A cell for each phase: ✓ complete, ✗ failed, half: ended early, " +
		"dashed: not measured."}
	groups := map[string]int{}
	for i := range p.phases {
		label := kindOf(&p.phases[i], len(r.Keys))
		at, known := groups[label]
		if !known {
			at = len(h.Groups)
			groups[label] = at
			h.Groups = append(h.Groups, CellGroup{Label: label})
		}
		h.Groups[at].Cells = append(h.Groups[at].Cells, p.states[i])
		if state := p.states[i]; state == Cut || state == Failed {
			h.Groups[at].Text += fmt.Sprintf("%s “%s”. ", pick(state == Cut, "Ended in", "Failed in"),
				cmp.Or(r.titleOf(p.phases[i].Name), p.phases[i].Name))
		}
	}
	for i := range h.Groups {
		g := &h.Groups[i]
		missing := 0
		for _, state := range g.Cells {
			if state != Complete {
				missing++
			}
		}
		switch missing {
		case 0:
			g.Text = "Complete."
		case len(g.Cells):
			g.Text += "Missing."
		default:
			g.Text += fmt.Sprintf("%d of %d missing.", missing, len(g.Cells))
		}
	}
	return h
}

// titleOf is what a phase is called; empty if it was not measured.
func (r *runDoc) titleOf(phase string) string {
	if i, ok := r.index[phase]; ok {
		return r.a.Phases[i].Title
	}
	return ""
}

// kindOf names a phase by how many disks work in it.
func kindOf(phase *scenario.Phase, disks int) string {
	works := 0
	for _, job := range phase.Jobs {
		if active(job.Role) {
			works++
		}
	}
	switch {
	case phase.Jobs == nil || disks == 1:
		return "Phases"
	case works == disks:
		return unit.Capital(allOf(works))
	case works == 1:
		return "Each alone"
	case works == 2:
		return "Two at a time"
	}
	return "With " + unit.Plural(works, "disk")
}

// maxKnown is how many loads are listed of what is known.
const maxKnown = 6

// known are the rates of the phases that are complete.
func (r *runDoc) known() *Details {
	var whole []load
	for _, l := range r.loads {
		if !l.first.EndedEarly() {
			whole = append(whole, l)
		}
	}
	from := "From the complete phases. "
	if whole == nil {
		whole = r.loads
		from = "From what was measured before it ended. "
	}
	if whole == nil {
		return nil
	}
	t := r.flow(whole[:min(len(whole), maxKnown)]).Table()
	caption := from + t.Note
	t.Note = ""
	return &Details{ID: "known", Title: "What is known", Does: caption,
		Open: true, Lead: true, Printed: true, Blocks: []Block{t}}
}
