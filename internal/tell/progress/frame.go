package progress

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
)

// Widths of the columns that can shrink, in cells.
const (
	minBar, maxBar    = 12, 40
	minName, fairName = 4, 16 // names are cut to the fair width before a second column goes, to the least one at last
	gap               = 2     // between columns
)

// droppedFirst is the order of the column that goes first.
const droppedFirst = 4

// column is one column of the picture: a header, a cell for each disk, and one for all of them.
type column struct {
	head  string
	disks []string
	total string
	left  bool // aligned to the left, as words are
	order int  // if there is no room, from the least important on they go; those of zero stay
	width int  // of the longest cell, or as much as there is room for
}

// frame is the picture of a phase under way, for a terminal of this size.
func frame(s *state, columns, rows int) []string {
	table, bar := tabulate(s)
	table = fit(table, bar, columns-1-len(indent))
	bar.fill(s)
	lines := []string{row(table, func(c *column) string { return c.head })}
	// A line is left for the cursor, one each for the head, the total and the times, and one for what has no room.
	room := rows - 4
	for i := range s.disks {
		if i == room-1 && len(s.disks) > room {
			lines = append(lines, fmt.Sprintf("%sand %d more", indent, len(s.disks)-i))
			break
		}
		lines = append(lines, row(table, func(c *column) string { return c.disks[i] }))
	}
	if len(s.disks) > 1 {
		lines = append(lines, row(table, func(c *column) string { return c.total }))
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

// tabulate makes the columns, and points at the one that holds bars, to be filled when its width is known.
func tabulate(s *state) (table []*column, bar *column) {
	rate, size := scaleOf(s.top(), "B/s"), scaleOf(float64(s.moved()), "B")
	if size.decimals > 0 {
		size.decimals = 1
	}
	name := &column{head: "disk", total: "total", left: true}
	rates := &column{head: rate.unit, total: rate.number(s.total())}
	shares := &column{head: "share", order: 2}
	bar = &column{left: true, order: 3, width: minBar}
	files := &column{head: "files", order: 1}
	moved := &column{head: size.unit, total: size.number(float64(s.moved())), order: droppedFirst}
	if s.phase().Jobs[0].IO.OneFile {
		files.head = "passes"
	}
	for i := range s.disks {
		d := &s.disks[i]
		name.disks = append(name.disks, cells.Clean(d.job.Disk))
		moved.disks = append(moved.disks, size.number(float64(d.moved())))
		files.disks = append(files.disks, s.filesOf(d))
		bar.disks = append(bar.disks, "")
		if d.finished(s) {
			rates.disks, shares.disks = append(rates.disks, "done"), append(shares.disks, "")
			continue
		}
		rates.disks = append(rates.disks, rate.number(s.rate(d)))
		shares.disks = append(shares.disks, strconv.FormatFloat(100*s.share(d), 'f', 0, 64)+" %")
	}
	table = []*column{name, rates, shares, bar, files, moved}
	if len(s.disks) == 1 {
		table = slices.Delete(table, 2, 3) // it has all there is
	}
	for _, c := range table {
		for _, cell := range append([]string{c.head, c.total}, c.disks...) {
			c.width = max(c.width, cells.Width(cell))
		}
	}
	return table, bar
}

// fit gives each column its width so that a row takes that many cells at most: names are cut, columns left out, and bars
// take the room that is left.
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

// fill draws the bars: rates, on a scale that ends at what the hub carries, or else at the highest total of the phase.
func (c *column) fill(s *state) {
	scale := scaleOf(s.top(), "B/s")
	end := scale.number(s.top())
	heads := []string{"the highest total so far: " + end + " " + scale.unit, "highest total: " + end, "0 to " + end}
	if s.limit > 0 {
		heads = []string{"the hub's limit: " + end + " " + scale.unit, "hub's limit: " + end, "0 to " + end}
	}
	for _, head := range heads {
		if c.head = head; cells.Width(head) <= c.width {
			break
		}
	}
	draw := func(rate float64) string {
		inner := c.width - 2
		n := 0
		if s.top() > 0 && rate > 0 {
			n = min(inner, max(1, int(float64(inner)*rate/s.top()+0.5)))
		}
		return "[" + strings.Repeat("#", n) + strings.Repeat(" ", inner-n) + "]"
	}
	for i := range s.disks {
		c.disks[i] = draw(s.rate(&s.disks[i]))
	}
	c.total = draw(s.total())
}

// row writes one cell of each column.
func row(table []*column, cell func(*column) string) string {
	texts := make([]string, len(table))
	for i, c := range table {
		width := c.width
		if !c.left {
			width = -width
		}
		texts[i] = cells.Pad(cells.CutMiddle(cell(c), c.width), width)
	}
	return strings.TrimRight(indent+strings.Join(texts, strings.Repeat(" ", gap)), " ")
}
