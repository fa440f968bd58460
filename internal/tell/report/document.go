// Package report says what a run, a comparison, a plan, a fit or a prediction shows: once, as a
// Document of blocks. It takes the numbers from the analysis and works out none itself; each output
// has an encoder of its own, which knows blocks but no particular table or chart: text, md, html
// and plot (svg and png). Package export writes the data as csv and Go benchmarks.
//
// Start at Document. OfRun is the largest of the documents; what is shown of one phase is listed in
// runDoc.phase.
package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Document is a report before it has a form.
type Document struct {
	// What it is: report, comparison, plan, fit, check, prediction, devices.
	Kind      string
	Title     string
	Started   string      // when it was measured, as people read it
	Hub       string      // what the disks are connected to, if that is known
	Simulated bool        // no disk was measured
	Model     hub.Source  // for simulated disks: the source of the model's figures
	Tool      string      // hubbench's version
	Keys      []LegendKey // the disks, or the runs of a comparison
	Page      *Page       // what it comes to; nil if the blocks are all there is
	PrintAll  bool        // its page prints what it folds, too
	Blocks    []Block
	Data      any    // the same as JSON
	DataFile  string // what it is saved as, without an ending; empty for Kind
	DataID    string // what it is called in a page, where Read finds a run's; empty for Kind
	Parts     string // what its phases are called; empty for phases
}

// Block is a part of a document. The set is closed: an encoder that knows these seven knows every
// document.
type Block interface{ isBlock() }

// Heading stands over the blocks that follow it.
type Heading struct{ Text string }

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

// Tiles are small charts of many hosts, each of which opens in place.
type Tiles struct {
	Title, Note string
	Large       bool
	List        []Tile
}

// Tile is one of them.
type Tile struct {
	ID     string
	Now    string // its rate
	Effect string // what changed, or that it is over; empty if nothing did
	Tone   Sign
	Chart  *Chart
	Table  *Table
}

// Details are blocks that belong together: a phase (or what a comparison says of one run), of which
// one is open at a time and which can be linked to; or what only some readers want.
type Details struct {
	ID      string
	Name    string // the phase's name in the scenario
	Title   string
	Does    string // who reads and who writes
	Phase   bool
	Printed bool // a terminal that is asked for everything shows it, unlike other folds
	// Fold is what it is one of many of, that a table before them sums up: the page lists these
	// together, and print leaves them out.
	Fold   string
	Open   bool // it is no fold: its title and caption stand over it
	Lead   bool // a terminal prints it with the answer
	Blocks []Block
}

func (Heading) isBlock()  {}
func (Sentence) isBlock() {}
func (Warning) isBlock()  {}
func (List) isBlock()     {}
func (Tiles) isBlock()    {}
func (*Table) isBlock()   {}
func (*Chart) isBlock()   {}
func (*Details) isBlock() {}

// Column is a table's head.
type Column struct {
	Head    string
	Disk    *LegendKey // the head is a disk
	Numbers bool       // to the right
	Side    int        // 1 or 2: the head is a run or state of two
	// If there is no room, columns with more of it are left out first; those with none never are.
	Drop int
}

// Cell is one entry of a table.
type Cell struct {
	Tree   string // the branches before it, in a table that is a tree; spaces that are kept
	Text   string
	Small  string     // a remark after it
	Letter string     // before it: W or R
	Disk   *LegendKey // the cell is a disk
	Link   string     // the ID of the details it leads to
	Strong bool
	Sign   Sign    // before the text
	Tone   Sign    // colors the text, without a sign
	Heat   float64 // a share to colour the cell by: 1 is nothing lost; 0 for no colour
	// Plain is the text's number for programs, or both ends of its range; empty for words.
	Plain [2]string
	Unit  string // unit of those numbers
	// NoReference says that there is nothing to compare the cell with: it must not look as if
	// nothing were lost.
	NoReference bool
}

// Sign marks a word as good news or bad, by a shape and a colour: the word says it as well.
type Sign string

// The signs.
const (
	Unsigned Sign = ""
	Good     Sign = "good"
	Doubt    Sign = "doubt"   // it can't be told
	Caution  Sign = "caution" // it may be off
	Bad      Sign = "bad"
)

// table begins one whose columns come in groups: see words and numbers.
func table(title string, groups ...[]Column) *Table {
	return &Table{Title: title, Columns: slices.Concat(groups...)}
}

// words are columns of words.
func words(heads ...string) []Column {
	return analysis.Each(heads, func(head string) Column { return Column{Head: head} })
}

func numbers(heads ...string) []Column {
	columns := words(heads...)
	for i := range columns {
		columns[i].Numbers = true
	}
	return columns
}

// dropFirst names the columns that a narrow page leaves out, in that order.
func (t *Table) dropFirst(heads ...string) *Table {
	for i, head := range heads {
		for k := range t.Columns {
			if t.Columns[k].Head == head {
				t.Columns[k].Drop = len(heads) - i
			}
		}
	}
	return t
}

// ofDisks are columns for the numbers of some disks.
func ofDisks(keys []LegendKey) []Column {
	var out []Column
	for i := range keys {
		out = append(out, Column{Head: keys[i].Label, Disk: &keys[i], Numbers: true})
	}
	return out
}

// strong is a cell in bold.
func strong(text string) Cell { return Cell{Text: text, Strong: true} }

// add puts a row at the table's end, of texts, counts, disks and cells.
func (t *Table) add(row ...any) {
	out := make([]Cell, len(row))
	for i, cell := range row {
		switch cell := cell.(type) {
		case string:
			out[i].Text = cell
		case *LegendKey:
			out[i].Disk = cell
		case Cell:
			out[i] = cell
		case int:
			out[i].Text = unit.FormatCount(cell)
			out[i].Plain = [2]string{strconv.Itoa(cell)}
		}
	}
	t.Rows = append(t.Rows, out)
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
	return cmp.Or(t.ID,
		strings.Join(strings.FieldsFunc(strings.ToLower(t.Title), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}), "-"))
}

// Shown is the table without the columns that have words in no row.
func (t *Table) Shown() *Table {
	out := *t
	out.Columns = nil
	out.Rows = make([][]Cell, len(t.Rows))
	for i, column := range t.Columns {
		if t.isBlank(i) {
			continue
		}
		out.Columns = append(out.Columns, column)
		for k, row := range t.Rows {
			out.Rows[k] = append(out.Rows[k], row[i])
		}
	}
	return &out
}

// isBlank reports whether a column has words in no row.
func (t *Table) isBlank(column int) bool {
	for _, row := range t.Rows {
		if row[column].Words() != "" {
			return false
		}
	}
	return true
}

// Printed is the table as a terminal shows it, with a mark before good news and bad, and how wide
// its columns are. In a column of numbers a remark takes as much room as any.
func (t *Table) Printed() (rows [][]string, widths []int) {
	rows = make([][]string, len(t.Rows))
	for i, column := range t.Columns {
		width, remark := cells.Width(column.Head), 0
		for _, row := range t.Rows {
			if column.Numbers {
				remark = max(remark, cells.Width(row[i].Small))
			}
		}
		for k, row := range t.Rows {
			c := row[i]
			small := c.Small
			if c.Words() != "" {
				small = cells.Pad(small, -remark)
			}
			c.Small = ""
			text := c.Tree + joined(" ", c.Sign.Glyph(), strings.TrimPrefix(c.Words(), c.Tree))
			if small != "" {
				text += " " + small
			}
			rows[k] = append(rows[k], text)
			width = max(width, cells.Width(text))
		}
		widths = append(widths, width)
	}
	return rows, widths
}

// TableTitle stands over a table that leaves its document.
func TableTitle(doc *Document, t *Table) string {
	return strings.Join(slices.Compact(nonEmpty(doc.Title, t.Phase, t.Title)), ": ")
}

// Is reports whether the phase goes by a name: its own or the one shown, in capitals or not.
func (d *Details) Is(phase string) bool {
	return strings.EqualFold(d.Name, phase) || strings.EqualFold(d.Title, phase)
}

// Add puts blocks at the document's end, but for tables and charts that are nil or empty.
func (d *Document) Add(blocks ...Block) { d.Blocks = append(d.Blocks, shown(blocks)...) }

// Add puts blocks at the end of the details, likewise.
func (d *Details) Add(blocks ...Block) { d.Blocks = append(d.Blocks, shown(blocks)...) }

// shown are the blocks that have something to show.
func shown(blocks []Block) (list []Block) {
	for _, block := range blocks {
		if !isEmpty(block) {
			list = append(list, block)
		}
	}
	return list
}

func isEmpty(block Block) bool {
	switch block := block.(type) {
	case *Table:
		return block == nil || len(block.Rows) == 0
	case *Chart:
		return block == nil
	case *Details:
		return block == nil || len(block.Blocks) == 0 && !block.Phase
	case List:
		return len(block.Items) == 0
	case Sentence:
		return block.Text == ""
	}
	return false
}

// Origin is the line that goes with everything that leaves the document by itself: when and on what
// it was measured, and that it was not.
func (d *Document) Origin() []string { return nonEmpty(d.Started, d.Hub, d.Unmeasured()) }

// joined are the parts that are not empty, with a separator between them.
func joined(separator string, parts ...string) string {
	return strings.Join(nonEmpty(parts...), separator)
}

func nonEmpty(parts ...string) (list []string) {
	for _, part := range parts {
		if part != "" {
			list = append(list, part)
		}
	}
	return list
}

// AnswerBlocks returns what the document comes to as blocks.
func (d *Document) AnswerBlocks() []Block {
	if d.Page == nil {
		return nil
	}
	return d.Page.Blocks()
}

// Setup is the hub, and how many disks were measured.
func (d *Document) Setup() string {
	disks := ""
	if d.Kind == "report" {
		disks = unit.Plural(len(d.Keys), "disk")
	}
	return joined(", ", d.Hub, disks)
}

// Unmeasured says that nothing was measured, or what is behind a model is not; it is empty if disks
// were.
func (d *Document) Unmeasured() string {
	switch {
	case d.Model == hub.Specified && d.Simulated:
		return "simulated, with figures " + d.Model.Text()
	case d.Model == hub.Specified:
		return "with figures " + d.Model.Text()
	case d.Simulated:
		return "simulated"
	}
	return ""
}

// Collect gathers the blocks of a kind, those in folds among them but none of a phase, in order.
func Collect[B Block](blocks []Block) []B {
	var out []B
	for _, block := range blocks {
		if found, ok := block.(B); ok {
			out = append(out, found)
		} else if d, ok := block.(*Details); ok && !d.Phase {
			out = append(out, Collect[B](d.Blocks)...)
		} else if h, ok := block.(*Rows); ok {
			out = append(out, Collect[B](Flat(h))...)
		}
	}
	return out
}

// Phases are the document's phases.
func (d *Document) Phases() (phases []*Details) {
	for _, details := range Collect[*Details](d.Blocks) {
		if details.Phase {
			phases = append(phases, details)
		}
	}
	return phases
}

// Unfold makes print hold the phases that it leaves out otherwise.
func (d *Document) Unfold() {
	for _, phase := range d.Phases() {
		phase.Fold = ""
	}
}

func warnings(texts []string) []Block {
	return analysis.Each(texts, func(text string) Block { return Warning{text} })
}
