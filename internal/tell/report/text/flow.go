package text

import (
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// How a flow is laid out.
const (
	maxDisks  = 6  // maximum number of a state's disks that are listed
	maxTitle  = 22 // columns of a state's name
	maxName   = 14 // maximum width of a disk's name
	ofWidth   = 12 // width of its baseline
	fullBar   = 23 // cells of the fastest baseline's bar
	minBar    = 8
	narrow    = 70 // columns below which there are no bars
	narrowest = 55 // below which there are no baselines either

	columnsBefore = 2 + 2 + 2 // the indent, the gap after a title, a disk's glyph
	markWidth     = 4         // the indent, and the shape of a disk
	rateWidth     = 8
	keptWidth     = 9
)

// columns are how the states' lines are laid out, in cells.
type columns struct {
	titles, names, baselines int
	bars                     int     // none where there is no room
	kept                     bool    // a share of a baseline is known
	top                      float64 // the rate of a full bar
}

// printFlow prints as many states as fit into the lines, with a bar for each disk: what it has of
// its baseline.
func (p *printer) printFlow(h *report.Flow, lines int) {
	var shown []shortState
	lines-- // the heads
	for i := range h.States {
		s := &h.States[i]
		short := shortState{title: s.Title, disks: s.Disks}
		rows := len(s.Disks)
		if rows > maxDisks {
			rows = max(2, min(maxDisks+1, lines))
			short.disks, short.rest = s.Least(rows - 1)
		}
		if len(shown) > 0 && rows > lines {
			break
		}
		lines -= rows
		shown = append(shown, short)
	}
	c := p.columns(shown)
	head := cells.Pad("", columnsBefore+c.titles+c.names) + cells.Pad(h.Unit, -rateWidth)
	if c.baselines > 0 {
		head += "  " + cells.Pad("baseline", c.baselines)
	}
	if c.kept {
		head = cells.Pad(head, cells.Width(head)+c.bars) + cells.Pad("keeps", -keptWidth)
	}
	p.printLine(p.ink.Dim(head))
	for _, s := range shown {
		title := s.title
		for _, d := range s.disks {
			p.printDisk(title, d, c)
			title = ""
		}
		if s.rest != "" {
			p.printLine(cells.Pad("", 2+c.titles+2) + p.ink.Dim(s.rest))
		}
	}
}

// shortState is a state with no more disks than there is room for.
type shortState struct {
	title string
	disks []report.FlowDisk
	rest  string // what the others keep; empty if there are no others
}

// columns lays the states out: names and titles are cut before a line is wider than the terminal,
// and the words have room before the bars.
func (p *printer) columns(states []shortState) columns {
	c := columns{}
	for _, s := range states {
		c.titles = max(c.titles, min(maxTitle, cells.Width(s.title)))
		for _, d := range s.disks {
			c.names = max(c.names, min(maxName, cells.Width(d.Label)))
			if d.Of != "" {
				c.baselines = max(c.baselines, ofWidth, cells.Width(d.Of)+1)
			}
			c.kept = c.kept || d.Kept > 0
			c.top = max(c.top, d.Rate, d.Baseline)
		}
	}
	fixed := columnsBefore + rateWidth + 2 + c.baselines + keptWidth
	if p.width < narrowest {
		fixed -= 2 + c.baselines
		c.baselines = 0
	}
	c.names = min(c.names, (p.width-fixed)/2)
	c.titles = min(c.titles, p.width-fixed-c.names)
	c.bars = min(fullBar, p.width-fixed-c.titles-c.names)
	if p.width < narrow || c.bars < minBar {
		c.bars = 0
	}
	return c
}

// cutName is a name in so many cells.
func (p *printer) cutName(name string, width int) string {
	return cells.Pad(p.ink.Text(cells.CutMiddle(name, width)), width)
}

// printDisk prints a disk's line.
func (p *printer) printDisk(title string, d report.FlowDisk, c columns) {
	rate := cells.Pad(d.Value.Text, -rateWidth)
	if d.Value.Strong {
		rate = p.ink.Bold(rate)
	}
	line := "  " + p.cutName(title, c.titles) + p.disk(d.LegendKey, d.Label, c.names) + rate
	if c.baselines > 0 {
		line += "  " + p.ink.Dim(d.Of) + cells.Pad("", c.baselines-cells.Width(d.Of))
	}
	if c.baselines == 0 && c.bars > 0 {
		line += "  "
	}
	bar, filled := p.bar(&d.LegendKey, d.Rate/c.top, d.Baseline/c.top, c.bars)
	line += bar + strings.Repeat(" ", max(0, c.bars-filled))
	kept := p.tone(d.Keeps.Tone)(d.Keeps.Text)
	line += cells.Pad("", keptWidth-cells.Width(d.Keeps.Text)) + kept
	p.printLine(strings.TrimRight(line, " "))
}

// disk is a disk's shape and a title of that many columns.
func (p *printer) disk(key report.LegendKey, title string, columns int) string {
	return "  " + p.ink.Disk(key.Index, p.ink.Glyph(key.Index)) + " " + p.cutName(title, columns)
}
