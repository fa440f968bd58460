package progress

import (
	"fmt"
	"io"
	"time"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/ink"
)

// lineEvery is how often a log gets a line during a long phase.
const lineEvery = 30 * time.Second

// indent is what stands before all that belongs to a phase.
const indent = "      "

// lines is the printer for pipes and logs: nothing is drawn over.
type lines struct {
	w       io.Writer
	ink     ink.Ink
	written time.Time
}

func (l *lines) draw(s *state) {
	if l.written.Before(s.since) {
		l.written = s.since
	}
	if s.now.Sub(l.written) < lineEvery {
		return
	}
	l.written = s.now
	left, _ := s.leftText()
	l.say(s.heading() + "   " + s.doing() + ", " + left)
}

func (l *lines) log(text string) { l.say(text) }

func (l *lines) say(text string) {
	fmt.Fprintln(l.w, cells.NoCommand(l.ink.Text(cells.Clean(text))))
}

func (l *lines) wipe() {}
