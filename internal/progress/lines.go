package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/unit"
)

// lineEvery is how often a log is told that a long phase goes on.
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
	var disks []string
	for i := range s.disks {
		d := &s.disks[i]
		disks = append(disks, fmt.Sprintf("%s %s, %s", d.job.Disk, progressOf(s, d), unit.FormatRate(d.rate(s.speedup))))
	}
	fmt.Fprintf(l.w, "      %s: %s\n", times(s), strings.Join(disks, "; "))
}

func (l *lines) wipe() {}
