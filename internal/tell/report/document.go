// Package report says what a run, a comparison, a plan, a fit or a prediction shows: once, as a Document of blocks.
// It takes the numbers from the analysis and works out none itself; each output has an encoder of its own, which knows
// blocks and marks but no particular table or chart: text, md, html and picture (svg and png). Package export writes
// the data as csv and Go benchmarks.
//
// Start at Document. OfRun is the largest of the documents; a new figure of a phase goes into Figures.
package report

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/hubbench/hubbench/pkg/hub"
)

// Document is a report before it has a form.
type Document struct {
	Kind      string // what it is: report, comparison, plan, fit, check, prediction, advice, devices
	Title     string
	Started   string     // when it was measured, as people read it
	Hub       string     // what the disks are connected to, if that is known
	Simulated bool       // no disk was measured
	Model     hub.Source // of simulated disks: how the model's figures were come by
	Tool      string     // hubbench's version
	Keys      []Key      // the disks, or the runs of a comparison
	Unit      string     // of all rates
	Answer    *Answer    // nil if the blocks are all there is
	Blocks    []Block
	Data      any // the same as JSON
}

// Block is a part of a document. The set is closed: an encoder that knows these seven knows every document.
type Block interface{ Kind() string }

// Heading stands over the blocks that follow it.
type Heading struct {
	Text string
	ID   string // for cells that lead to it; empty for none
}

// Sentence is a paragraph; the lead one says what the document or the phase comes to.
type Sentence struct {
	Text string
	Lead bool
}

// Warning is a doubt that belongs before the numbers.
type Warning struct{ Text string }

// List is sentences that stand by themselves.
type List struct {
	Title string
	Items []string
}

// Sign marks a word as good news or bad, by a shape and a colour: the word says it as well.
type Sign string

// The signs.
const (
	Unsigned Sign = ""
	Good     Sign = "good"
	Doubt    Sign = "doubt"
	Bad      Sign = "bad"
)

// Table is rows of cells under heads.
type Table struct {
	ID      string // its name on the command line; empty for its title in small letters, see Name
	Title   string // names it for those who do not see it
	Phase   string // the phase it is of; empty for none
	Note    string // what its numbers are
	Columns []Column
	Rows    [][]Cell

	Sentences bool // columns that may drop hold sentences: in print they follow under each row
}

// Column is a table's head.
type Column struct {
	Head    string
	Disk    *Key // the head is a disk
	Numbers bool // to the right
	Drop    int  // if there is no room, columns with more of it are left out first; those with none never are
}

// Cell is one entry of a table.
type Cell struct {
	Tree   string // the branches before it, in a table that is a tree; spaces that are kept
	Text   string
	Small  string // a remark after it
	Letter string // before it: W or R
	Disk   *Key   // the cell is a disk
	Link   string // the ID of the details it leads to
	Strong bool
	Sign   Sign     // before the text
	Heat   *float64 // a share to colour the cell by: 1 is nothing lost
	// NoReference says that there is nothing to compare the cell with: it must not look as if nothing were lost.
	NoReference bool
}

// Words are the cell in letters alone.
func (c Cell) Words() string {
	text := c.Text
	if c.Disk != nil {
		text = c.Disk.Label
	}
	return c.Tree + strings.TrimSpace(strings.TrimSpace(c.Letter+" "+text)+" "+c.Small)
}

// Name is what the table is called on the command line.
func (t *Table) Name() string {
	return cmp.Or(t.ID, strings.Join(strings.FieldsFunc(strings.ToLower(t.Title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "-"))
}

// TableTitle stands over a table that leaves its document.
func TableTitle(doc *Document, t *Table) string {
	return strings.Join(slices.Compact(nonEmpty(doc.Title, t.Phase, t.Title)), ": ")
}

// Name is what the figure is called on the command line.
func (f *Figure) Name() string { return f.ID }

// Is reports whether the phase goes by a name: its own or the one shown, in capitals or not.
func (d *Details) Is(phase string) bool {
	return strings.EqualFold(d.Name, phase) || strings.EqualFold(d.Title, phase)
}

// Used are the columns that have words in any row.
func (t *Table) Used() []int {
	var used []int
	for i := range t.Columns {
		if slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].Words() != "" }) {
			used = append(used, i)
		}
	}
	return used
}

// Details are blocks that belong together: a phase (or what a comparison says of one run), of which one is open at a time
// and which can be linked to; or what only some readers want.
type Details struct {
	ID      string
	Name    string // of the phase in the scenario
	Title   string
	Does    string // who reads and who writes
	Phase   bool
	Printed bool   // a terminal that is asked for everything shows it, unlike other folds
	Fold    string // what it is one of many of, that a table before them sums up: the page lists these together, and print leaves them out
	Blocks  []Block
}

// Kind names the block.
func (Heading) Kind() string { return "heading" }

// Kind names the block.
func (Sentence) Kind() string { return "sentence" }

// Kind names the block.
func (Warning) Kind() string { return "warning" }

// Kind names the block.
func (List) Kind() string { return "list" }

// Kind names the block.
func (*Table) Kind() string { return "table" }

// Kind names the block.
func (*Figure) Kind() string { return "figure" }

// Kind names the block.
func (*Details) Kind() string { return "details" }

// Add puts a block at the document's end.
func (d *Document) Add(blocks ...Block) { d.Blocks = append(d.Blocks, blocks...) }

// Add puts a block at the end of the details.
func (d *Details) Add(blocks ...Block) { d.Blocks = append(d.Blocks, blocks...) }

// Origin is the line that goes with everything that leaves the document by itself: when and on what it was measured,
// and that it was not.
func (d *Document) Origin() []string { return nonEmpty(d.Started, d.Hub, d.Unmeasured()) }

// nonEmpty leaves out empty texts.
func nonEmpty(parts ...string) []string {
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}

// Unmeasured says that nothing was measured, or what is behind a model is not; it is empty if disks were.
func (d *Document) Unmeasured() string {
	switch specified := d.Model == hub.Specified; {
	case specified:
		return pick(d.Simulated, "simulated, ", "") + "with figures " + d.Model.Text()
	case d.Simulated:
		return "simulated: no disk was measured"
	}
	return ""
}

// addList puts a list in unless it is empty.
func addList(to interface{ Add(...Block) }, title string, items []string) {
	if len(items) > 0 {
		to.Add(List{Title: title, Items: items})
	}
}

// Collect gathers the blocks of a kind, those in folds among them but none of a phase, in order.
func Collect[B Block](blocks []Block) []B {
	var out []B
	for _, block := range blocks {
		if found, ok := block.(B); ok {
			out = append(out, found)
		} else if d, ok := block.(*Details); ok && !d.Phase {
			out = append(out, Collect[B](d.Blocks)...)
		}
	}
	return out
}

// Unfold makes print hold the phases that it leaves out otherwise.
func (d *Document) Unfold() {
	for _, phase := range d.Phases() {
		phase.Fold = ""
	}
}

// Phases are the document's phases.
func (d *Document) Phases() []*Details {
	var out []*Details
	for _, block := range d.Blocks {
		if details, ok := block.(*Details); ok && details.Phase {
			out = append(out, details)
		}
	}
	return out
}
