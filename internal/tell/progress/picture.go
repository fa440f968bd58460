package progress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/ink"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Sizes of the picture.
const (
	maxRows    = 12
	maxDisks   = 6 // So many disks have a row each.
	maxName    = 16
	minSpark   = 8  // A sparkline of fewer cells is not worth drawing.
	maxSpark   = 24 // So many cells make 60 s.
	rateWidth  = 13 // "   0.681 GB/s"
	keepsWidth = 16 // "     47% of 1.46"
	labelWidth = 13
	gap        = 2 // It lies between the sides of the title.
)

// separator stands between the columns of the table.
const separator = "   "

// A disk is slowed if it has less than this share of its baseline.
const minKept = 0.9

// picture is what a terminal shows of a phase under way.
type picture struct {
	*state
	ink  ink.Ink
	room int // room is the cells of a line.
	rows []row

	scale unit.Scale // scale is that of the rates in the table.
	// How wide the columns of the table are; 0: there is no room for this one.
	name, spark, keeps int
}

// row is a line of the picture. Where there is no room, the highest order goes first; 0 stays.
type row struct {
	order int
	spans []span
}

// span is a piece of a line, and its colour. The colour comes last, since it takes no cells.
type span struct {
	text  string
	paint func(string) string // If paint is nil, the text stays as it is.
}

func (p *picture) add(order int, spans ...span) { p.rows = append(p.rows, row{order, spans}) }

// note adds a row that has a name.
func (p *picture) note(order int, name, text string) {
	p.add(order, span{text: cells.Pad("  "+name, labelWidth)}, span{text: text})
}

// line paints the spans and cuts what has no room.
func (p *picture) line(spans []span) (line string, width int) {
	for _, s := range spans {
		text := cells.Cut(p.ink.Text(s.text), p.room-width)
		width += cells.Width(text)
		if s.paint != nil {
			text = s.paint(text)
		}
		line += p.ink.Text(text)
	}
	return line, width
}

// frame makes as many rows as there is room for.
func (p *picture) frame(room int) []row {
	room = min(maxRows, room)
	p.title()
	p.bar()
	p.add(10)
	p.table(min(maxDisks, room-2))
	p.add(11)
	p.findings()
	p.note(8, "Written", p.writing())
	p.note(0, "Now", p.stateText())
	p.add(12)
	hint := span{"  Ctrl-C stops after this request and keeps the results", p.ink.Dim}
	if p.stopping {
		hint = span{"  " + stopping, p.ink.Yellow}
	}
	p.add(6, hint)
	for len(p.rows) > room {
		last := 0
		for i := range p.rows {
			if p.rows[i].order >= p.rows[last].order {
				last = i
			}
		}
		p.rows = slices.Delete(p.rows, last, last+1)
	}
	return p.rows
}

func (p *picture) title() {
	name := cells.Clean(p.plan.Name) + "   "
	phase := fmt.Sprintf("phase %d of %d: %s", p.index+1, len(p.plan.Phases),
		cells.Clean(p.current.Label()))
	left, done := p.leftText()
	right := left + done
	if cells.Width(name+phase+right)+gap > p.room {
		right = left
	}
	if cells.Width(name+phase+right)+gap > p.room {
		name = ""
	}
	phase = cells.Cut(phase, p.room-gap-cells.Width(name+right))
	right = cells.Pad(right, cells.Width(name+phase)-p.room)
	p.add(0, span{text: name}, span{phase, p.ink.Bold}, span{text: right})
}

// bar shows how much of the run's time has passed.
func (p *picture) bar() {
	percent := p.percent()
	after := fmt.Sprintf("%6.0f%%", percent)
	length := p.room - len(after) - 2
	full := p.ink.Bar(percent / 100 * float64(length))
	p.add(5, span{text: "▕" + cells.Pad(full, length) + "▏" + after})
}

// findings are what the phases so far have shown, or what is wrong.
func (p *picture) findings() {
	label, text := span{text: "  So far"}, p.soFar
	if n := len(p.warnings); n > 0 {
		label, text = span{"  !", p.ink.Yellow}, p.warnings[n-1]
	}
	if text == "" {
		return
	}
	label.text = cells.Pad(label.text, labelWidth)
	lines := cells.Wrap(cells.Clean(text), "", p.room-labelWidth)
	p.add(7, label, span{text: lines[0]})
	if len(lines) > 1 {
		p.note(9, "", strings.Join(lines[1:], " "))
	}
}

// table has a row for each working disk, or the first of them, and one for all together.
func (p *picture) table(most int) {
	shown := p.disks
	if len(shown) > most {
		shown = shown[:max(1, most-1)]
	}
	total, top := 0.0, 0.0
	for i := range p.disks {
		total += p.rate(&p.disks[i])
		top = max(top, total, p.disks[i].baseline)
	}
	p.scale = unit.ScaleFor(top)
	p.name = len("together")
	for i := range shown {
		p.name = max(p.name, cells.Width(shown[i].title()))
	}
	left := p.room - len("  A ") - p.name - rateWidth
	if left >= keepsWidth {
		p.keeps = keepsWidth
	}
	if p.spark = min(maxSpark, left-p.keeps-len(separator)); p.spark < minSpark {
		p.spark = 0
	}
	for i := range shown {
		p.diskRow(&shown[i])
	}
	if more := len(p.disks) - len(shown); more > 0 {
		p.add(1, span{fmt.Sprintf("    %d more", more), p.ink.Dim})
	}
	if len(p.disks) == 1 {
		return
	}
	key := ""
	if p.spark > 0 {
		key = fmt.Sprintf("%slast %.0f s", separator, float64(p.spark)*columnOver.Seconds())
	}
	if p.spark == maxSpark {
		key += ", full height = baseline, else the fastest"
	}
	p.add(4, span{text: "    " + cells.Pad("together", p.name)}, p.rateSpan(total),
		span{key, p.ink.Dim})
}

func (d *disk) title() string {
	return cells.CutMiddle(cells.Clean(d.job.Disk), maxName) + " " + d.work.Verb().One
}

func (p *picture) rateSpan(rate float64) span {
	text := "–     "
	if rate > 0 {
		text = p.scale.Rate(rate)
	}
	return span{cells.Pad(text, -rateWidth), p.ink.Bold}
}

func (p *picture) diskRow(d *disk) {
	paint := func(text string) string { return p.ink.Disk(d.index, text) }
	rate := p.rate(d)
	line := []span{{"  " + p.ink.Glyph(d.index) + " ", paint}, {text: cells.Pad(d.title(), p.name)},
		p.rateSpan(rate)}
	if p.spark > 0 {
		line = append(line, span{separator + p.sparkline(d), paint})
	}
	if rate > 0 && d.baseline > 0 && p.keeps > 0 {
		kept := span{text: fmt.Sprintf("%s%4.0f%%", separator, 100*rate/d.baseline)}
		if rate < minKept*d.baseline {
			kept.paint = p.ink.Red
		}
		line = append(line, kept, span{" of " + p.scale.Number(d.baseline), p.ink.Dim})
	}
	p.add(0, line...)
}

// sparkline shows the latest rates. Full height is the disk's baseline, or the fastest so far.
func (p *picture) sparkline(d *disk) string {
	full := d.baseline
	if full == 0 && len(d.columns) > 0 {
		full = slices.Max(d.columns)
	}
	var line strings.Builder
	for _, rate := range d.columns[max(0, len(d.columns)-p.spark):] {
		line.WriteString(p.ink.Column(rate / full))
	}
	return cells.Pad(line.String(), p.spark)
}
