package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/tell/cells"
)

// lineEvery is how often a log gets a line during a long phase.
const lineEvery = 30 * time.Second

// lines writes a line now and then.
type lines struct {
	w       io.Writer
	written time.Time
}

func (l *lines) draw(s *state) {
	if l.written.Before(s.released) {
		l.written = s.released
	}
	if s.now.Sub(l.written) < lineEvery {
		return
	}
	l.written = s.now
	scale := scaleOf(s.top(), "B/s")
	var disks []string
	for i := range s.disks {
		d := &s.disks[i]
		rate := scale.number(s.rate(d)) + " " + scale.unit
		if d.finished(s) {
			rate = "done"
		}
		disks = append(disks, fmt.Sprintf("%s %s files, %s", d.job.Disk, s.filesOf(d), rate))
	}
	l.say(indent, s.times()+": "+strings.Join(disks, "; "))
}

func (l *lines) redraw(*state) {}

func (l *lines) stop(*state) { l.say(indent, stopping) }

func (l *lines) wipe() {}

func (l *lines) say(under, text string) { fmt.Fprintln(l.w, under+cells.Clean(text)) }
