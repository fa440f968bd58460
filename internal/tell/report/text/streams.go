package text

import (
	"cmp"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/stream"
)

// markWidth is how many columns the shape of a disk takes, with the indent.
const markWidth = 4

// printStreams prints a gauge for each lane, and reports whether the answer has any.
func (p *printer) printStreams(a *report.AnswerView) bool {
	if a.Streams == nil {
		return false
	}
	var titles []string
	names, numbers := 0, 0
	for _, l := range a.Streams.Lanes {
		title := l.Key.Label + " " + l.Does + ", " + cmp.Or(l.While, "alone")
		titles = append(titles, title)
		names = max(names, cells.Width(title))
		numbers = max(numbers, cells.Width(l.Text()))
	}
	names = min(names, p.width/2)
	room := p.width - markWidth - names - numbers - markWidth
	for i, l := range a.Streams.Lanes {
		number := p.ink.Text(cells.Pad(l.Text(), -numbers))
		line := p.disk(l.Key, titles[i], names) + "  " + p.ink.Bold(number) + "  "
		tries := strings.Join(l.Evidence(), ", ")
		switch {
		case !l.Paced && room >= a.Streams.Most:
			line += p.gauge(l.Cells(a.Streams.Most))
		case cells.Width(tries) <= room:
			line += p.ink.Dim(tries)
		}
		p.printLine(strings.TrimRight(line, " "))
	}
	return true
}

// gauge has a cell for each number of streams.
func (p *printer) gauge(states []stream.Verdict) string {
	var line strings.Builder
	for _, state := range states {
		switch state {
		case stream.Clean:
			line.WriteString(p.ink.Green(p.ink.Text("■")))
		case stream.Strained:
			line.WriteString(p.ink.Yellow("!"))
		case stream.Drops:
			line.WriteString(p.ink.Red("x"))
		default:
			line.WriteString(p.ink.Dim(p.ink.Text("·")))
		}
	}
	return line.String()
}

// disk is a disk's shape and a title of that many columns.
func (p *printer) disk(key report.LegendKey, title string, columns int) string {
	return "  " + p.ink.Disk(key.Index, p.ink.Glyph(key.Index)) + " " + p.cutName(title, columns)
}
