package report

import (
	"math"
	"strings"
)

// Chart is numbers on one plane. Encoders draw it without knowing what it is about: the page, the
// pictures (svg and png), Markdown.
type Chart struct {
	ID      string // its name on the command line
	Title   string // states the finding
	Caption string // says how to read it
	Phase   string // the phase that it shows; empty if it shows more than one
	X, Y    Axis
	// Names of rows from the top, at 0, 1, 2 and so on of Y; empty if Y is a scale.
	Rows   []string
	Keys   []LegendKey // the disks or runs that series and marks belong to
	Series []ChartSeries
	Bands  []Band
	Marks  []Mark
	Wide   bool   // it takes the whole width and can be zoomed
	Table  *Table // what a page's picture shows, for outputs without pictures; nil if nothing needs it
}

// Axis is a scale.
type Axis struct {
	Name string  `json:"name"` // with its unit behind a comma, unless Unit says it
	Unit Unit    `json:"unit,omitempty"`
	Min  float64 `json:"-"`
	Max  float64 `json:"-"`
	Log  bool    `json:"-"`

	Names []string `json:"-"` // what the whole numbers along it stand for; empty for themselves
}

// Tick writes a value on the axis, without the zeros that tell how well a measured value is known.
func (a *Axis) Tick(v float64) string {
	switch {
	case a.Names != nil && int(v) < len(a.Names):
		return a.Names[int(v)]
	case a.Names != nil:
		return ""
	case a.Unit == Plain:
		return shortest(v)
	}
	return Write(a.Unit, v)
}

// Share is how far along the axis a value lies. An axis may have no length.
func (a *Axis) Share(v float64) float64 {
	low, high := a.Min, a.Max
	if a.Log {
		low, high, v = math.Log(low), math.Log(high), math.Log(v)
	}
	return (v - low) / max(high-low, 1e-12)
}

// Unit says how an axis' values are written.
type Unit string

// The units. Rates and other plain numbers have their unit in the axis' name.
const (
	Plain   Unit = ""
	Seconds Unit = "s"
	Bytes   Unit = "B"
)

// None is the key of what belongs to no disk or run.
const None = -1

// SeriesKind says how a series is drawn, and what the numbers of its points are.
type SeriesKind string

// The kinds. Dots and files may go on with what only the tooltip says: the file's number and its
// size in bytes.
const (
	Line SeriesKind = "line" // from point to point: x, y
	// From zero along a row: row, value and, if it is known, its interval from low to high.
	Bar   SeriesKind = "bar"
	Dots  SeriesKind = "dots"  // a disk's symbol: x, y
	Files SeriesKind = "files" // a stroke for a file, as long as it took: from x, to x, y
)

// ChartSeries is points of one kind and one disk or run.
type ChartSeries struct {
	Kind   SeriesKind  `json:"kind"`
	Key    int         `json:"key"` // an index into the chart's keys, or None
	Name   string      `json:"name"`
	Tone   Sign        `json:"tone,omitempty"`  // for a series without a key
	Faint  bool        `json:"faint,omitempty"` // it stands behind the others, or is no part of the disk's work
	Points [][]float64 `json:"-"`
}

// Band is a stretch of X.
type Band struct {
	From, To float64
	Text     string
	Tone     Sign
	Overlap  bool // the one time in which all disks are busy, which the answer's rates are of
}

// Mark is a labelled line: across at a height, or upright. It spans the whole plane unless From and
// To differ from 0.
type Mark struct {
	At       float64
	From, To float64
	Upright  bool
	Area     bool // what is below the line is shaded
	Text     string
	Key      int // an index into the chart's keys, or None
	Tone     Sign
}

// Interval is that of a bar, if it is known.
func Interval(bar []float64) (low, high float64, known bool) {
	if known = len(bar) > 3; known {
		low, high = bar[2], bar[3]
	}
	return low, high, known
}

// Name is what the chart is called on the command line.
func (c *Chart) Name() string { return c.ID }

// Room beyond the highest value, as the length of the axis over it.
const (
	barRoom  = 1.05
	lineRoom = 1.08
)

// rowAxis is the vertical axis of n rows.
func rowAxis(n int) Axis { return Axis{Min: -0.5, Max: float64(n) - 0.5} }

// add puts a series into the chart unless it has no points.
func (c *Chart) add(s ChartSeries) {
	if len(s.Points) > 0 {
		c.Series = append(c.Series, s)
	}
}

func (s *ChartSeries) point(values ...float64) { s.Points = append(s.Points, values) }

// addLevel draws a level from one x to another, with the step to it from the level before.
func (s *ChartSeries) addLevel(from, to, level float64) {
	if n := len(s.Points); n > 0 && s.Points[n-1][1] == level {
		s.Points[n-1][0] = to
		return
	}
	s.point(from, level)
	s.point(to, level)
}

// Ends are where the mark's line begins and ends on the chart's plane.
func (m *Mark) Ends(c *Chart) (x1, y1, x2, y2 float64) {
	along := c.X
	if m.Upright {
		along = c.Y
	}
	from, to := m.From, m.To
	if from == 0 && to == 0 {
		from, to = along.Min, along.Max
	}
	if m.Upright {
		return m.At, from, m.At, to
	}
	return from, m.At, to, m.At
}

// Drawn reports whether the chart is of lines or files, whose heights over x can be told in a line
// of text.
func (c *Chart) Drawn() bool {
	for _, s := range c.Series {
		if len(c.Rows) == 0 && (s.Kind == Line || s.Kind == Files) {
			return true
		}
	}
	return false
}

// Value is what a point says: a bar's length, or a height.
func (c *Chart) Value(kind SeriesKind, point []float64) float64 {
	if kind == Files {
		return point[2]
	}
	return point[1]
}

// Describe says the chart in words, for readers of text: between what values each disk's points
// lie.
func (c *Chart) Describe() string {
	axis := c.Y
	if len(c.Rows) > 0 {
		axis = c.X
	}
	var parts []string
	for key := None; key < len(c.Keys); key++ {
		low, high := math.Inf(1), math.Inf(-1)
		for _, s := range c.Series {
			if s.Key != key || s.Faint {
				continue
			}
			for _, point := range s.Points {
				value := c.Value(s.Kind, point)
				low, high = min(low, value), max(high, value)
			}
		}
		if low > high {
			continue
		}
		name := "together"
		if key != None {
			name = c.Keys[key].Label
		}
		from, to := Write(axis.Unit, low), Write(axis.Unit, high)
		if from != to {
			from += " to " + to
		}
		parts = append(parts, name+" "+from)
	}
	return c.Title + " (" + axis.Name + "): " + strings.Join(parts, "; ") + "."
}

// ChartOrigin stands in small letters under a chart that leaves its document: of what phase and run
// it is, when and on what it was measured, and that it was not.
func ChartOrigin(doc *Document, c *Chart) string {
	parts := append(nonEmpty(doc.Title, pick(c.Phase == doc.Title, "", c.Phase)), doc.Origin()...)
	return Clean(strings.Join(append(parts, strings.TrimSpace("hubbench "+doc.Tool)), " · "))
}
