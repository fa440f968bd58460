package report

// Chart is numbers on one plane. Encoders draw it without knowing what it is about: the page, the pictures (svg and
// png), Markdown.
type Chart struct {
	ID      string // its name on the command line
	Title   string // states the finding
	Caption string // says how to read it
	Phase   string // the phase that it shows; empty if it shows more than one
	X, Y    Axis
	Rows    []string // names of rows from the top, at 0, 1, 2 and so on of Y; empty if Y is a scale
	Keys    []Key    // the disks or runs that series and marks belong to
	Series  []Series
	Bands   []Band
	Marks   []Mark
	Wide    bool // it takes the whole width and can be zoomed
}

// Kind says how a series is drawn, and what the numbers of its points are.
type Kind string

// The kinds. Dots and files may go on with what only the tooltip says: the file's number and its size in bytes.
const (
	Line  Kind = "line"  // from point to point: x, y
	Bar   Kind = "bar"   // from zero along a row: row, value and, if it is known, its interval from low to high
	Dots  Kind = "dots"  // a disk's symbol: x, y
	Files Kind = "files" // a stroke for a file, as long as it took: from x, to x, y
)

// Series is points of one kind and one disk or run.
type Series struct {
	Kind   Kind        `json:"kind"`
	Key    int         `json:"key"` // an index into the chart's keys, or None
	Name   string      `json:"name"`
	Faint  bool        `json:"faint,omitempty"` // it stands behind the others, or is no part of the disk's work
	Points [][]float64 `json:"-"`
}

// Band is a stretch of X.
type Band struct {
	From, To float64
	Text     string
	Tone     Sign
}

// Mark is a labelled line: across at a height, or upright. It spans the whole plane unless From and To cut it; where
// they are alike and not 0, only its text is drawn, behind that point.
type Mark struct {
	At       float64
	From, To float64
	Upright  bool
	Text     string
	Key      int // an index into the chart's keys, or None
	Tone     Sign
}

func (*Chart) isBlock() {}

// Name is what the chart is called on the command line.
func (c *Chart) Name() string { return c.ID }

// add puts a series into the chart unless it has no points.
func (c *Chart) add(s Series) {
	if len(s.Points) > 0 {
		c.Series = append(c.Series, s)
	}
}

func (s *Series) point(values ...float64) { s.Points = append(s.Points, values) }

// hold draws a level from one x to another, with the step to it from the level before.
func (s *Series) hold(from, to, level float64) {
	if n := len(s.Points); n > 0 && s.Points[n-1][1] == level {
		s.Points[n-1][0] = to
		return
	}
	s.point(from, level)
	s.point(to, level)
}
