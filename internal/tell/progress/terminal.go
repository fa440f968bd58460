package progress

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/ink"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Sizes assumed for a terminal that does not report its own, or reports one too small to be true.
const (
	usualColumns, usualRows = 80, 24
	minColumns, minRows     = 20, 4
)

// Sizes of the picture.
const (
	maxRows    = 12
	maxDisks   = 6 // with a row each; of more than that the busiest have one
	maxName    = 16
	minSpark   = 8  // cells of a sparkline that is worth drawing
	maxSpark   = 24 // cells that make 60 s
	rateWidth  = 13 // "   0.681 GB/s"
	keepsWidth = 16 // "    47 % of 1.46"
	labelWidth = 13
	gap        = 2 // between the sides of the title
)

// separator stands between the columns of the table.
const separator = "   "

// A disk is slowed if it has less than this share of its baseline.
const minKept = 0.9

// terminal draws a picture over the one drawn before.
type terminal struct {
	w     io.Writer
	ink   ink.Ink
	size  func() (columns, rows int)
	drawn []int // cells of each line above the cursor
}

// span is a piece of a line, and its colour. The colour comes last, since it takes no cells.
type span struct {
	text  string
	paint func(string) string // nil: as it is
}

// row is a line of the picture. Where there is no room, the highest order goes first; 0 stays.
type row struct {
	order int
	spans []span
}

func (t *terminal) draw(s *state) {
	columns, rows := t.size()
	columns, rows = sized(columns, usualColumns, minColumns), sized(rows, usualRows, minRows)
	var picture strings.Builder
	picture.WriteString(t.erase(columns))
	for _, r := range t.frame(s, columns-1, min(maxRows, rows-1)) {
		line, width := t.line(r.spans, columns-1)
		picture.WriteString(line + "\n")
		t.drawn = append(t.drawn, width)
	}
	t.write(picture.String()) // at once, or it flickers
}

func sized(reported, usual, least int) int {
	if reported <= 0 {
		return usual
	}
	return max(least, reported)
}

// line paints the spans and cuts what has no room.
func (t *terminal) line(spans []span, room int) (line string, width int) {
	for _, s := range spans {
		text := cells.Cut(t.ink.Text(s.text), room-width)
		width += cells.Width(text)
		if s.paint != nil {
			text = s.paint(text)
		}
		line += t.ink.Text(text)
	}
	return line, width
}

// erase is what takes the drawn lines off the screen. Terminals break lines that a smaller window
// cannot hold, so these may take more rows than when they were drawn. Each row is erased by itself:
// some terminals keep what is erased together in the lines that can be scrolled back to.
func (t *terminal) erase(columns int) string {
	rows := 0
	for _, width := range t.drawn {
		rows += max(1, (width+columns-1)/columns)
	}
	if t.drawn = nil; rows == 0 {
		return ""
	}
	up := fmt.Sprintf("\x1b[%dA", rows)
	return up + strings.Repeat("\x1b[2K\n", rows) + "\x1b[2K" + up // the last may hold a ^C
}

func (t *terminal) wipe() {
	columns, _ := t.size()
	t.write(t.erase(sized(columns, usualColumns, minColumns)))
}

// log prints nothing: the picture says it.
func (t *terminal) log(string) {}

func (t *terminal) say(text string) {
	t.wipe()
	columns, _ := t.size()
	lines := cells.Wrap(cells.Clean(text), "", sized(columns, usualColumns, minColumns)-1)
	t.write(t.ink.Text(strings.Join(lines, "\n")) + "\n")
}

func (t *terminal) write(text string) {
	_, _ = io.WriteString(t.w, text) // a terminal that is gone must not end a run
}

// frame is the picture of a phase under way.
func (t *terminal) frame(s *state, room, rows int) []row {
	lines := []row{{0, t.title(s, room)}, {5, t.bar(s, room)}, {10, nil}}
	lines = append(lines, t.table(s, room, min(maxDisks, rows-2))...)
	lines = append(lines, row{11, nil})
	lines = append(lines, t.notes(s, room)...)
	hint := span{"  Ctrl-C stops after this request and keeps the results", t.ink.Dim}
	if s.stopping {
		hint = span{"  " + stopping, t.ink.Yellow}
	}
	lines = append(lines, row{8, []span{label("Written"), {text: s.writing()}}},
		row{0, []span{label("Now"), {text: s.doing()}}}, row{12, nil}, row{6, []span{hint}})
	for len(lines) > rows {
		last := 0
		for i := range lines {
			if lines[i].order >= lines[last].order {
				last = i
			}
		}
		lines = slices.Delete(lines, last, last+1)
	}
	return lines
}

func label(text string) span { return span{text: cells.Pad("  "+text, labelWidth)} }

// notes are what the phases so far have shown, or what is wrong.
func (t *terminal) notes(s *state, room int) []row {
	head, text := label("So far"), s.soFar
	if n := len(s.warnings); n > 0 {
		head, text = span{cells.Pad("  !", labelWidth), t.ink.Yellow}, s.warnings[n-1]
	}
	if text == "" {
		return nil
	}
	room -= labelWidth
	paragraph := cells.Wrap(cells.Clean(text), "", room)
	notes := []row{{7, []span{head, {text: paragraph[0]}}}}
	if len(paragraph) > 1 {
		rest := cells.Cut(strings.Join(paragraph[1:], " "), room)
		notes = append(notes, row{9, []span{label(""), {text: rest}}})
	}
	return notes
}

func (t *terminal) title(s *state, room int) []span {
	name := cells.Clean(s.plan.Name) + "   "
	label := cells.Clean(s.current.Label())
	phase := fmt.Sprintf("phase %d of %d: %s", s.index+1, len(s.plan.Phases), label)
	left, done := s.leftText()
	fits := func() bool { return cells.Width(name+phase+left+done)+gap <= room }
	if !fits() {
		done = ""
	}
	if !fits() {
		name = ""
	}
	phase = cells.Cut(phase, room-gap-cells.Width(name+left+done))
	right := cells.Pad(left+done, -(room - cells.Width(name+phase)))
	return []span{{text: name}, {phase, t.ink.Bold}, {text: right}}
}

// bar shows how much of the run's time has passed.
func (t *terminal) bar(s *state, room int) []span {
	percent := s.percent()
	after := fmt.Sprintf("%5.0f %%", percent)
	length := room - len(after) - 2
	full := t.ink.Bar(percent / 100 * float64(length))
	return []span{{text: "▕" + cells.Pad(full, length) + "▏"}, {text: after}}
}

// table has a row for each working disk, or the busiest of them, and one for all together.
func (t *terminal) table(s *state, room, most int) []row {
	shown := busiest(s.disks, most)
	total, top, baselines := 0.0, 0.0, 0
	for i := range s.disks {
		total += s.rate(&s.disks[i])
		top = max(top, total, s.disks[i].baseline)
	}
	c := columns{scale: unit.ScaleFor(top), name: len("together")}
	for _, d := range shown {
		c.name = max(c.name, cells.Width(d.title()))
		if d.baseline > 0 {
			baselines++
		}
	}
	c.fit(room, baselines > 0)
	var rows []row
	for _, d := range shown {
		rows = append(rows, row{0, t.disk(s, d, c)})
	}
	if more := len(s.disks) - len(shown); more > 0 {
		rows = append(rows, row{1, []span{{fmt.Sprintf("    %d more", more), t.ink.Dim}}})
	}
	if len(s.disks) == 1 {
		return rows
	}
	key := ""
	if c.spark > 0 {
		key = fmt.Sprintf("%slast %.0f s", separator, float64(c.spark)*columnOver.Seconds())
	}
	if c.spark == maxSpark {
		full := "baseline or the fastest"
		switch baselines {
		case 0:
			full = "the fastest"
		case len(shown):
			full = "its baseline"
		}
		key += ", full height = " + full
	}
	together := span{text: "    " + cells.Pad("together", c.name)}
	return append(rows, row{4, []span{together, {c.rate(total), t.ink.Bold}, {key, t.ink.Dim}}})
}

// busiest returns the disks to show, in their order: those that have moved most if there are too
// many.
func busiest(disks []disk, most int) []*disk {
	var shown []*disk
	for i := range disks {
		shown = append(shown, &disks[i])
	}
	if len(shown) > most {
		slices.SortStableFunc(shown, func(a, b *disk) int {
			return cmp.Compare(b.moved(), a.moved())
		})
		shown = shown[:max(1, most-1)]
		slices.SortFunc(shown, func(a, b *disk) int { return cmp.Compare(a.index, b.index) })
	}
	return shown
}

func (d *disk) title() string {
	return cells.CutMiddle(cells.Clean(d.job.Disk), maxName) + " " + d.work.Verb().One
}

// columns is how wide the columns of the table are, and what their rates are counted in.
type columns struct {
	scale              unit.Scale
	name, spark, keeps int
}

// fit leaves out what the room is too narrow for, the sparklines first.
func (c *columns) fit(room int, keeps bool) {
	left := room - len("  A ") - c.name - rateWidth
	if keeps && left >= keepsWidth {
		c.keeps = keepsWidth
	}
	if c.spark = min(maxSpark, left-c.keeps-len(separator)); c.spark < minSpark {
		c.spark = 0
	}
}

func (c *columns) rate(rate float64) string {
	if rate == 0 {
		return cells.Pad("–     ", -rateWidth)
	}
	return cells.Pad(c.scale.Rate(rate), -rateWidth)
}

func (t *terminal) disk(s *state, d *disk, c columns) []span {
	paint := func(text string) string { return t.ink.Disk(d.index, text) }
	rate := s.rate(d)
	line := []span{{"  " + t.ink.Glyph(d.index) + " ", paint}, {text: cells.Pad(d.title(), c.name)},
		{c.rate(rate), t.ink.Bold}}
	if c.spark > 0 {
		line = append(line, span{separator + t.sparkline(d, c.spark), paint})
	}
	if rate > 0 && d.baseline > 0 && c.keeps > 0 {
		kept := span{text: fmt.Sprintf("%s%3.0f %%", separator, 100*rate/d.baseline)}
		if rate < minKept*d.baseline {
			kept.paint = t.ink.Red
		}
		line = append(line, kept, span{" of " + c.scale.Number(d.baseline), t.ink.Dim})
	}
	return line
}

// sparkline shows the latest rates. Full height is the disk's baseline, or the fastest so far.
func (t *terminal) sparkline(d *disk, length int) string {
	full := d.baseline
	if full == 0 && len(d.columns) > 0 {
		full = slices.Max(d.columns)
	}
	var line strings.Builder
	for _, rate := range d.columns[max(0, len(d.columns)-length):] {
		line.WriteString(t.ink.Column(rate / full))
	}
	return cells.Pad(line.String(), length)
}
