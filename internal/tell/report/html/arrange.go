package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// maxPrinted is how many rows a table of a fold has that prints.
const maxPrinted = 15

// prints reports whether a fold prints: text and small tables do, without anything that a script
// draws.
func prints(d *report.Details) bool {
	for _, block := range d.Blocks {
		switch block := block.(type) {
		case *report.Chart, *report.Details:
			return false
		case *report.Table:
			if len(block.Rows) > maxPrinted {
				return false
			}
		}
	}
	return true
}

// NotPrinted lists the folds that do not print.
func (p *page) NotPrinted() string {
	if p.Doc.PrintAll {
		return ""
	}
	var titles []string
	if len(p.Phases) > 0 {
		titles = append(titles, fmt.Sprintf("all %d %s", len(p.Phases), p.Parts))
	}
	for _, d := range slices.Concat(p.Folds, p.Last) {
		if len(d.Blocks) > 0 && !prints(d) {
			titles = append(titles, d.Title)
		}
	}
	return strings.Join(titles, "; ")
}

// arrangeBlocks says which block stands where: a page folds everything behind its picture; another
// document is shown whole.
func (p *page) arrangeBlocks() {
	if p.Doc.Page != nil {
		p.arrangeSections()
		return
	}
	for _, block := range p.Doc.Blocks {
		if d, ok := block.(*report.Details); !ok || !d.Phase {
			p.Body = append(p.Body, block)
		}
	}
}

// arrangeSections puts the sections of a page under its picture: open ones as they are, the others
// as folds, and a table whose rows lead to the phases with these.
func (p *page) arrangeSections() {
	more := &report.Details{ID: "more", Title: "More results"}
	if list := p.Doc.Page.More; list != nil {
		more.Add(report.List{Items: list})
	}
	if phases := p.Doc.Phases(); p.Flow != nil && len(phases) == 1 {
		more.Blocks = append(more.Blocks, p.splitOnlyPhase(phases[0])...)
	}
	for _, block := range p.Doc.Blocks {
		d, details := block.(*report.Details)
		t, listed := block.(*report.Table)
		_, tiled := block.(report.Tiles)
		switch {
		case listed && t.Rows[0][0].Link != "":
			p.Numbers = t
		case listed && p.Flow != nil && p.Flow.has(t):
		case details && d.Phase: // see listPhases
		case details && d.Open, tiled:
			p.Body = append(p.Body, block)
		case details:
			p.Last = append(p.Last, d)
		default:
			more.Blocks = append(more.Blocks, block)
		}
	}
	p.Folds = append(p.Folds, more)
}

// splitOnlyPhase puts the parts of a document's only phase where a page has room for them, and
// returns the rest.
func (p *page) splitOnlyPhase(phase *report.Details) (rest []report.Block) {
	for _, block := range phase.Blocks {
		d, details := block.(*report.Details)
		t, listed := block.(*report.Table)
		c, drawn := block.(*report.Chart)
		switch {
		case details:
			p.Folds = append(p.Folds, d)
		case listed && p.Each == nil:
			p.Each = t
		case drawn && c == p.Flow.States[0].Chart: // the picture shows it
		default:
			rest = append(rest, block)
		}
	}
	return rest
}

// listPhases has all of the document's charts named, and its phases listed. The charts of those
// that are not open first are packed.
func (p *page) listPhases(drawer *drawer) {
	drawer.nameCharts("all", p.Doc.Blocks, false)
	phases := p.Doc.Phases()
	for i, phase := range phases {
		if len(phases) > maxListed {
			phase = trim(phase)
		}
		drawer.nameCharts(phase.ID, phase.Blocks, i > 0)
		if len(phases) > 1 || p.Flow == nil { // else the page has its parts elsewhere
			p.Phases = append(p.Phases, phase)
		}
	}
}

// trim leaves out what a phase's closed details show file by file: charts, and tables of more rows
// than anyone reads.
func trim(phase *report.Details) *report.Details {
	out := *phase
	out.Blocks = nil
	for _, block := range phase.Blocks {
		if d, ok := block.(*report.Details); ok {
			short := *d
			short.Blocks = nil
			for _, b := range d.Blocks {
				t, listed := b.(*report.Table)
				_, drawn := b.(*report.Chart)
				if !drawn && !(listed && len(t.Rows) > maxTrimmed) {
					short.Blocks = append(short.Blocks, b)
				}
			}
			if short.Blocks == nil {
				continue
			}
			block = &short
		}
		out.Blocks = append(out.Blocks, block)
	}
	out.Add(report.Sentence{Text: "A page of so many phases does not show their files: hubbench " +
		"report draws them with --phase and --format svg, and lists them with --format csv."})
	return &out
}
