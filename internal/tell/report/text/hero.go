package text

import (
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// How an answer is laid out, and its rows.
const (
	answerLines = 15 // with the lines about files that follow it
	linesAfter  = 1

	gap     = 2  // the space between two columns
	minBars = 12 // columns of bars; with less room they go, not the words
	maxBars = 32
)

// printPage prints a page: its doubts, its headline, its picture in lines, its numbers, and what to
// do. The lines of a flow take what room the rest leaves; its second sentence follows them.
func (p *printer) printPage(page *report.Page) {
	for _, doubt := range append([]string{page.Status}, page.Doubts...) {
		p.printWrapped("! ", doubt, p.ink.Yellow)
	}
	p.printWrapped("", page.Title(), p.ink.Bold)
	var numbers []string
	for _, n := range page.Numbers {
		if !n.InHero {
			numbers = append(numbers, n.Value+" "+n.Text+".")
		}
	}
	about := strings.Join(numbers, " ")
	more := page.More
	sure := page.Sure
	hero := page.Plain()
	flow, flows := hero.(*report.Flow)
	if flows {
		sure = strings.TrimSpace(sure + " " + flow.Marks)
	}
	switch {
	case !flows:
		p.printWrapped("", page.Sub, nil)
	case about == "":
		about = page.Sub
	default:
		more = append([]string{page.Sub}, more...)
	}
	after := p.linesOf(about) + p.linesOf(sure)
	for i := range page.Actions {
		after += p.linesOf(page.Actions[i].Sentence()) + p.linesOf(page.Actions[i].Command)
	}
	note := ""
	if flows {
		p.printFlow(flow, answerLines-linesAfter-p.lines-after)
	} else {
		note = p.printPicture(hero)
	}
	left := answerLines - linesAfter - p.lines - after
	ifRoom := func(text string, color func(string) string) {
		if left -= p.linesOf(text); left >= 0 || p.all {
			p.printWrapped("  ", text, color)
		}
	}
	ifRoom(note, p.ink.Dim)
	p.printWrapped("  ", about, nil)
	for _, text := range more {
		ifRoom(text, nil)
	}
	for i := range page.Actions {
		a := &page.Actions[i]
		p.printWrapped("→ ", a.Sentence(), p.ink.Green)
		p.printWrapped("  ", a.Command, nil)
	}
	p.printWrapped("  ", sure, p.ink.Dim)
}

// linesOf returns how many lines a text takes under an indent of two.
func (p *printer) linesOf(text string) int {
	if text == "" {
		return 0
	}
	return len(cells.Wrap(text, "", p.width-2))
}

// printHero prints a picture in lines, and how to read it.
func (p *printer) printHero(h report.Hero) {
	p.printWrapped("  ", p.printPicture(h), p.ink.Dim)
}

// printPicture prints a picture in lines, and returns how to read it.
func (p *printer) printPicture(h report.Hero) (note string) {
	switch hero := h.(type) {
	case *report.Rows:
		p.printWrapped("  ", hero.Caption, p.ink.Dim)
		p.printRows(hero)
		note = hero.Note
	case *report.Cells:
		p.printWrapped("  ", hero.Caption, p.ink.Dim)
		p.printCells(hero)
	case *report.Verdicts:
		p.printWrapped("  ", hero.Caption, p.ink.Dim)
		for i := range hero.List {
			p.printVerdict(&hero.List[i])
		}
		note = hero.Note
	case *report.Chart:
		if hero.Table != nil {
			p.printTable("", hero.Table)
		}
	}
	return note
}

// tone returns what colors a text as a sign is colored.
func (p *printer) tone(sign report.Sign) func(string) string {
	switch sign {
	case report.Good:
		return p.ink.Green
	case report.Doubt, report.Caution:
		return p.ink.Yellow
	case report.Bad:
		return p.ink.Red
	}
	return func(text string) string { return text }
}

// printCells prints a line for each group: its label, a letter for each phase, and the sentence.
func (p *printer) printCells(h *report.Cells) {
	labels, lines := 0, 0
	for i := range h.Groups {
		labels = max(labels, cells.Width(h.Groups[i].Label))
		lines = max(lines, len(h.Groups[i].Cells))
	}
	for i := range h.Groups {
		g := &h.Groups[i]
		p.printWrapped("  "+cells.Pad(g.Label, labels)+"  ",
			cells.Pad(g.Line(), min(lines, p.width/2))+"  "+g.Text, nil)
	}
}

// printVerdict prints what was judged, and under it why and what to do.
func (p *printer) printVerdict(j *report.Judged) {
	what := j.What
	if j.On != "" {
		what += " (" + j.On + ")"
	}
	p.printWrapped("  "+cells.Pad(j.Sign.Glyph(), 1)+" ", what, p.tone(j.Sign))
	p.printWrapped("    ", j.Why, nil)
	p.printWrapped("    → ", j.ToDo, nil)
}

// printRows prints a line for each row: its label, its numbers and, if there is room, its picture.
func (p *printer) printRows(h *report.Rows) {
	t := h.Table()
	for i, row := range h.Rows {
		if row.Text != "" {
			t.Rows[i][0] = report.Cell{} // it takes a line of its own
		}
	}
	texts, widths := t.Printed()
	keyed := func(r report.Row) bool { return r.Key != nil }
	signed := func(r report.Row) bool { return r.Sign != report.Unsigned } // which is mark enough
	marks := 0
	if slices.ContainsFunc(h.Rows, keyed) && !slices.ContainsFunc(h.Rows, signed) {
		marks = markWidth - gap
	}
	heads := make([]string, len(t.Columns))
	keep := make([]int, len(t.Columns))
	for i, column := range t.Columns {
		heads[i] = column.Head
		keep[i] = i
	}
	keep = fitColumns(t, keep, widths, p.width-marks)
	axis := &h.Axis
	if h.Changes != nil {
		axis = h.Changes
	}
	room := p.width - marks - gap
	for _, i := range keep {
		room -= widths[i] + gap
	}
	room = min(room, maxBars)
	least := minBars
	if h.Counted() { // a cell for each
		least = min(least, int(axis.High))
		room = min(room, int(axis.High))
	}
	if room < least || h.Columns == nil {
		room = 0
	}
	indent := strings.Repeat(" ", gap)
	p.printLine(strings.TrimRight(cells.Pad("", marks)+p.row(t, nil, heads, keep, widths)+indent+
		p.ink.Text(p.axis(axis, room)), " "))
	for i := range h.Rows {
		row := &h.Rows[i]
		if row.Text != "" {
			sign := row.Sign.Glyph()
			if sign != "" {
				sign += " "
			}
			p.printWrapped(cells.Pad(indent, gap+marks)+sign, row.Label+": "+row.Text,
				p.tone(row.Sign))
			continue
		}
		line := p.row(t, t.Rows[i], texts[i], keep, widths) + indent +
			p.picture(axis, row, room, h.Changes == nil)
		switch {
		case row.Key != nil && marks > 0:
			line = indent + p.ink.Disk(row.Key.Index, p.ink.Glyph(row.Key.Index)) + line[1:]
		case marks > 0:
			line = cells.Pad("", marks) + line
		}
		p.printLine(cells.NoCommand(strings.TrimRight(line, " ")))
	}
}

// axis returns the names of an axis' ticks, as far as they have room.
func (p *printer) axis(axis *report.Ruler, room int) string {
	line := []rune(strings.Repeat(" ", room))
	for _, strong := range []bool{true, false} {
		for _, tick := range axis.Ticks {
			text := []rune(tick.Text)
			at := min(place(axis, tick.At, room), room-len(text))
			if tick.Strong == strong && at >= 0 && strings.TrimSpace(
				string(line[max(0, at-1):min(room, at+len(text)+1)])) == "" {
				copy(line[at:], text)
			}
		}
	}
	return string(line)
}

// place returns the cell of a value on an axis.
func place(axis *report.Ruler, value float64, room int) int {
	return int(math.Round(axis.Share(value) * float64(room-1)))
}

// gauge returns a row's bars in letters that say what they come to, with dots between and behind
// them.
func (p *printer) gauge(axis *report.Ruler, row *report.Row, room int) string {
	letters := map[report.Sign]string{report.Good: "■", report.Caution: "!", report.Bad: "x"}
	line := ""
	filled := 0
	fill := func(to int, letter string, paint func(string) string) {
		line += paint(p.ink.Text(strings.Repeat(letter, max(0, to-filled))))
		filled = max(filled, to)
	}
	end := func(value float64) int { return int(math.Round(axis.Share(value) * float64(room))) }
	for _, b := range row.Bars {
		fill(end(b.From), "·", p.ink.Dim)
		fill(end(b.To), letters[b.Tone], p.tone(b.Tone))
	}
	fill(room, "·", p.ink.Dim)
	return line
}

// bars returns a row's bar and, pale, how long it could be.
func (p *printer) bars(axis *report.Ruler, row *report.Row, room int) string {
	var bar, end float64
	for _, b := range row.Bars {
		end = max(end, b.To)
		if !b.Pale {
			bar = max(bar, b.To)
		}
	}
	text, filled := p.bar(row.Key, axis.Share(bar), axis.Share(end), room)
	rest := []rune(strings.Repeat(" ", max(0, room-filled)))
	for _, tick := range axis.Ticks {
		if at := place(axis, tick.At, room) - filled; tick.Strong && at >= 0 {
			rest[at] = '│'
		}
	}
	return text + p.ink.Dim(p.ink.Text(strings.TrimRight(string(rest), " ")))
}

// bar draws a share of so many cells in the colour of a disk, if there is one, and a larger share
// pale behind it. It returns how many cells are filled.
func (p *printer) bar(key *report.LegendKey, share, pale float64, room int) (string, int) {
	drawn := p.ink.Bar(share * float64(room))
	full := cells.Width(drawn)
	more := max(0, int(pale*float64(room))-full)
	if key != nil {
		drawn = p.ink.Disk(key.Index, drawn)
	}
	return drawn + p.ink.Dim(p.ink.Text(strings.Repeat("░", more))), full + more
}

// picture returns a row's bars, or its interval with the value in it.
func (p *printer) picture(axis *report.Ruler, row *report.Row, room int, bars bool) string {
	switch {
	case room == 0:
		return ""
	case bars && row.Bars != nil && row.Bars[0].Tone != report.Unsigned:
		return p.gauge(axis, row, room)
	case bars && row.Bars != nil:
		return p.bars(axis, row, room)
	}
	line := []rune(strings.Repeat(" ", room))
	switch {
	case row.Value != nil && !bars: // how far it is from no change
		from, to := place(axis, 0, room), place(axis, *row.Value, room)
		for k := min(from, to); k <= max(from, to); k++ {
			line[k] = '━'
		}
	case row.Span != nil:
		for k := place(axis, row.Span[0], room); k <= place(axis, row.Span[1], room); k++ {
			line[k] = '━'
		}
	}
	for _, tick := range axis.Ticks {
		if tick.Strong {
			line[place(axis, tick.At, room)] = '│'
		}
	}
	if row.Value != nil {
		line[place(axis, *row.Value, room)] = '■'
	}
	return p.ink.Text(strings.TrimRight(string(line), " "))
}
