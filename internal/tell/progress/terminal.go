package progress

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/tell/cells"
)

// redrawEvery keeps a terminal readable and takes little time from the workers.
const redrawEvery = 250 * time.Millisecond

// Sizes assumed for a terminal that does not report its own, or reports one too small to be true.
const (
	usualColumns, usualRows = 80, 24
	minColumns, minRows     = 20, 4
)

// terminal draws a line for each disk, over the ones drawn before. It uses no colour.
type terminal struct {
	w     io.Writer
	size  func() (columns, rows int)
	at    time.Time
	drawn []string // above the cursor
}

func (t *terminal) draw(s *state) {
	if s.now.Sub(t.at) >= redrawEvery {
		t.show(s)
	}
}

func (t *terminal) redraw(s *state) {
	if len(t.drawn) > 0 {
		t.show(s)
	}
}

func (t *terminal) show(s *state) {
	t.at = s.now
	gone := t.erase()
	t.drawn = frame(s, t.columns(), t.rows())
	t.write(gone + strings.Join(t.drawn, "\n") + "\n") // at once, or it flickers
}

func (t *terminal) wipe() { t.write(t.erase()) }

// erase is what takes the drawn lines off the screen. Terminals break lines that a smaller window cannot hold, so these
// may take more rows than when they were drawn. Each row is erased by itself: some terminals keep what is erased
// together, from the top row down, in the lines that can be scrolled back to.
func (t *terminal) erase() string {
	rows := 0
	for _, line := range t.drawn {
		rows += max(1, (cells.Width(line)+t.columns()-1)/t.columns())
	}
	if t.drawn = nil; rows == 0 {
		return ""
	}
	up := fmt.Sprintf("\x1b[%dA", rows)
	return up + strings.Repeat("\x1b[2K\n", rows) + up
}

func (t *terminal) stop(s *state) {
	if len(t.drawn) == 0 {
		t.say(indent, stopping)
	}
	t.redraw(s)
}

func (t *terminal) say(under, text string) {
	paragraph := cells.Wrap(cells.Clean(text), indent[len(under):], t.columns()-1-len(under))
	for i := range paragraph {
		paragraph[i] = under + paragraph[i]
	}
	t.write(strings.Join(paragraph, "\n") + "\n")
}

func (t *terminal) write(text string) {
	_, _ = io.WriteString(t.w, text) // a terminal that is gone must not end a run
}

// columns and rows are the terminal's, as far as it reports them.
func (t *terminal) columns() int {
	columns, _ := t.size()
	return sized(columns, usualColumns, minColumns)
}

func (t *terminal) rows() int { _, rows := t.size(); return sized(rows, usualRows, minRows) }

func sized(reported, usual, least int) int {
	if reported <= 0 {
		return usual
	}
	return max(least, reported)
}

// Widths of the columns that can shrink, in cells.
const (
	minBar, maxBar    = 12, 40
	minName, fairName = 4, 16 // names are cut to the fair width before a second column goes, to the least one at last
	gap               = 2     // between columns
)

// droppedFirst is the order of the column that goes first.
const droppedFirst = 4

// column is one column of the picture.
type column struct {
	cells []string // its header, one for each disk, and one for all of them
	left  bool     // aligned to the left, as words are
	order int      // if there is no room, from the least important on they go; those of zero stay
	width int      // of the longest cell, or as much as there is room for
}

// frame is the picture of a phase under way, for a terminal of this size.
func frame(s *state, columns, rows int) []string {
	table, bar := tabulate(s)
	table = fit(table, bar, columns-1-len(indent))
	bar.draw(s)
	var lines []string
	// A line is left for the cursor, one each for the head, the total and the times, and one for what has no room.
	room, disks := rows-4, len(s.disks)
	for i := range disks + 2 {
		switch {
		case disks > room && i == room:
			lines = append(lines, fmt.Sprintf("%sand %d more", indent, disks-i+1))
			continue
		case disks > room && i > room && i <= disks, disks == 1 && i > disks:
			continue
		}
		texts := make([]string, len(table))
		for k, c := range table {
			width := c.width
			if !c.left {
				width = -width
			}
			texts[k] = cells.Pad(cells.CutMiddle(c.cells[i], c.width), width)
		}
		lines = append(lines, strings.TrimRight(indent+strings.Join(texts, strings.Repeat(" ", gap)), " "))
	}
	last := s.times()
	if s.limit > 0 {
		last += fmt.Sprintf("; %.0f %% of the hub's limit", 100*s.total()/s.limit)
	}
	if s.stopping {
		last = stopping
	}
	lines = append(lines, indent+last)
	for i := range lines {
		lines[i] = cells.Cut(lines[i], columns-1)
	}
	return lines
}

// tabulate makes the columns, and points at the one that holds bars, to be drawn when its width is known.
func tabulate(s *state) (table []*column, bar *column) {
	rate, size := scaleOf(s.top(), "B/s"), scaleOf(float64(s.moved()), "B")
	size.decimals = min(size.decimals, 1)
	counted := "files"
	if s.current.Jobs[0].IO.OneFile {
		counted = "passes"
	}
	name, rates := &column{left: true}, &column{}
	shares, files, moved := &column{order: 2}, &column{order: 1}, &column{order: droppedFirst}
	bar = &column{left: true, order: 3, width: minBar, cells: make([]string, len(s.disks)+2)}
	add := func(row ...string) {
		for i, c := range []*column{name, rates, shares, files, moved} {
			c.cells = append(c.cells, row[i])
			c.width = max(c.width, cells.Width(row[i]))
		}
	}
	add("disk", rate.unit, "share", counted, size.unit)
	for i := range s.disks {
		d := &s.disks[i]
		now, share := "done", ""
		if !d.finished(s) {
			now = rate.number(s.rate(d))
			share = strconv.FormatFloat(100*s.rate(d)/max(s.total(), 1), 'f', 0, 64) + " %"
		}
		add(cells.Clean(d.job.Disk), now, share, s.filesOf(d), size.number(float64(d.moved())))
	}
	add("total", rate.number(s.total()), "", "", size.number(float64(s.moved())))
	if len(s.disks) == 1 { // it has all there is
		return []*column{name, rates, bar, files, moved}, bar
	}
	return []*column{name, rates, shares, bar, files, moved}, bar
}

// fit gives each column its width so that a row takes that many cells at most: names are cut, columns left out, and
// bars take the room that is left.
func fit(table []*column, bar *column, room int) []*column {
	over := func() int {
		sum := gap * (len(table) - 1)
		for _, c := range table {
			sum += c.width
		}
		return sum - room
	}
	name := table[0]
	full := name.width
	shrink := func(minWidth int) {
		name.width = max(min(full, minWidth), full-max(0, over()+full-name.width))
	}
	for gone := droppedFirst; gone > 0 && over() > 0; gone-- {
		if gone < droppedFirst {
			shrink(fairName) // rather than do without more
		}
		if over() > 0 {
			table = slices.DeleteFunc(table, func(c *column) bool { return c.order == gone })
		}
	}
	shrink(minName)
	bar.width = min(maxBar, bar.width-min(0, over()))
	return table
}

// draw fills the column with bars: rates, on a scale that ends at what the hub carries, or else at the highest total
// of the phase.
func (c *column) draw(s *state) {
	scale := scaleOf(s.top(), "B/s")
	end := scale.number(s.top())
	heads := []string{"the highest total so far: " + end + " " + scale.unit, "highest total: " + end, "0 to " + end}
	if s.limit > 0 {
		heads = []string{"the hub's limit: " + end + " " + scale.unit, "hub's limit: " + end, "0 to " + end}
	}
	for _, head := range heads {
		if c.cells[0] = head; cells.Width(head) <= c.width {
			break
		}
	}
	for i := range len(s.disks) + 1 {
		rate := s.total()
		if i < len(s.disks) {
			rate = s.rate(&s.disks[i])
		}
		inner, n := c.width-2, 0
		if s.top() > 0 && rate > 0 {
			n = min(inner, max(1, int(float64(inner)*rate/s.top()+0.5)))
		}
		c.cells[i+1] = "[" + strings.Repeat("#", n) + strings.Repeat(" ", inner-n) + "]"
	}
}
