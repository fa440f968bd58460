// Package progress shows a run under way to a person: the phase, and, on a terminal, how far each disk
// is. It shows and never measures: what it prints is for the eye, the numbers come from the trace.
// Start at New.
package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/coordinator"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// redrawEvery keeps a terminal readable, and us from stealing time from the workers.
const redrawEvery = 250 * time.Millisecond

// Progress is the state of a run as a person sees it. It is a coordinator.Watcher.
type Progress struct {
	w      io.Writer
	live   bool // w is a terminal: one line may be drawn over and over
	phases int

	phase    scenario.Phase
	released time.Time
	moved    map[string]int64
	drawn    time.Time
}

// New shows the progress of a run of so many phases on w; live where w is a terminal.
func New(w io.Writer, live bool, phases int) *Progress {
	return &Progress{w: w, live: live, phases: phases}
}

// PhaseBegins says what comes now.
func (p *Progress) PhaseBegins(index int, phase scenario.Phase) {
	p.phase, p.moved, p.released = phase, map[string]int64{}, time.Time{}
	fmt.Fprintf(p.w, "[%d/%d] %s: %s; %d files, %s\n", index+1, p.phases, phase.Name, phase.Who(), phase.Files(), unit.FormatBytes(phase.Bytes()))
}

// Released notes the common start.
func (p *Progress) Released() { p.released = time.Now() }

// Moved redraws the live line.
func (p *Progress) Moved(disk string, bytes int64) {
	p.moved[disk] = bytes
	if !p.live || p.released.IsZero() || time.Since(p.drawn) < redrawEvery {
		return
	}
	p.drawn = time.Now()
	var parts []string
	for _, job := range p.phase.Jobs {
		parts = append(parts, fmt.Sprintf("%s %d %%", job.Disk, 100*p.moved[job.Disk]/max(1, job.Bytes())))
	}
	elapsed := time.Since(p.released).Truncate(time.Second)
	fmt.Fprintf(p.w, "\r\033[K      %s  %s", unit.FormatSeconds(elapsed.Seconds()), strings.Join(parts, "   "))
}

// PhaseEnds says how long it took, or what went wrong.
func (p *Progress) PhaseEnds(failures []coordinator.Failure) {
	if p.live {
		fmt.Fprint(p.w, "\r\033[K")
	}
	for _, f := range failures {
		fmt.Fprintf(p.w, "      %s\n", f)
	}
	if len(failures) == 0 && !p.released.IsZero() {
		fmt.Fprintf(p.w, "      done in %s\n", unit.FormatSeconds(time.Since(p.released).Seconds()))
	}
}
