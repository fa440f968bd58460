package progress

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/ink"
)

// Sizes assumed for a terminal that does not report its own, or reports one too small to be true.
const (
	usualColumns        = 80
	usualRows           = 24
	minColumns, minRows = 20, 4
)

// logEvery is how often a log gets a line during a long phase.
const logEvery = 30 * time.Second

// display is a terminal, whose picture is drawn over the one before, or a log that gets lines.
type display struct {
	w    io.Writer
	ink  ink.Ink
	size func() (columns, rows int) // If size is nil, it is a log.
	// drawn has the cells of each line of the picture above the cursor.
	drawn  []int
	logged time.Time
}

// bounds returns how many columns and rows a terminal has.
func (d *display) bounds() (columns, rows int) {
	columns, rows = d.size()
	return max(minColumns, cmp.Or(columns, usualColumns)), max(minRows, cmp.Or(rows, usualRows))
}

// show draws the picture, or writes a line now and then.
func (d *display) show(run *state) {
	if d.size == nil {
		if run.now.Sub(run.since) >= logEvery && run.now.Sub(d.logged) >= logEvery {
			d.logged = run.now
			text := run.heading() + "   " + run.stateText()
			if left, _ := run.leftText(); left != "" {
				text += ", " + left
			}
			d.notify(text)
		}
		return
	}
	columns, rows := d.bounds()
	var text strings.Builder
	text.WriteString(d.erase())
	picture := picture{state: run, ink: d.ink, room: columns - 1}
	for _, r := range picture.frame(rows - 1) {
		line, width := picture.line(r.spans)
		text.WriteString(line + "\n")
		d.drawn = append(d.drawn, width)
	}
	d.write(text.String()) // It is written at once, or it flickers.
}

// erase is what takes the drawn lines off the screen. Terminals break lines that a smaller window
// cannot hold, so these may take more rows than when they were drawn. Each row is erased by itself:
// some terminals keep what is erased together in the lines that can be scrolled back to.
func (d *display) erase() string {
	if len(d.drawn) == 0 {
		return ""
	}
	columns, _ := d.bounds()
	rows := 0
	for _, width := range d.drawn {
		rows += max(1, (width+columns-1)/columns)
	}
	d.drawn = nil
	up := fmt.Sprintf("\x1b[%dA", rows)
	return up + strings.Repeat("\x1b[2K\n", rows) + "\x1b[2K" + up // The last may hold a ^C.
}

// wipe takes the picture away.
func (d *display) wipe() { d.write(d.erase()) }

// log writes a line for those who see no picture.
func (d *display) log(text string) {
	if d.size == nil {
		d.notify(text)
	}
}

// notify writes a paragraph that stays.
func (d *display) notify(text string) {
	text = cells.Clean(text)
	if d.size == nil {
		text = cells.NoCommand(text)
	} else {
		columns, _ := d.bounds()
		text = strings.Join(cells.Wrap(text, "", columns-1), "\n")
	}
	d.write(d.erase() + d.ink.Text(text) + "\n")
}

func (d *display) write(text string) {
	_, _ = io.WriteString(d.w, text) // A terminal that is gone must not end a run.
}
