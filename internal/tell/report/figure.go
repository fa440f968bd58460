package report

import (
	"math"
	"slices"
	"strings"
)

// Figure is a chart in the units of its data: panels one above the other on one horizontal axis, and the marks in them.
// Nothing in it is of a particular output: every encoder draws the same marks.
type Figure struct {
	ID         string // its name on the command line
	Title      string
	Text       string // how to read it
	Phase      string // the phase it is of; empty for none
	X          Axis
	Panels     []Panel
	Keys       []Key  // the disks its marks belong to
	Wide       bool   // takes the whole width, and can be zoomed
	OmitInText bool   // its numbers stand in a table beside it: text leaves it out
	Also       string // the name of marks to be shown on demand; empty for none
}

// Panel is a plane with a vertical axis.
type Panel struct {
	Y      Axis
	Height int // of the plane in pixels
	Marks  []OldMark
}

// Axis is a scale. Its JSON is what the live chart needs beside its own axes.
type Axis struct {
	Name string  `json:"name"`
	Unit Unit    `json:"unit"`
	Min  float64 `json:"-"`
	Max  float64 `json:"-"`
	Log  bool    `json:"-"` // of the horizontal axis
	// Of the vertical axis: a row for each key from the top, at 0, 1, 2 and so on; those between Min and Max.
	Rows bool `json:"rows,omitempty"`
	// It has no values; of the vertical axis: words stand beside their marks there, or nowhere.
	Bare bool `json:"bare,omitempty"`
}

// Unit says how an axis' values are written.
type Unit string

// The units. Rates and other plain numbers have their unit in the axis' name.
const (
	Plain   Unit = ""
	Seconds Unit = "s"
	Bytes   Unit = "B"
)

// Shape is a kind of mark. Each has rows of its own columns.
type Shape string

// The shapes and their columns.
const (
	Segment   Shape = "segment" // a line with the disk's symbol in its middle: x1, x2, y1, y2
	Point     Shape = "point"   // the disk's symbol: x, y
	Step      Shape = "step"    // a level that holds to the next row: x, y
	Rectangle Shape = "bar"     // x1, x2, y1, y2
	Ribbon    Shape = "band"    // a range and a line in it: x1, x2, low, high, mean
	Span      Shape = "span"    // shaded over the whole height: x1, x2
	Rule      Shape = "rule"    // a line across: x1, x2, y; or upright from foot to top: x
	Label     Shape = "label"   // words alone: x, y
)

// Style sets a mark apart.
type Style string

// The styles.
const (
	Normal  Style = ""
	Faint   Style = "faint"   // behind the others, or no part of the disk's work
	Bare    Style = "line"    // a segment without its symbol
	Dashed  Style = "dashed"  // likewise, dashed
	Outline Style = "outline" // a bar's edge alone
	Hatched Style = "hatched" // a bar that nothing is known of to compare it with
	Density Style = "density" // the fuller, the more: the last column is a share of the most
	Ink     Style = "ink"     // in the colour of text
	Area    Style = "area"    // a step with what lies under it
	Apart   Style = "apart"   // a bar with a gap to its neighbour
	Limit   Style = "limit"   // a bound that is not of the disks
	Gain    Style = "gain"    // a change for the better
	Loss    Style = "loss"    // for the worse
	Turn    Style = "turn"    // for neither
)

// Changed reports whether the style is one of a change.
func (s Style) Changed() bool { return s == Gain || s == Loss || s == Turn }

// None is the key of a mark that belongs to no disk.
const None = -1

// OldMark is rows of one shape and one disk. What is hidden with the disk is all of its marks.
type OldMark struct {
	Shape Shape       `json:"shape"`
	Style Style       `json:"style,omitempty"`
	Key   int         `json:"key"`            // in the figure's keys, or None
	Name  string      `json:"name,omitempty"` // what a row is, for those who point at it: "file"
	Text  string      `json:"text,omitempty"` // words beside the first row
	Extra []Extra     `json:"extra,omitempty"`
	Rows  [][]float64 `json:"-"`
}

// Extra is a column after those of the shape: more to say of a row.
type Extra struct {
	Name string `json:"name"`
	Unit Unit   `json:"unit"`
}

// Name is what the figure is called on the command line.
func (f *Figure) Name() string { return f.ID }

func (m *OldMark) row(values ...float64) { m.Rows = append(m.Rows, values) }

// mark adds a mark to a panel, with a row if one is given.
func (p *Panel) mark(m OldMark, row ...float64) {
	if row != nil {
		m.row(row...)
	}
	p.Marks = append(p.Marks, m)
}

// Key is a disk, or a run of a comparison, with what always goes with it: its colour and its symbol.
type Key struct {
	Name  string `json:"name"`
	Label string `json:"label"` // the name, cut in its middle if it is long, and unlike the others'
	Does  string `json:"-"`     // reading, writing; empty for neither
	Where string `json:"-"`     // what it is and hangs on
	Index int    `json:"index"` // its place among all
}

// Colour and Shape are numbers into Colours and Shapes. After the eighth the pairs shift, so that sixty-four keys
// differ in one or the other.
func (k Key) Colour() int { return k.Index % len(Colours(false)) }

// Symbol is the key's shape: see Colour.
func (k Key) Symbol() int { return (k.Index + k.Index/8) % len(Shapes()) }

// Colours are safe for colour-blind readers (after Okabe and Ito, "Color Universal Design", 2008), darkened or
// lightened to stand out from the page. The style sheet has the same as --c0 to --c7.
func Colours(dark bool) []string {
	if dark {
		return []string{"#56b4e9", "#e69f00", "#2fc79a", "#e08fbf", "#f0e442", "#9ccdf2", "#ff8f5a", "#cfd4da"}
	}
	return []string{"#0072b2", "#d55e00", "#009e73", "#b0548f", "#8f6400", "#3389c4", "#6b6b00", "#4d4d4d"}
}

// Corner is a point of a symbol's outline, which lies within 10 of its middle; y grows downwards.
type Corner struct{ X, Y float64 }

// Shapes are the outlines of the symbols. The first has no corners: it is a circle.
func Shapes() [][]Corner {
	return [][]Corner{
		nil,
		{{0, -9}, {9.5, 7.5}, {-9.5, 7.5}},
		{{0, -10}, {10, 0}, {0, 10}, {-10, 0}},
		{{-7.5, -7.5}, {7.5, -7.5}, {7.5, 7.5}, {-7.5, 7.5}},
		{{0, 9}, {9.5, -7.5}, {-9.5, -7.5}},
		{{-3, -9}, {3, -9}, {3, -3}, {9, -3}, {9, 3}, {3, 3}, {3, 9}, {-3, 9}, {-3, 3}, {-9, 3}, {-9, -3}, {-3, -3}},
		{
			{0, -10}, {2.6, -3.4}, {9.5, -3.1}, {4.1, 1.3}, {5.9, 8.1},
			{0, 4.2}, {-5.9, 8.1}, {-4.1, 1.3}, {-9.5, -3.1}, {-2.6, -3.4},
		},
		{{-9, 0}, {-4.5, -8}, {4.5, -8}, {9, 0}, {4.5, 8}, {-4.5, 8}},
	}
}

// Axes are how many of the shape's columns lie along the horizontal axis, and how many of those after them along the
// vertical one.
func (m *OldMark) Axes() (x, y int) {
	switch {
	case m.Shape == Segment || m.Shape == Rectangle:
		return 2, 2
	case m.Shape == Ribbon:
		return 2, 3
	case m.Shape == Span:
		return 2, 0
	case m.Shape == Rule && len(m.Rows) > 0 && len(m.Rows[0]) > 2:
		return 2, 1
	case m.Shape == Rule:
		return 1, 0
	}
	return 1, 1
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// interval is the name of marks that say how far a value may be off: no values of their own.
const interval = "95 % confidence interval"

// Main is the first panel with an axis of its own.
func (f *Figure) Main() *Panel {
	return &f.Panels[max(0, slices.IndexFunc(f.Panels, func(p Panel) bool { return !p.Y.Bare }))]
}

// Describe says the figure in words, for readers of text: what each disk's marks in the main panel come to.
func (f *Figure) Describe() string {
	panel := *f.Main()
	axis, horizontal := panel.Y, false
	if panel.Y.Rows {
		axis, horizontal = f.X, true
	}
	var parts []string
	for i, key := range f.Keys {
		at := slices.IndexFunc(f.Panels, func(p Panel) bool {
			return p.Y.Rows && p.Y.Min < float64(i) && float64(i) < p.Y.Max
		})
		if horizontal && at >= 0 {
			panel = f.Panels[at]
		}
		low, high := f.reach(&panel, i, horizontal)
		if low > high {
			continue
		}
		from, text := Write(axis.Unit, low), Write(axis.Unit, high)
		if from != text {
			text = from + " to " + text
		}
		if text = key.Label + " " + text; panel.Y.Rows && panel.Y.Name != "" && panel.Y.Min+0.5 == float64(i) {
			text = panel.Y.Name + ": " + text
		}
		parts = append(parts, text)
	}
	return f.Title + " (" + axis.Name + "): " + strings.Join(parts, "; ") + "."
}

// reach is the lowest and the highest value of a key's marks along an axis; the lowest is above the highest if it
// has none.
func (f *Figure) reach(panel *Panel, key int, horizontal bool) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range panel.Marks {
		m := &panel.Marks[i]
		aside := m.Name == interval || f.Also != "" && m.Name == f.Also || m.Style == Outline
		if m.Key != key || aside || slices.Contains([]Shape{Label, Span, Rule}, m.Shape) {
			continue
		}
		x, y := m.Axes()
		for _, row := range m.Rows {
			values := pick(horizontal, row[:x], row[x:x+y])
			switch {
			case m.Shape == Rectangle && horizontal && values[0] == 0: // a bar from nothing
				values = values[1:]
			case m.Shape == Rectangle && !horizontal && m.Style != Density: // one on top of others
				values = []float64{values[1] - values[0]}
			}
			low, high = min(low, slices.Min(values)), max(high, slices.Max(values))
		}
	}
	return low, high
}

// PictureOrigin stands in small letters under a figure that leaves its document: of what phase and run it is, when and on
// what it was measured, and that it was not.
func PictureOrigin(doc *Document, f *Figure) string {
	parts := append(nonEmpty(doc.Title, pick(f.Phase == doc.Title, "", f.Phase)), doc.Origin()...)
	return Clean(strings.Join(append(parts, strings.TrimSpace("hubbench "+doc.Tool)), " · "))
}
