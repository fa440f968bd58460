package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/hubbench/hubbench/pkg/stats"
)

// Page is what a document comes to: the first screen of its page, what a terminal prints of it, and
// what a card shows. Its builder writes every text and rounds every number; painters lay them out
// and work out nothing. The document's blocks are what is behind it.
type Page struct {
	Kicker   []string // follows the document's title: when, on what, how many runs
	Marks    []string // "one run", "not run yet"
	Status   string   // a doubt: above the headline, never instead of it
	Doubts   []string // more of them
	Verdict  Verdict
	Headline string
	Sub      string // one more idea
	Hero     Hero
	Big      *Big     // stands in the picture's card, or in its place
	Numbers  []Number // three at most
	Actions  []Action // one, rarely two
	More     []string // what else is worth a sentence; a terminal prints it if there is room
	Sure     string   // the margin of error, in small print
}

// Verdict begins a headline: the only word of it in a color.
type Verdict struct {
	Sign Sign
	Word string // "Fails"; empty for none
}

// Number is a key number and what it is.
type Number struct {
	Value, Text string
	Tone        Sign
	InHero      bool // the picture says it as well
}

// Big is a number to be shown large.
type Big struct {
	Number, Unit string
	Text, Detail string
	Tone         Sign
}

// Action is something to do, and what comes of it.
type Action struct {
	Title, Detail string
	Text          string // both; empty for the title as a sentence of its own
	Command       string // does it in a shell; empty for none
}

// newAction joins the two into a sentence as well.
func newAction(title, detail string) Action {
	return Action{Title: title, Detail: detail, Text: title + ". " + detail}
}

// Hero is the picture that shows the answer. The set is closed, so a painter that knows its kinds
// knows every page.
type Hero interface{ hero() }

func (*Rows) hero()     {}
func (*Verdicts) hero() {}
func (*Cells) hero()    {}
func (*Chart) hero()    {}

// A section shows them as well.
func (*Rows) isBlock()     {}
func (*Verdicts) isBlock() {}
func (*Cells) isBlock()    {}

// Rows are labels with bars or intervals on one axis, and numbers: limits, changes, times.
type Rows struct {
	ID            string // name of its table on the command line; empty for answer
	Caption, Note string
	Head          string // over the labels
	Axis          Ruler
	Changes       *Ruler   // a second axis, of values and their intervals; nil if Axis is theirs
	Columns       []Column // the numbers; those that may drop leave narrow screens
	Rows          []Row
}

// Row is one line of Rows.
type Row struct {
	Sign    Sign
	Key     *LegendKey // nil if it belongs to no disk or run
	Label   string
	Text    string // in place of the picture and the numbers
	Bars    []RowBar
	Value   *float64        // a place on the axis, if it is known
	Span    *stats.Interval // the interval of the value
	Tone    Sign            // the color of the value and its interval
	Numbers []Cell
}

// RowBar is a bar of a row.
type RowBar struct {
	From  float64 // where it begins on the axis
	To    float64 // where it ends
	Parts int     // pieces that it is made of, more than one
	Tone  Sign    // its color, in place of the row's disk's
	Text  string  // behind it
	Side  int     // 1 or 2: the run or state that it is of; 0 for the row's disk
	Pale  bool    // behind the others: how long they could be
}

// Ruler is the axis that rows share.
type Ruler struct {
	Low, High float64
	Ticks     []RulerTick
	Zone      *[2]float64 // what is beyond a limit; nil without one
}

// RulerTick is a value that the axis names. A strong one has a line through all rows.
type RulerTick struct {
	At     float64
	Text   string
	Strong bool
}

// name names some round values from 0 on.
func (r *Ruler) name(text func(at float64) string) {
	for _, at := range Steps(0, r.High, axisTicks) {
		r.Ticks = append(r.Ticks, RulerTick{At: at, Text: text(at)})
	}
}

// Place returns where a value lies on the axis, in percent of its length.
func (r *Ruler) Place(value float64) float64 {
	return math.Round(1000*r.Share(value)) / 10
}

// Rest returns how much of the axis is beyond a value, in percent of its length.
func (r *Ruler) Rest(value float64) float64 {
	return math.Round(1000*(1-r.Share(value))) / 10
}

// Share returns how far along the axis a value lies: at least 0, at most 1.
func (r *Ruler) Share(value float64) float64 {
	return min(1, max(0, (value-r.Low)/max(r.High-r.Low, 1e-12)))
}

// Counted reports whether the bars are of things that are counted, a piece for each.
func (h *Rows) Counted() bool {
	for _, row := range h.Rows {
		for _, bar := range row.Bars {
			if bar.Tone != Unsigned && bar.Parts > 0 {
				return true
			}
		}
	}
	return false
}

// End returns where the longest bar ends.
func (r *Row) End() float64 {
	var end float64
	for _, bar := range r.Bars {
		end = max(end, bar.To)
	}
	return end
}

// Cells are what was done of something: a cell for each phase, by groups.
type Cells struct {
	Caption, Note string
	Groups        []CellGroup
}

// CellGroup is a line of cells, and a sentence about them.
type CellGroup struct {
	Label, Text string
	Cells       []CellState
}

// CellState is what became of a phase.
type CellState string

// The states.
const (
	Complete CellState = "ok"
	Cut      CellState = "cut"
	Failed   CellState = "failed"
	Missing  CellState = "missing"
)

// Glyph returns the state as one character.
func (s CellState) Glyph() string {
	return map[CellState]string{Complete: "✓", Cut: "~", Failed: "✗", Missing: "·"}[s]
}

// Line returns the cells in letters.
func (g *CellGroup) Line() string {
	var line strings.Builder
	for _, state := range g.Cells {
		line.WriteString(state.Glyph())
	}
	return line.String()
}

// Verdicts are what was judged: a sign, what it is, why, and what to do.
type Verdicts struct {
	Caption, Note string
	List          []Judged
}

// Judged is one of Verdicts.
type Judged struct {
	Sign      Sign
	Key       *LegendKey // nil if it is about no disk
	What, On  string     // On says whose it is, or how much
	Why, ToDo string     // each may be empty
}

// Table returns rows as a table, for outputs without pictures.
func (h *Rows) Table() *Table {
	t := table(h.Head, words(h.Head), h.Columns)
	t.ID = cmp.Or(h.ID, "answer")
	t.Note = joined(" ", h.Caption, h.Note)
	for _, row := range h.Rows {
		cells := []any{Cell{Sign: row.Sign, Text: row.Label}}
		for _, number := range row.Numbers {
			cells = append(cells, number)
		}
		for len(cells) <= len(h.Columns) {
			cells = append(cells, "")
		}
		if row.Text != "" {
			cells[0] = Cell{Sign: row.Sign, Text: row.Label, Small: row.Text}
		}
		t.add(cells...)
	}
	return t
}

// Flat returns a picture as blocks, for outputs without pictures.
func Flat(h Hero) []Block {
	switch hero := h.(type) {
	case *Rows:
		return shown([]Block{hero.Table()})
	case *Flow:
		if hero.Rows != nil {
			return Flat(hero.Rows)
		}
		return shown([]Block{hero.Table()})
	case *Chart:
		return shown([]Block{hero.Table})
	case *Verdicts:
		list := List{Title: hero.Caption}
		for _, j := range hero.List {
			list.Items = append(list.Items, joined(" ", j.Sign.Glyph(), j.Sentence()))
		}
		return shown([]Block{list, Sentence{Text: hero.Note}})
	case *Cells:
		list := List{Title: hero.Caption}
		for i := range hero.Groups {
			g := &hero.Groups[i]
			list.Items = append(list.Items, joined(" ", g.Label+":", g.Line(), g.Text))
		}
		return shown([]Block{list})
	}
	return nil
}

// Blocks returns the page as blocks, in the order in which they are read.
func (p *Page) Blocks() []Block {
	var blocks []Block
	if p.Status != "" {
		blocks = append(blocks, Warning{p.Status})
	}
	blocks = append(blocks, warnings(p.Doubts)...)
	blocks = append(blocks, Sentence{Text: p.Title() + ".", Lead: true}, Sentence{Text: p.Sub})
	blocks = append(blocks, Flat(p.Hero)...)
	numbers := List{}
	for _, n := range p.Numbers {
		numbers.Items = append(numbers.Items, n.Value+" "+n.Text+".")
	}
	blocks = append(blocks, numbers, List{Items: p.More})
	for i := range p.Actions {
		a := &p.Actions[i]
		blocks = append(blocks, Sentence{Text: a.Sentence()}, Sentence{Text: a.Command})
	}
	return shown(append(blocks, Sentence{Text: p.Sure}))
}

// Title returns the headline with its verdict.
func (p *Page) Title() string {
	if p.Verdict.Word == "" {
		return p.Headline
	}
	return fmt.Sprintf("%s %s: %s", p.Verdict.Sign.Glyph(), p.Verdict.Word, p.Headline)
}

// Sentence returns what to do and what comes of it.
func (a *Action) Sentence() string {
	return cmp.Or(a.Text, joined(" ", a.Title+".", a.Detail))
}

// Sentence returns all that is said, on one line.
func (j *Judged) Sentence() string {
	who := j.What
	if j.On != "" {
		who += " (" + j.On + ")"
	}
	return joined(" ", who+".", j.Why, j.ToDo)
}

// Glyph returns the sign as one character.
func (s Sign) Glyph() string {
	return map[Sign]string{Good: "✓", Doubt: "?", Caution: "!", Bad: "✗"}[s]
}

// Kept returns how many columns no screen leaves out.
func (h *Rows) Kept() (n int) {
	for _, column := range h.Columns {
		if column.Drop == 0 {
			n++
		}
	}
	return n
}
