package progress

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hubbench/hubbench/pkg/unit"
)

// redrawEvery keeps a terminal readable, and us from stealing time from the workers.
const redrawEvery = 250 * time.Millisecond

// terminal draws a line for each disk, over the ones drawn before. It uses no colour.
type terminal struct {
	w     io.Writer
	drawn time.Time
	lines int // drawn, above the cursor
}

func (t *terminal) draw(s *state) {
	if s.now.Sub(t.drawn) < redrawEvery {
		return
	}
	t.drawn = s.now
	t.wipe()
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for i := range s.disks {
		d := &s.disks[i]
		fmt.Fprintf(table, "      %s\t%s\t%s\t%s\t%.0f %%\n", d.job.Disk, progressOf(s, d), unit.FormatBytes(d.moved()),
			unit.FormatRate(d.rate(s.speedup)), 100*s.share(d))
	}
	_ = table.Flush() // a strings.Builder takes all
	fmt.Fprintf(&text, "      %s\n", times(s))
	t.lines = strings.Count(text.String(), "\n")
	_, _ = io.WriteString(t.w, text.String()) // a terminal that is gone must not end a run
}

// wipe takes the lines off the screen.
func (t *terminal) wipe() {
	if t.lines > 0 {
		fmt.Fprintf(t.w, "\x1b[%dA\x1b[J", t.lines)
		t.lines = 0
	}
}

// progressOf is how many files of how many.
func progressOf(s *state, d *disk) string {
	if phase := s.phase(); phase.Target > 0 || phase.Limit > 0 {
		return fmt.Sprintf("%d files", d.files)
	}
	return fmt.Sprintf("%d of %d files", d.files, len(d.job.Sizes)-d.job.IO.Discard)
}

// times is how long the phase has been going on, and how long the run still will.
func times(s *state) string {
	text := unit.FormatSeconds(s.now.Sub(s.released).Truncate(time.Second).Seconds())
	if left, known := s.left(); known {
		text += ", about " + unit.FormatSeconds(left.Round(time.Second).Seconds()) + " left in all"
	}
	return text
}
